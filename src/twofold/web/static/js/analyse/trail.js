/** The positions of an analysis, one after the other, to go back and forward in. */

/**
 * @typedef {object} Position
 * @property {number[]} tiles
 * @property {number} rows
 * @property {number} cols
 * @property {string} [points] score so far, its digits; empty if unknown
 * @property {Pending} [pending] the new tile of a move, as long as it may be put elsewhere
 */

/** @typedef {{after: number[], cell: number, tile: number}} Pending `after` is the board without it */

const LONGEST = 500;

/** Positions, and which of them is shown. */
export class Trail {
  #place = 0;
  #group = '';

  /** @param {Position} position to begin with */
  constructor(position) {
    this.positions = [position];
  }

  /** The position shown. */
  get position() {
    return this.positions[this.#place];
  }

  get canBack() {
    return this.#place > 0;
  }

  get canForward() {
    return this.#place < this.positions.length - 1;
  }

  /**
   * Add a position after the one shown; what came after that is forgotten.
   *
   * @param {Position} position
   * @param {string} [group] positions of the same group in a row count as one, the last
   */
  add(position, group = '') {
    const replaces = group !== '' && group === this.#group && !this.canForward && this.canBack;
    if (!replaces) this.#place += 1;
    this.#group = group;
    this.positions.splice(this.#place, Infinity, position);
    if (this.positions.length > LONGEST) {
      this.positions.shift();
      this.#place -= 1;
    }
  }

  /** @returns {Position} the one before */
  back() {
    this.#group = '';
    this.#place = Math.max(0, this.#place - 1);
    return this.position;
  }

  /** @returns {Position} the one after */
  forward() {
    this.#group = '';
    this.#place = Math.min(this.positions.length - 1, this.#place + 1);
    return this.position;
  }
}
