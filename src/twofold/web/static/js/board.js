/**
 * The board: tiles that slide, appear and merge, over a grid that screen readers can read; a picture
 * of one.
 *
 * Every tile stands where it will end as soon as it is told to; an animation only shows the way
 * there (Web Animations, transform alone, so that the compositor can do it). Ending an animation
 * therefore never leaves a tile in a wrong place, and nothing is measured.
 */

import { h, icon } from './dom.js';
import { ICONS } from './moves.js';
import { exponentsOf, shapeOf, slide } from './notation.js';
import { settings } from './settings.js';
import { text } from './text.js';

const GRID_DELAY_MS = 250;

/** Where tiles at hand are: out of sight, without a change of layout or of what is inside. */
const AWAY = 'scale(0)';

/** Tiles kept at hand for later, by the number of cells. */
const SPARE_RATIO = 2;

/** Timings of the original, in milliseconds. */
const SLIDE = { duration: 100, easing: 'ease-in-out' };
const APPEAR = { duration: 200, delay: 100, easing: 'ease', fill: 'backwards' };

const GROW = [{ transform: 'scale(0)', opacity: 0 }, { transform: 'scale(1)', opacity: 1 }];
const POP = [
  { transform: 'scale(0)' }, { transform: 'scale(1.2)', offset: 0.5 }, { transform: 'scale(1)' },
];

const STILL = window.matchMedia('(prefers-reduced-motion: reduce)');

/** A board on the page. Its `element` fills the width it is given, up to `--board-max`. */
export class BoardView {
  #grid = h('div', { class: 'board-grid', role: 'grid' });
  #marks = h('div', { class: 'board-marks', 'aria-hidden': 'true' });
  #gridTimer = null;
  #at; // tile by cell, or null
  #leaving = []; // tiles that merged and are still seen sliding
  #running = new Set();
  #spare = [];
  #begunAt = 0; // when a slide began whose step has not come; 0 for none

  /** The background cells, row by row: grid cells with the tile as their text. */
  cells = [];

  /** The tiles shown, row by row; 0 for an empty cell. */
  tiles = [];

  /** Factor of the animations' speed, 0 switches them off; null for that of the settings. */
  speed = null;

  /**
   * @param {{rows?: number, cols?: number, label?: string, compact?: boolean}} [options] `label`
   *   names the grid; a compact board is for small places: thinner gaps, no shadow
   */
  constructor({ rows = 4, cols = 4, label = '', compact = false } = {}) {
    this.layer = h('div', { class: 'board-tiles', 'aria-hidden': 'true' });
    this.element = h('div', { class: compact ? 'board compact' : 'board' }, this.#grid, this.layer, this.#marks);
    this.label = label;
    this.#resize(rows, cols);
  }

  #resize(rows, cols) {
    Object.assign(this, { rows, cols });
    this.element.style.setProperty('--rows', rows);
    this.element.style.setProperty('--cols', cols);
    this.setLabel(this.label);
    this.#buildGrid();
    this.#finish();
    this.layer.replaceChildren();
    [this.#at, this.#spare] = [new Array(rows * cols).fill(null), []];
    this.arrow('');
  }

  /** @param {string} label name of the grid; empty for the shape in words */
  setLabel(label) {
    this.label = label;
    this.#grid.setAttribute('aria-label',
      label || text('board.label', { rows: this.rows, cols: this.cols }));
  }

  /**
   * Show a position.
   *
   * @param {number[]} tiles row by row, 0 for an empty cell
   * @param {{animate?: boolean, rows?: number, cols?: number}} [options] whether tiles that are new
   *   appear slowly, and the shape where it may be another one
   */
  show(tiles, { animate = false, rows = this.rows, cols = this.cols } = {}) {
    if (rows !== this.rows || cols !== this.cols) this.#resize(rows, cols);
    this.#place(tiles, animate);
    this.#changed(tiles);
  }

