/** What stands beside a game, loaded after its first picture: help, ending, clock, sounds, trial. */

import { Clock } from './clock.js';
import { Ending } from './ending.js';
import { Feedback } from './feedback.js';
import { HelpPanel } from './help.js';
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
