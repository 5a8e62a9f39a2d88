/** Tables with a caption, to be sorted and saved; their headings in the language of the page. */

import { scrollBox } from '../controls.js';
import { button, h, part, render } from '../dom.js';
import { group, point, text } from '../text.js';
import { broken, csvButton, isShort } from './parts.js';

/**
 * @typedef {object} TableInfo as the server sends it
 * @property {string[]} header
 * @property {string[][]} rows
 * @property {(number | string | null)[][]} keys what each cell is sorted by; none: not sortable
 * @property {number} names how many columns hold names
 * @property {boolean} [isRaw] whether header and rows are in the language of the page: a file of the
 *   table has the keys then
 */

/** A table that keeps the order that a person has chosen. */
export class DataTable {
  #info = null;
  #order;

  /**
   * @param {string} caption
   * @param {{column: number, direction: string}} [order] what the rows come sorted by
   */
  constructor(caption, order = null) {
    this.#order = order;
    this.caption = caption;
    this.table = h('table', { class: 'table lab-table' });
    this.element = part(h('div', { class: 'lab-data stack' }, scrollBox(caption, this.table),
      csvButton(caption, () => {
        const { header, rows, keys, isRaw } = this.#info;
        return { name: this.file, rows: [header, ...this.#places().map((place) => (isRaw ? keys : rows)[place])] };
      })));
  }

  /**
   * Show other cells.
   *
   * @param {TableInfo} info
   * @param {string} file name of a file with the table
   * @param {{nameOf?: (row: number) => Node, names?: Map<string, string>}} [how] what stands in the
   *   first cell of a row, and for a cell that holds a name
   * @returns {HTMLElement}
   */
  show(info, file, { nameOf = null, names = new Map() } = {}) {
    Object.assign(this, { file, nameOf, names });
    this.#info = info;
    if (this.#order && this.#order.column >= info.header.length) this.#order = null;
    this.#draw();
    return this.element;
  }

  #draw() {
    const { header, rows } = this.#info;
    render(this.table, h('caption', null, h('span', { text: this.caption })), // it stays in sight
      h('thead', null, h('tr', null, header.map((title, column) => this.#head(title, column)))),
      h('tbody', null, this.#places().map((place) => h('tr', null,
        rows[place].map((cell, column) => this.#cell(cell, column, place))))));
  }

  #cell(cell, column, place) {
    const isName = column < this.#info.names;
    const name = isName && h('span', { title: this.names.has(cell) && cell }, broken(this.names.get(cell) ?? cell));
    const kind = isName || !column ? `name${isShort(cell) ? ' short' : ''}` : 'right';
    if (column === 0) return h('th', { scope: 'row', class: kind }, this.nameOf ? this.nameOf(place) : name);
    return h('td', { class: kind }, name || split(this.#info.isRaw ? cell : cellWords(cell)));
  }

  #head(title, column) {
    const { keys, names, isRaw } = this.#info;
    const words = isRaw ? title : headingWords(title);
    const attributes = { scope: 'col', class: column < names ? 'name' : 'right' };
    if (!keys.length) return h('th', attributes, words);
    const order = this.#order?.column === column ? this.#order.direction : null;
    return h('th', { ...attributes, 'aria-sort': order },
      button({ text: words }, () => this.#sort(column), { class: 'quiet lab-sort' }),
      h('span', { class: 'lab-arrow', 'aria-hidden': 'true', text: { ascending: '▲', descending: '▼' }[order] ?? '' }));
  }

  #sort(column) {
    const first = column < this.#info.names ? 'ascending' : 'descending';
    const other = first === 'ascending' ? 'descending' : 'ascending';
    const isSorted = this.#order?.column === column && this.#order.direction === first;
    this.#order = { column, direction: isSorted ? other : first };
    this.#draw();
  }

  /** Rows in the order chosen; equal ones as they came, those without a value last. */
  #places() {
    const places = [...this.#info.rows.keys()];
    if (!this.#order || !this.#info.keys.length) return places;
    const { column, direction } = this.#order;
    const sign = direction === 'ascending' ? 1 : -1;
    const key = (place) => this.#info.keys[place][column];
    return places.sort((a, b) => {
      if (key(a) === null || key(b) === null) return (key(a) === null) - (key(b) === null);
      return key(a) < key(b) ? -sign : sign * (key(a) > key(b));
    });
  }
}

/** A rate stands above its interval: `64.0 (57.1–70.3)`. */
function split(cell) {
  const found = /^(.*) \((.*)\)$/.exec(cell);
  return found ? [found[1], h('small', { text: found[2] })] : cell;
}

const HEADINGS = {
  '95 % interval': 'interval',
  best: 'best',
  ended: 'ended',
  'ended, %': 'ended_share',
  'first asked for': 'asked',
  games: 'games',
  'going on, %': 'going',
  'in % of B': 'relative',
  'mean score': 'mean',
  median: 'median',
  'median, 99 %': 'spread',
  'moves/s': 'speed',
  player: 'player',
  'reached or given, %': 'reached_given',
  'reached, % of games': 'reached_games',
  signature: 'signature',
  spec: 'spec',
  tile: 'tile',
  'tile sum': 'sum',
  'time a move': 'time_a_move',
  'won, equal, lost': 'results',
};

const NUMBER = /\d+(?:,\d{3})*(?:\.\d+)?/g;

/**
 * Whether a heading has words in the language of the page.
 *
 * @param {string} title
 */
export function isKnown(title) {
  return Object.hasOwn(HEADINGS, title);
}

/**
 * A heading; one that is not known, such as `A` or a tile, stays.
 *
 * @param {string} title
 */
export function headingWords(title) {
  return isKnown(title) ? text(`lab.column_${HEADINGS[title]}`) : title;
}

/**
 * A cell of figures: `4,575.5 to 5,035`.
 *
 * @param {string} cell
 */
export function cellWords(cell) {
  const [low, high] = cell.split(' to ').map((words) => (
    words.replace(NUMBER, (found) => found.replace(/[,.]/g, (sign) => (sign === ',' ? group : point)))));
  return high === undefined ? low : text('lab.from_to', { low, high });
}
