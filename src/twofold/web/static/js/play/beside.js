/** What stands beside a game, loaded after its first picture: help, ending, sounds, trial, and its clock. */

import { formatClock } from '../figures.js';
import { remember, remembered } from '../memory.js';
import { number } from '../text.js';
import { Ending } from './ending.js';
import { Feedback } from './feedback.js';
import { HelpPanel } from './help.js';
import { isFinished } from './live_game.js';
import { Trial } from './trial.js';

/** The parts that hear of a game. */
export class Beside {
  clock = new Clock();
  feedback = new Feedback();

  /**
   * @param {import('./live_game.js').LiveGame} game
   * @param {import('./overlay.js').Overlay} overlay
   * @param {{hinted: function(): void, keepGoing: function(): void, newGame: function(): void}} page
   */
  constructor(game, overlay, page) {
    this.help = new HelpPanel(game, page);
    this.ending = new Ending(game, overlay);
    this.trial = new Trial(game, { overlay, ...page });
    if (game.state) this.state(game.state);
  }

  /** @param {object} state a `game` message */
  state(state) {
    this.clock.state(state);
    this.trial.state(state);
  }

  /**
   * @param {object} step a `step` message
   * @param {boolean} isFirst whether it has reached something for the first time
   */
  step(step, isFirst) {
    this.clock.step(step);
    this.feedback.step(step, isFirst);
    this.trial.step(step);
  }

  /** End all. */
  close() {
    for (const one of [this.help, this.ending, this.feedback, this.trial]) one.close();
  }
}

const KEY = 'twofold.clock';

/** Longer pauses count as this long: nobody plays all the time that a page is open. */
const LONGEST_PAUSE_MS = 30_000;
const LEAST_MS = 3000; // before it there is no pace

/** The clock of a game; a page that is loaded anew goes on counting. */
export class Clock {
  #spent = 0; // milliseconds between moves
  #moves = 0;
  #last = 0; // when the last move was made; 0 before the first
  #game = '';

  /** @param {object} state a `game` message */
  state({ game, was }) {
    if (game !== this.#game && !(was && was === this.#game)) {
      const kept = JSON.parse(remembered(KEY) || '{}');
      const { spent, moves } = kept.game === game ? kept : { spent: 0, moves: 0 };
      [this.#spent, this.#moves, this.#last] = [spent, moves, 0];
    }
    this.#game = game;
  }

  /** @param {object} step a `step` message */
  step({ by }) {
    if (by) return;
    const moment = Date.now();
    if (this.#last) {
      this.#spent += this.#since(moment);
      this.#moves += 1;
    }
    this.#last = moment;
    remember(KEY, JSON.stringify({ game: this.#game, spent: this.#spent, moves: this.#moves }));
  }

  /**
   * @param {object} now where the game stands
   * @returns {{time: string, pace: string}} in words
   */
  show(now) {
    const running = this.#last && !isFinished(now) ? this.#since(Date.now()) : 0;
    return {
      time: formatClock((this.#spent + running) / 1000),
      pace: this.#spent < LEAST_MS ? '–' : number(Math.round(this.#moves / (this.#spent / 60_000))),
    };
  }

  #since(moment) {
    return Math.min(LONGEST_PAUSE_MS, moment - this.#last);
  }
}
