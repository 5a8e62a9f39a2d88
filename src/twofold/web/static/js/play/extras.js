/** What some people want beside a game: sounds, a clock, a time trial. Loaded if wanted. */

import { remembered } from '../memory.js';
import { settings } from '../settings.js';

/** Tab memory of the time trial. */
export const TRIAL_KEY = 'twofold.trial';

const LOADERS = {
  feedback: async (live) => new (await import('./feedback.js')).Feedback(live),
  clock: async (live, page) => new (await import('./clock.js')).Clock(live, page.facts),
  trial: async (live, page) => new (await import('./trial.js')).Trial(live, page),
};

/** Parts that hear of the game; each has `state`, `step` and `close`. */
export class PlayExtras {
  #parts = {};
  #offs;

  /**
   * @param {import('./live_game.js').LiveGame} live
   * @param {{overlay: import('./overlay.js').Overlay, facts: HTMLElement, above: HTMLElement,
   *   keepGoing: function(): void, newGame: function(): Promise<void>}} page
   */
  constructor(live, page) {
    Object.assign(this, { live, page });
    this.#offs = ['sounds', 'clock'].map((name) => settings.on(name, () => this.#load()));
    this.#load();
    if (remembered(TRIAL_KEY)) this.#use('trial');
  }

  /** @param {object} state a `game` message */
  state(state) {
    for (const part of Object.values(this.#parts)) part.state(state);
  }

  /** @param {object} step a `step` message */
  step(step) {
    for (const part of Object.values(this.#parts)) part.step(step);
  }

  /**
   * Begin a time trial in the game that was just begun.
   *
   * @param {boolean} seeded whether its seed was chosen
   */
  async beginTrial(seeded) {
    (await this.#use('trial'))?.begin(seeded);
  }

  /** End all. */
  close() {
    for (const off of this.#offs) off();
    for (const name of Object.keys(this.#parts)) this.#drop(name);
    this.isClosed = true;
  }

  #load() {
    this.#want('feedback', settings.get('sounds'));
    this.#want('clock', settings.get('clock'));
  }

  #want(name, wanted) {
    if (wanted) this.#use(name);
    else this.#drop(name);
  }

  async #use(name) {
    if (this.#parts[name]) return this.#parts[name];
    const part = await LOADERS[name](this.live, this.page);
    if (this.isClosed || this.#parts[name]) return this.#parts[name];
    this.#parts[name] = part;
    if (this.live.state) part.state(this.live.state);
    return part;
  }

  #drop(name) {
    this.#parts[name]?.close();
    delete this.#parts[name];
  }
}
