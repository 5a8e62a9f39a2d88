/** What lies over the board when the goal is reached or the game is over. */

import { button, fill, h } from '../dom.js';
import { text } from '../text.js';
import { hasReached } from './intents.js';

/** After the end of a game its buttons do not react to keys for this time: they meant the game. */
const QUIET_MS = 1000;

/** Keys that press a button. */
const PRESSING = new Set([' ', 'Enter']);

/** An overlay that is empty most of the time. */
export class Overlay {
  #shownAt = 0; // on the clock of events
  #isPressed = false; // whether Space went down on one of its buttons

  constructor() {
    this.element = h('div', { class: 'overlay', role: 'group', hidden: true,
      onkeydown: (event) => this.#onKeyDown(event), onkeyup: (event) => this.#onKeyUp(event) });
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
    const [stopped, won] = [now.status === 'stopped', hasReached(now, state.rules)];
    const title = text(stopped ? 'play.won' : won ? 'play.won_over' : 'play.over',
      { goal: String(state.rules.goal) });
    const facts = text('daily.result_facts', { score: now.score, count: now.move_number,
      tile: String(Math.max(...now.tiles)) });
    const daily = state.daily && h('a', { class: 'button primary',
      href: `/daily?day=${state.daily}`, text: text('daily.result') });
    this.#show(won ? 'won' : 'over', title, facts, true, [
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

  /** A key that is held, or that was pressed too early, presses nothing. */
  #onKeyDown(event) {
    if (!this.#isGuarded(event)) return;
    const isLate = event.timeStamp >= this.#shownAt + QUIET_MS;
    if (event.repeat || !isLate) event.preventDefault();
    else this.#isPressed = true;
  }

  /** A button is pressed when Space goes up: it must have gone down here. */
  #onKeyUp(event) {
    if (this.#isGuarded(event) && !this.#isPressed) event.preventDefault();
    this.#isPressed = false;
  }

  #isGuarded({ key }) {
    return PRESSING.has(key) && this.element.dataset.ended === 'true';
  }

  #show(kind, title, facts, ended, buttons) {
    this.#shownAt = performance.now();
    this.#isPressed = false;
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
