/** A board to look at, or to set up: by clicks and by keys. */

import { announce } from '../announce.js';
import { BoardView } from '../board.js';
import { h } from '../dom.js';
import { keyOf } from '../moves.js';
import { MAX_EXPONENT, exponentOf, exponentOfKey } from '../notation.js';
import { text } from '../text.js';

const STEPS = { ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowDown: [1, 0], ArrowLeft: [0, -1] };
const CLEARING = new Set(['Delete', 'Backspace', '0']);

/**
 * @typedef {object} BoardEditorOptions
 * @property {string} label name of the grid
 * @property {(tiles: number[], group: string) => void} onChange called with the board after an edit
 *   by hand; edits of the same group, of one cell, belong together
 * @property {(cell: number) => void} onPick called with a cell that is clicked, or chosen by Space,
 *   while it is not edited
 */

/** A `BoardView` whose cells can be picked or edited. */
export class BoardEditor {
  #cursor = 0;

  /** The tile that a click paints; null while clicks count up and down. */
  brush = null;

  /** Whether the cells can be changed. */
  isEditing = false;

  /** @param {BoardEditorOptions} options */
  constructor({ label, onChange, onPick }) {
    Object.assign(this, { onChange, onPick });
    this.view = new BoardView({ label });
    this.element = h('div', {
      class: 'board-editor',
      onkeydown: (event) => this.#key(event),
      onfocusin: (event) => this.#cellOf(event.target) >= 0 && this.#setCursor(this.#cellOf(event.target)),
      onmousedown: (event) => this.isEditing || event.preventDefault(), // keys stay with the page
      onclick: (event) => this.#click(event),
      oncontextmenu: (event) => this.#menu(event),
    }, this.view.element);
    this.#setCursor(0);
  }

  /** The tiles, row by row. */
  get tiles() {
    return this.view.tiles;
  }

  /**
   * Show a board to be edited.
   *
   * @param {number[]} tiles
   * @param {number} rows
   * @param {number} cols
   */
  set(tiles, rows, cols) {
    const isOther = rows !== this.view.rows || cols !== this.view.cols;
    this.view.show(tiles, { rows, cols });
    if (isOther) this.#setCursor(0);
  }

  /** @param {number} cell to mark as that of the new tile; -1 for none */
  mark(cell) {
    this.view.cells.forEach((each, index) => each.classList.toggle('is-marked', index === cell));
  }

  /** @param {boolean} isEditing whether the cells can be changed */
  setEditing(isEditing) {
    this.isEditing = isEditing;
    this.element.classList.toggle('is-editing', isEditing);
    if (!isEditing) this.setBrush(null);
  }

  /** @param {number | null} tile that clicks paint; null for counting up and down */
  setBrush(tile) {
    this.brush = tile;
    this.element.classList.toggle('is-painting', tile !== null);
  }

  #cellOf(target) {
    const cell = target instanceof Element ? target.closest('.board-cell') : null;
    return cell ? this.view.cells.indexOf(cell) : -1;
  }

  /** Set the exponent of a cell, within its limits, and tell. */
  #put(cell, exponent) {
    const tile = exponent > 0 ? 2 ** Math.min(exponent, MAX_EXPONENT) : 0;
    if (!this.isEditing || cell < 0 || this.tiles[cell] === tile) return;
    const tiles = [...this.tiles];
    tiles[cell] = tile;
    this.view.show(tiles, { animate: true });
    this.view.updateGrid();
    announce(tile ? String(tile) : text('board.empty'));
    this.onChange(tiles, `cell ${cell}`);
  }

  #count(cell, step) {
    this.#put(cell, Math.max(0, exponentOf(this.tiles[cell]) + step));
  }

  #click({ clientX, clientY, shiftKey }) {
    const cell = this.#cellOf(document.elementFromPoint(clientX, clientY)); // a swipe holds the pointer
    if (cell < 0) return;
    if (this.isEditing) this.#moveTo(cell);
    this.#pick(cell, shiftKey ? -1 : 1);
  }

  /** Paint a cell, or count it up or down; where nothing is edited, it is picked. */
  #pick(cell, step) {
    if (!this.isEditing) this.onPick(cell);
    else if (this.brush === null) this.#count(cell, step);
    else this.#put(cell, exponentOf(this.brush));
  }

  #menu(event) {
    const cell = this.#cellOf(event.target);
    if (cell < 0 || !this.isEditing) return;
    event.preventDefault();
    this.#count(cell, -1);
  }

  #setCursor(cell) {
    this.#cursor = cell;
    this.view.cells.forEach((each, index) => { each.tabIndex = index === cell ? 0 : -1; });
  }

  #moveTo(cell) {
    this.#setCursor(cell);
    this.view.cells[cell].focus({ preventScroll: true });
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || this.#cellOf(event.target) < 0) return;
    if (this.#act(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** Do what a key asks; false if it asks nothing. */
  #act(event) {
    const { key } = event;
    const cell = this.#cursor;
    if (STEPS[key] && !event.shiftKey) this.#walk(...STEPS[key]);
    else if (key === 'Home') this.#moveTo(cell - (cell % this.view.cols));
    else if (key === 'End') this.#moveTo(cell - (cell % this.view.cols) + this.view.cols - 1);
    else if (key === ' ' || key === 'Enter') this.#pick(cell, event.shiftKey ? -1 : 1);
    else if (!this.isEditing) return false;
    else if (key === '+' || key === '=') this.#count(cell, 1);
    else if (key === '-') this.#count(cell, -1);
    else if (CLEARING.has(key)) this.#put(cell, 0);
    else if (exponentOfKey(keyOf(event)) > 0) this.#put(cell, exponentOfKey(keyOf(event)));
    else return false;
    return true;
  }

  #walk(down, right) {
    const { rows, cols } = this.view;
    const row = Math.floor(this.#cursor / cols) + down;
    const col = (this.#cursor % cols) + right;
    if (row >= 0 && row < rows && col >= 0 && col < cols) this.#moveTo(row * cols + col);
  }
}
