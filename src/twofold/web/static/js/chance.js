/** The chance of the next large tile: counted by the server while a position is shown. */

import { net } from './net.js';

const WAIT_MS = 300; // positions that are passed in less are not asked for

/**
 * @typedef {object} Chance
 * @property {number} tile
 * @property {number} share
 * @property {number} low lower end of the 95 % interval
 * @property {number} high
 * @property {number} games
 * @property {number} reached how many of them made the tile
 */

/** Asks until the chance is known well, or until another position comes. */
export class ChanceCounter {
  #key = '';
  #timer = null;

  /**
   * @param {(chance: Chance) => void} onFound gets better and better answers
   * @param {() => boolean} isWanted whether it is still to be counted
   */
  constructor(onFound, isWanted) {
    Object.assign(this, { onFound, isWanted });
  }

  /**
   * @param {string} board
   * @param {string} rules
   */
  ask(board, rules) {
    if (this.#key === `${rules} ${board}`) return;
    this.stop();
    this.#key = `${rules} ${board}`;
    this.#timer = setTimeout(() => this.#go(this.#key, { board, rules }), WAIT_MS);
  }

  /** Ask no more. */
  stop() {
    clearTimeout(this.#timer);
    this.#key = '';
  }

  async #go(key, body) {
    if (!this.isWanted()) return;
    try {
      const found = await net.post('/api/chance', body);
      if (key !== this.#key) return;
      const { games, reached, done } = found;
      if (games) this.onFound({ ...found, share: reached / games });
      if (!done) await this.#go(key, { ...body, games, reached });
    } catch (error) {
      console.info(error); // the page says itself that the connection is lost
    }
  }
}
