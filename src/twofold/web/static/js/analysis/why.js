/** Why a move was bad, in a sentence: what the boards after it show, beside those after the best. */

import { net } from '../net.js';
import { fixed, text } from '../text.js';

/** Asks the server once for each position, and words the answer. */
export class Why {
  #asked = new Map();

  /** @param {import('./game.js').Game} game */
  constructor(game) {
    this.game = game;
  }

  /**
   * Why the move of a place was bad.
   *
   * @param {number} place
   * @param {object} judgement
   * @returns {Promise<string>} empty where the boards show no difference
   */
  of(place, judgement) {
    const key = `${place} ${judgement.best}`;
    if (!this.#asked.has(key)) this.#asked.set(key, this.#ask(place, judgement, key));
    return this.#asked.get(key);
  }

  async #ask(place, { move, best }, key) {
    const { boards, rules } = this.game;
    const body = { board: boards[place], rules, played: move, best };
    try {
      return whyText(await net.post('/api/why', body));
    } catch (error) {
      this.#asked.delete(key);
      console.info(error);
      return '';
    }
  }
}

/** @param {{moves: number, reasons: {kind: string, played: number, best: number}[]}} reply */
function whyText({ moves, reasons }) {
  if (!reasons.length) return '';
  const [first, second] = reasons.map(clause);
  return text(second ? 'review.why_two' : 'review.why_one', { first, second, count: moves });
}

function clause({ kind, played, best }) {
  const shown = kind === 'over' ? (share) => fixed(100 * share, 0) : Math.round;
  return text(`review.why_${kind}`, { count: shown(played), best: shown(best) });
}
