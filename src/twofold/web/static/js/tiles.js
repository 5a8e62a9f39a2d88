/**
 * The tiles of a board and how they move.
 *
 * Every tile stands where it will end as soon as it is told to; an animation only shows the way
 * there (Web Animations, transform alone, so that the compositor can do it). Ending an animation
 * therefore never leaves a tile in a wrong place, and nothing is measured.
 */

import { h } from './dom.js';
import { slide } from './notation.js';

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

/** The tiles in one element. */
export class TileLayer {
  /** Factor of the animations' speed; 0 switches them off. */
  speed = 1;

  #element;
  #rows;
  #cols;
  #at; // tile by cell, or null
  #leaving = []; // tiles that merged and are still seen sliding
  #running = new Set();
  #spare = [];
  #begunAt = 0; // when a slide began whose step has not come; 0 for none

  /**
   * @param {HTMLElement} element
   * @param {number} rows
   * @param {number} cols
   */
  constructor(element, rows, cols) {
    this.#element = element;
    this.#rows = rows;
    this.#cols = cols;
    this.#at = new Array(rows * cols).fill(null);
  }

  /** Take all tiles away. */
  clear() {
    this.#finish();
    this.#element.replaceChildren();
    this.#at.fill(null);
    this.#spare = [];
  }

  /**
   * Show a position.
   *
   * @param {number[]} tiles
   * @param {boolean} animate whether tiles that were not there grow
   */
  show(tiles, animate) {
    this.#finish();
    const changed = this.#at.map((_, cell) => cell)
      .filter((cell) => (this.#at[cell]?.value ?? 0) !== tiles[cell]);
    const grown = new Set(animate && this.#moving ? changed.filter((cell) => !this.#at[cell]) : []);
    for (const cell of changed) this.#release(cell);
    for (const cell of changed.filter((each) => tiles[each])) {
      this.#add(cell, tiles[cell], grown.has(cell) ? GROW : null, 0);
    }
    for (const { slot } of this.#spare) slot.style.transform = AWAY;
  }

  /**
   * Begin to slide for a move that is legal, before its step has come.
   *
   * @param {string} letter
   */
  begin(letter) {
    const { slides, tiles, changed } = slide(this.#at.map((tile) => tile?.value ?? 0), this.#rows, this.#cols, letter);
    if (!changed) return;
    this.#slideOrShow(slides, tiles);
    this.#begunAt = performance.now();
  }

  /**
   * Show a move, or go on with the one that has begun.
   *
   * @param {object} step a `step` message
   */
  step(step) {
    const begun = this.#begunAt;
    const { slides, now, cell, tile } = step;
    if (begun && this.#lacksOnly(step)) {
      this.#begunAt = 0;
      const late = (performance.now() - begun) * this.speed;
      this.#add(cell, tile, this.#moving ? GROW : null, Math.max(0, APPEAR.delay - late));
    } else if (this.#fits(slides, now.tiles, cell)) {
      this.#slideOrShow(slides, now.tiles.with(cell, 0));
      this.#add(cell, tile, this.#moving ? GROW : null, APPEAR.delay);
    } else {
      this.show(now.tiles, false);
    }
  }

  get #moving() {
    return this.speed > 0 && !STILL.matches;
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
    if (!this.#moving) return void this.show(tiles, false);
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
    tile.slot.style.transform = where(end, this.#cols);
    this.#animate(tile.slot,
      [{ transform: where(start, this.#cols) }, { transform: where(end, this.#cols) }], SLIDE);
  }

  #add(cell, value, frames, delay) {
    const tile = this.#take(value);
    paint(tile, value);
    tile.slot.style.transform = where(cell, this.#cols);
    this.#at[cell] = tile;
    tile.slot.classList.toggle('merged', frames === POP);
    if (!tile.slot.isConnected) this.#element.append(tile.slot);
    if (frames) this.#animate(tile.face, frames, { ...APPEAR, delay });
  }

  /**
   * A tile to use: of those at hand one with this number, which need not be painted anew, else a
   * new one, until there are enough.
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
      ...timing, duration: duration / this.speed, delay: delay / this.speed,
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
