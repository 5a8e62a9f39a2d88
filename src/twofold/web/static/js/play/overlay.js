/** What lies over the board when the goal is reached or the game is over. */

import { button, fill, h } from '../dom.js';
import { text } from '../text.js';

/** An overlay that is empty most of the time. */
export class Overlay {
  constructor() {
    this.element = h('div', { class: 'overlay', hidden: true });
  }

  /** Whether it is there. */
  get isShown() {
    return !this.element.hidden;
  }

  /** Take it away. */
  hide() {
    this.element.hidden = true;
    this.element.replaceChildren();
  }

  /**
   * The goal is reached, and play may go on.
   *
   * @param {number} goal
   * @param {{keepGoing: function(): void, newGame: function(): void}} actions
   */
  won(goal, actions) {
    this.#show('won', `${goal}!`, '', [
      button({ text: text('play.keep_going') }, actions.keepGoing, { class: 'primary' }),
      button({ text: text('play.new') }, actions.newGame),
    ]);
  }

  /**
   * No move is left, or the rules stop at the goal.
   *
   * @param {object} state a `game` message
   * @param {object} now where it stands
   * @param {{undo: function(): void, newGame: function(): void}} actions
   */
  over(state, now, actions) {
    const stopped = now.status === 'stopped';
    const title = stopped ? `${state.rules.goal}!` : text('play.over');
    const facts = text('play.over_facts', { score: now.score, count: now.move_number,
      tile: String(Math.max(...now.tiles)) });
    this.#show(stopped ? 'won' : 'over', title, facts, [
      button({ text: text('play.new') }, actions.newGame, { class: 'primary' }),
      h('a', { class: 'button', href: `/review?game=${state.game}`, text: text('play.review') }),
      now.can_undo && button({ icon: 'undo', text: text('play.undo') }, actions.undo),
    ]);
  }

  #show(kind, title, facts, buttons) {
    this.element.className = `overlay ${kind}`;
    fill(this.element,
      h('p', { class: 'overlay-title', text: title }),
      facts && h('p', { class: 'overlay-facts', text: facts }),
      h('div', { class: 'row overlay-buttons' }, buttons));
    this.element.hidden = false;
  }
}
