/** How long one has played a game, and how fast. */

import { h, setText } from '../dom.js';
import { formatClock } from '../figures.js';
import { remember, remembered } from '../memory.js';
import { number, text } from '../text.js';
import { isFinished } from './intents.js';

const KEY = 'twofold.clock';

/** Longer pauses count as this long: nobody plays all the time that a page is open. */
const LONGEST_PAUSE_MS = 30_000;
const LEAST_MS = 3000; // before it there is no pace
const TICK_MS = 500;

/** Two rows among the facts of a game. */
export class Clock {
  #game = '';
  #spent = 0; // milliseconds between moves
  #moves = 0;
  #last = 0; // when the last move was made; 0 before the first
  #isOver = false;

  /**
   * @param {import('./live_game.js').LiveGame} live
   * @param {HTMLElement} facts a description list
   */
  constructor(live, facts) {
    this.time = h('dd', { class: 'number' });
    this.pace = h('dd', { class: 'number' });
    this.rows = [['time', this.time], ['pace', this.pace]].map(([name, value]) => h('div', {},
      h('dt', { text: text(`clock.${name}`) }), value));
    facts.append(...this.rows);
    this.timer = setInterval(() => this.#show(), TICK_MS);
  }

  /** @param {object} state a `game` message */
  state({ game, was, now }) {
    if (game !== this.#game && !(was && was === this.#game)) this.#recall(game);
    this.#game = game;
    this.#isOver = isFinished(now);
    this.#show();
  }

  /** @param {object} step a `step` message */
  step({ by, now }) {
    if (by) return;
    const moment = Date.now();
    if (this.#last) {
      this.#spent += this.#since(moment);
      this.#moves += 1;
    }
    this.#last = moment;
    this.#isOver = isFinished(now);
    remember(KEY, JSON.stringify({ game: this.#game, spent: this.#spent, moves: this.#moves }));
    this.#show();
  }

  close() {
    clearInterval(this.timer);
    for (const row of this.rows) row.remove();
  }

  /** A page that is loaded anew goes on counting. */
  #recall(game) {
    const kept = JSON.parse(remembered(KEY) || '{}');
    const isSame = kept.game === game;
    this.#spent = isSame ? kept.spent : 0;
    this.#moves = isSame ? kept.moves : 0;
    this.#last = 0;
  }

  #since(moment) {
    return Math.min(LONGEST_PAUSE_MS, moment - this.#last);
  }

  #show() {
    const running = this.#last && !this.#isOver ? this.#since(Date.now()) : 0;
    setText(this.time, formatClock((this.#spent + running) / 1000));
    setText(this.pace, this.#spent < LEAST_MS ? '–'
      : number(Math.round(this.#moves / (this.#spent / 60_000))));
  }
}