  /**
   * Begin to slide for a legal move that was asked for; `step` goes on from there. So the first
   * frame need not wait for the answer.
   *
   * @param {string} letter
   */
  begin(letter) {
    const { slides, tiles, changed } = slide(this.#at.map((tile) => tile?.value ?? 0), this.rows, this.cols, letter);
    if (!changed) return;
    this.#slideOrShow(slides, tiles);
    this.#begunAt = performance.now();
  }

  /**
   * Show a move, or go on with the one that has begun; the move before is cut short.
   *
   * @param {object} step a `step` message; where the board is not the one before the move, the
   *   board after it is shown as it is
   */
  step(step) {
    const begun = this.#begunAt;
    const { slides, now, cell, tile } = step;
    if (begun && this.#lacksOnly(step)) {
      this.#begunAt = 0;
      const late = (performance.now() - begun) * this.#speed;
      this.#add(cell, tile, this.#isMoving ? GROW : null, Math.max(0, APPEAR.delay - late));
    } else if (this.#fits(slides, now.tiles, cell)) {
      this.#slideOrShow(slides, now.tiles.with(cell, 0));
      this.#add(cell, tile, this.#isMoving ? GROW : null, APPEAR.delay);
    } else {
      this.#place(now.tiles, false);
    }
    this.#changed(now.tiles);
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

  // ---- the tiles

  #place(tiles, animate) {
    this.#finish();
    const changed = this.#at.map((_, cell) => cell)
      .filter((cell) => (this.#at[cell]?.value ?? 0) !== tiles[cell]);
    const grown = new Set(animate && this.#isMoving ? changed.filter((cell) => !this.#at[cell]) : []);
    for (const cell of changed) this.#release(cell);
    for (const cell of changed.filter((each) => tiles[each])) {
      this.#add(cell, tiles[cell], grown.has(cell) ? GROW : null, 0);
    }
    for (const { slot } of this.#spare) slot.style.transform = AWAY;
  }

  get #isMoving() {
    return this.#speed > 0 && !STILL.matches;
  }

  get #speed() {
    return this.speed ?? settings.get('speed');
  }

  /** Whether the board is the one of the step but for the new tile. */
  #lacksOnly({ now, cell }) {
    return this.#at.every((tile, index) => (
      index === cell ? !tile : (tile?.value ?? 0) === now.tiles[index]));
  }

  /** Whether slides begin where tiles are, and end in a board that lacks only the new tile. */
  #fits(slides, tiles, cell) {
    if (slides.length !== this.#at.filter(Boolean).length) return false;
    const after = new Array(this.#at.length).fill(0);
    for (const [start, end] of slides) {
      if (!this.#at[start]) return false;
      after[end] += this.#at[start].value;
    }
    return after.every((value, index) => value === (index === cell ? 0 : tiles[index]));
  }

  #slideOrShow(slides, tiles) {
    if (!this.#isMoving) return void this.#place(tiles, false);
    this.#finish();
    const before = this.#at;
    const made = new Set();
    this.#at = new Array(before.length).fill(null);
    for (const [start, end, merged] of slides) {
      this.#slide(before[start], start, end);
      if (!merged) this.#at[end] = before[start];
      else this.#leaving.push(before[start]) && made.add(end);
    }
    for (const end of made) this.#add(end, tiles[end], POP, APPEAR.delay);
  }

  #slide(tile, start, end) {
    if (start === end) return;
    tile.slot.style.transform = where(end, this.cols);
    this.#animate(tile.slot,
      [{ transform: where(start, this.cols) }, { transform: where(end, this.cols) }], SLIDE);
  }

  #add(cell, value, frames, delay) {
    const tile = this.#take(value);
    paint(tile, value);
    tile.slot.style.transform = where(cell, this.cols);
    this.#at[cell] = tile;
    tile.slot.classList.toggle('merged', frames === POP);
    if (!tile.slot.isConnected) this.layer.append(tile.slot);
    if (frames) this.#animate(tile.face, frames, { ...APPEAR, delay });
  }

  /**
   * A tile for a number. A spare one that shows the number need not be painted; without one it is
   * a new tile, or once there are enough the oldest spare one.
   */
  #take(value) {
    const found = this.#spare.findIndex((tile) => tile.value === value);
    if (found >= 0) return this.#spare.splice(found, 1)[0];
    if (this.#spare.length >= SPARE_RATIO * this.#at.length) return this.#spare.shift();
    const face = h('div', { class: 'tile-face' });
    return { slot: h('div', { class: 'tile' }, face), face, value: 0 };
  }

  #release(cell) {
    if (this.#at[cell]) this.#spare.push(this.#at[cell]);
    this.#at[cell] = null;
  }

  #animate(element, frames, { duration, delay = 0, ...timing }) {
    const animation = element.animate(frames, {
      ...timing, duration: duration / this.#speed, delay: delay / this.#speed,
    });
    this.#running.add(animation);
    animation.onfinish = () => {
      this.#running.delete(animation);
      if (!this.#running.size) this.#finish();
    };
  }

  /** Put everything where it ends. */
  #finish() {
    for (const animation of this.#running) animation.cancel();
    this.#running.clear();
    this.#begunAt = 0;
    for (const { slot } of this.#leaving) slot.style.transform = AWAY;
    this.#spare.push(...this.#leaving);
    this.#leaving = [];
  }
}

function paint(tile, value) {
  if (tile.value === value) return;
  tile.value = value;
  const digits = String(value);
  tile.face.textContent = digits;
  tile.face.style.setProperty('--digits', digits.length);
  tile.face.dataset.exponent = Math.log2(value);
}

// In percent of the tile's own place, so that a board of any size needs no measuring.
function where(cell, cols) {
  return `translate(${(cell % cols) * 100}%, ${Math.floor(cell / cols) * 100}%)`;
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
