/** Tables with a caption that scroll by themselves where the screen is narrow. */

import { button, fill, h } from '../dom.js';
import { csvButton } from './csv.js';
import { scrollBox } from './scroll_box.js';
import { cellWords, headingWords } from './table_words.js';

/** Longer names go over several lines. */
const LONGEST_LINE = 24;

/**
 * @typedef {object} TableInfo as the server sends it
 * @property {string[]} header
 * @property {string[][]} rows
 * @property {(number | string | null)[][]} keys what each cell is sorted by; none: not sortable
 * @property {number} names how many columns hold names
 * @property {boolean} [isRaw] whether header and rows are in the language of the page: a file of the
 *   table has the keys then
 */

/** A table to download; sortable where it has keys. */
export class DataTable {
  #info = null;
  #order;

  /**
   * @param {string} caption
   * @param {(row: number) => Node | string} [nameOf] what stands in the first cell of a row
   * @param {{column: number, direction: string}} [order] what the rows come sorted by
   * @param {string} [part] what the name of the downloaded file ends in
   */
  constructor(caption, nameOf = null, order = null, part = '') {
    this.#order = order;
    this.nameOf = nameOf;
    this.table = h('table', { class: 'table lab-table' });
    this.caption = h('caption', null, h('span', { text: caption })); // it stays in sight
    const csv = csvButton(caption, () => ({ name: this.file + (part && ` ${part}`), rows: this.#shown() }));
    this.element = h('div', { class: 'lab-data' }, scrollBox(caption, this.table), csv);
  }

  /**
   * Show other cells; the order that was chosen stays.
   *
   * @param {TableInfo} info
   * @param {string} file name of what the table is about
   * @param {Map<string, string>} [names] what stands for a cell that holds a name
   */
  show(info, file, names = new Map()) {
    Object.assign(this, { file, names });
    this.#info = info;
    if (this.#order && this.#order.column >= info.header.length) this.#order = null;
    this.#draw();
  }

  #draw() {
    const { header, rows, names, isRaw } = this.#info;
    const focused = [...this.table.querySelectorAll('thead button')].indexOf(document.activeElement);
    const head = header.map((title, column) => this.#head(isRaw ? title : headingWords(title), column));
    const body = this.#places().map((place) => h('tr', null, rows[place].map((cell, column) => {
      if (column === 0) return h('th', { scope: 'row', class: nameClass(cell) }, this.nameOf ? this.nameOf(place) : this.#named(cell));
      return h('td', { class: column < names ? nameClass(cell) : 'right' }, column < names ? this.#named(cell) : split(isRaw ? cell : cellWords(cell)));
    })));
    fill(this.table, this.caption, h('thead', null, h('tr', null, head)), h('tbody', null, body));
    if (focused >= 0) this.table.querySelectorAll('thead button')[focused]?.focus();
  }

  #named(cell) {
    return h('span', { title: this.names.has(cell) && cell }, broken(this.names.get(cell) ?? cell));
  }

  /** The header and the rows as they stand. */
  #shown() {
    const { header, rows, keys, isRaw } = this.#info;
    return [header, ...this.#places().map((place) => (isRaw ? keys : rows)[place])];
  }

  #head(title, column) {
    const { keys, names } = this.#info;
    const attributes = { scope: 'col', class: column < names ? 'name' : 'right' };
    if (!keys.length) return h('th', attributes, title);
    const order = this.#order?.column === column ? this.#order.direction : null;
    const arrow = h('span', { class: 'lab-arrow', 'aria-hidden': 'true', text: { ascending: '▲', descending: '▼' }[order] ?? '' });
    return h('th', { ...attributes, 'aria-sort': order },
      button({ text: title }, () => this.#sort(column), { class: 'quiet lab-sort' }), arrow);
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

function nameClass(name) {
  return name.length <= LONGEST_LINE ? 'name short' : 'name';
}

/** A long name, to be broken after a comma or a colon. */
export function broken(name) {
  if (name.length <= LONGEST_LINE) return [name];
  return name.split(/(?<=[,:])/).flatMap((part, place) => (place ? [h('wbr'), part] : [part]));
}

/** A rate stands above its interval: `64.0 (57.1–70.3)`. */
function split(cell) {
  const found = /^(.*) \((.*)\)$/.exec(cell);
  return found ? [found[1], h('small', { text: found[2] })] : cell;
}
