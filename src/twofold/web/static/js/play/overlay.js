/** What lies over the board when the goal is reached or the game is over. */

import { button, fill, h } from '../dom.js';
import { text } from '../text.js';

/** An overlay that is empty most of the time. */
export class Overlay {
  constructor() {
    this.element = h('div', { class: 'overlay', role: 'group', hidden: true });
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
   * @param {object} state a `game` message
   * @param {object} now where it stands
   * @param {{keepGoing: function(): void, newGame: function(): void}} actions
   */
  won(state, now, actions) {
    const facts = text('play.won_facts', { goal: String(state.rules.goal), score: now.score,
      count: now.move_number });
    this.#show('won', text('play.won'), facts, false, [
      button({ text: text('play.keep_going') }, actions.keepGoing, { class: 'primary' }),
      h('a', { class: 'button', href: `/review?game=${state.game}`, text: text('play.review') }),
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
    const title = text(stopped ? 'play.won' : 'play.over');
    const facts = text('play.over_facts', { score: now.score, count: now.move_number,
      tile: String(Math.max(...now.tiles)) });
    const daily = state.daily && h('a', { class: 'button primary',
      href: `/daily?day=${state.daily}`, text: text('daily.result') });
    this.#show(stopped ? 'won' : 'over', title, facts, true, [
      daily || button({ text: text('play.new') }, actions.newGame, { class: 'primary' }),
      h('a', { class: 'button', href: `/review?game=${state.game}`, text: text('play.review') }),
      daily && button({ text: text('play.new') }, actions.newGame),
      now.can_undo && button({ icon: 'undo', text: text('play.undo') }, actions.undo),
    ]);
  }

  /**
   * The time of a time trial is over; the game may go on without it.
   *
   * @param {object} state a `game` message
   * @param {string} facts the result in words
   * @param {{again: function(): void, keepGoing: function(): void}} actions
   */
  timeUp(state, facts, actions) {
    this.#show('over', text('trial.over'), facts, true, [
      button({ text: text('trial.again') }, actions.again, { class: 'primary' }),
      h('a', { class: 'button', href: `/review?game=${state.game}`, text: text('play.review') }),
      button({ text: text('play.keep_going') }, actions.keepGoing),
    ]);
  }

  #show(kind, title, facts, ended, buttons) {
    this.element.className = `overlay ${kind}`;
    this.element.dataset.ended = String(ended);
    this.element.setAttribute('aria-label', title);
    fill(this.element,
      h('p', { class: 'overlay-title', text: title }),
      facts && h('p', { class: 'overlay-facts', text: facts }),
      h('div', { class: 'row overlay-buttons' }, buttons));
    this.element.hidden = false;
    this.element.querySelector('.button').focus({ preventScroll: true });
  }
}
