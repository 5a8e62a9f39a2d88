/** The board: tiles that slide, appear and merge, over a grid that screen readers can read; a picture of one. */

import { h, icon } from './dom.js';
import { ICONS } from './moves.js';
import { exponentsOf, shapeOf } from './notation.js';
import { text } from './text.js';
import { TileLayer } from './tiles.js';

const GRID_DELAY_MS = 250;

/** A board on the page. Its `element` fills the width it is given, up to `--board-max`. */
export class BoardView {
  #grid = h('div', { class: 'board-grid', role: 'grid' });
  #marks = h('div', { class: 'board-marks', 'aria-hidden': 'true' });
  #layer = null;
  #gridTimer = null;
  #speed = 1;

  /** The background cells, row by row: grid cells with the tile as their text. */
  cells = [];

  /** The tiles shown, row by row; 0 for an empty cell. */
  tiles = [];

  /**
   * @param {{rows?: number, cols?: number, label?: string, compact?: boolean}} [options] `label`
   *   names the grid; a compact board is for small places: thinner gaps, no shadow
   */
  constructor({ rows = 4, cols = 4, label = '', compact = false } = {}) {
    this.layerElement = h('div', { class: 'board-tiles', 'aria-hidden': 'true' });
    this.element = h('div', { class: compact ? 'board compact' : 'board' },
      this.#grid, this.layerElement, this.#marks);
    this.resize(rows, cols, label);
  }

  /**
   * Give the board another shape; it is empty then.
   *
   * @param {number} rows
   * @param {number} cols
   * @param {string} [label] name of the grid
   */
  resize(rows, cols, label = '') {
    this.rows = rows;
    this.cols = cols;
    this.element.style.setProperty('--rows', rows);
    this.element.style.setProperty('--cols', cols);
    this.setLabel(label);
    this.#buildGrid();
    this.#layer?.clear();
    this.#layer = new TileLayer(this.layerElement, rows, cols);
    this.#layer.speed = this.#speed;
    this.tiles = new Array(rows * cols).fill(0);
    this.arrow('');
  }

  /** @param {string} label name of the grid; empty for the shape in words */
  setLabel(label) {
    this.#grid.setAttribute('aria-label',
      label || text('board.label', { rows: this.rows, cols: this.cols }));
  }

  /** @param {number} factor of the animations' speed; 0 switches them off */
  setSpeed(factor) {
    this.#speed = factor;
    this.#layer.speed = factor;
  }

  /**
   * Show a position.
   *
   * @param {number[]} tiles row by row, 0 for an empty cell
   * @param {{animate?: boolean}} [options] whether tiles that are new appear slowly
   */
  show(tiles, { animate = false } = {}) {
    this.#layer.show(tiles, animate);
    this.#changed(tiles);
  }

  /**
   * Begin to slide for a legal move that was asked for; `step` goes on from there. So the first
   * frame need not wait for the answer.
   *
   * @param {string} letter
   */
  begin(letter) {
    this.#layer.begin(letter);
  }

  /**
   * Show a move, cutting short the one before.
   *
   * @param {object} step a `step` message; where the board is not the one before the move, the
   *   board after it is shown as it is
   */
  step(step) {
    this.#layer.step(step);
    this.#changed(step.now.tiles);
  }

  /**
   * Show an arrow at the edge that a move goes to, or none.
   *
   * @param {string} letter of the move; empty for none
   */
  arrow(letter) {
    this.arrows(letter ? [[letter, 'best']] : []);
  }

  /** @param {[string, string][]} marks letters and colours (`best`, `good`, `bad`): they hide no tile */
  arrows(marks) {
    this.#marks.replaceChildren(...marks.map(([letter, kind]) => (
      h('div', { class: `board-arrow ${kind} to-${ICONS[letter]}` }, icon(ICONS[letter])))));
  }

  /** Bring the grid for screen readers up to date now, rather than after the animation. */
  updateGrid() {
    clearTimeout(this.#gridTimer);
    this.#gridTimer = null;
    this.tiles.forEach((tile, index) => this.#label(this.cells[index], tile, index));
  }

  #buildGrid() {
    this.cells = [];
    const rows = Array.from({ length: this.rows }, () => {
      const cells = Array.from({ length: this.cols },
        () => h('div', { class: 'board-cell', role: 'gridcell' }));
      this.cells.push(...cells);
      return h('div', { class: 'board-row', role: 'row' }, cells);
    });
    this.#grid.replaceChildren(...rows);
    this.tiles = new Array(this.rows * this.cols).fill(0);
    this.updateGrid();
  }

  #label(cell, tile, index) {
    const words = text('board.cell', {
      row: Math.floor(index / this.cols) + 1,
      column: (index % this.cols) + 1,
      tile: tile ? String(tile) : text('board.empty'),
    });
    if (cell.getAttribute('aria-label') !== words) cell.setAttribute('aria-label', words);
  }

  // A board that changes many times a second updates its grid a few times a second.
  #changed(tiles) {
    this.tiles = tiles;
    this.#gridTimer ??= setTimeout(() => this.updateGrid(), GRID_DELAY_MS);
  }
}

/**
 * A picture of a board; what it shows must be said beside it.
 *
 * @param {string} board its text
 * @returns {HTMLElement}
 */
export function miniBoard(board) {
  const { rows, cols } = shapeOf(board);
  const style = { '--rows': rows, '--cols': cols };
  return h('div', { class: 'mini-board', 'aria-hidden': 'true', style },
    exponentsOf(board).map((exponent) => h('span', exponent ? { dataset: { exponent } } : null)));
}
