/** What a move of the person has reached for the first time, in words. */

import { text } from '../text.js';

const LEAST_PART = 4; // of the goal: smaller tiles are nothing special
const HAND = new Set(['hand', 'helped']);

/** One game's milestones; each is told once. */
export class Milestones {
  #game = '';
  #told = new Set();

  /**
   * @param {object} state the last `game` message
   * @param {object} before where the game stood
   * @param {object} step a `step` message
   * @returns {string[]} sentences
   */
  of(state, before, { by, now }) {
    if (by || !HAND.has(now.kind)) return [];
    if (state.game !== this.#game) this.#told.clear();
    this.#game = state.game;
    return [this.#best(before, now), this.#tile(state, before, now)].filter(Boolean);
  }

  #best(before, now) {
    const isNew = before.score < before.best && now.score > before.best;
    return isNew && this.#once('best') && text('play.first_best', { score: now.score });
  }

  #tile({ rules, largest }, before, now) {
    const tile = Math.max(...now.tiles);
    const isNew = tile > Math.max(largest, ...before.tiles) && tile >= rules.goal / LEAST_PART;
    if (!isNew || !this.#once(tile)) return '';
    return text(tile > rules.goal ? 'play.first_largest' : 'play.first_tile', { tile: String(tile) });
  }

  #once(name) {
    const isNew = !this.#told.has(name);
    this.#told.add(name);
    return isNew;
  }
}
