/** What lies over the board when the goal is reached, the game is over, or something is reached for the first time. */

import { button, fill, h, part } from '../dom.js';
import { analysisLink } from '../links.js';
import { text } from '../text.js';
import { hasReached } from './live_game.js';

/** After the end of a game its buttons do not react to keys for this time: they meant the game. */
const QUIET_MS = 1000;

/** Keys that press a button. */
const PRESSING = new Set([' ', 'Enter']);

/** An overlay that is empty most of the time. */
export class Overlay {
  #shownAt = 0; // on the clock of events
  #isPressed = false; // whether Space went down on one of its buttons

  constructor() {
    this.element = part(h('div', { class: 'overlay stack', role: 'group', hidden: true,
      onkeydown: (event) => this.#onKeyDown(event), onkeyup: (event) => this.#onKeyUp(event) }));
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
  won(state, now, { keepGoing, newGame }) {
    const facts = text('play.won_facts', { goal: String(state.rules.goal), score: now.score,
      count: now.move_number });
    this.#show('won', text('play.won'), facts, false, [
      button({ text: text('play.keep_going') }, keepGoing, { class: 'primary' }),
      this.#analyse(state), button({ text: text('play.new') }, newGame),
    ]);
  }

  /**
   * No move is left, or the rules stop at the goal.
   *
   * @param {object} state a `game` message
   * @param {object} now where it stands
   * @param {{undo: function(): void, newGame: function(): void}} actions
   */
  over(state, now, { undo, newGame }) {
    const [isStopped, isWon] = [now.status === 'stopped', hasReached(now, state.rules)];
    const title = text(isStopped ? 'play.won' : isWon ? 'play.won_over' : 'play.over',
      { goal: String(state.rules.goal) });
    const facts = text('daily.result_facts', { score: now.score, count: now.move_number,
      tile: String(Math.max(...now.tiles)) });
    const daily = state.daily && h('a', { class: 'button primary',
      href: `/daily?day=${state.daily}`, text: text('daily.result') });
    this.#show(isWon ? 'won' : 'over', title, facts, true, [
      daily, button({ text: text('play.new') }, newGame, { class: daily ? '' : 'primary' }),
      this.#analyse(state),
      now.can_undo && button({ icon: 'undo', text: text('play.undo') }, undo),
    ]);
  }

  /**
   * The time of a time trial is over; the game may go on without it.
   *
   * @param {object} state a `game` message
   * @param {string} facts the result in words
   * @param {{again: function(): void, keepGoing: function(): void}} actions
   */
  timeUp(state, facts, { again, keepGoing }) {
    this.#show('over', text('trial.over'), facts, true, [
      button({ text: text('trial.again') }, again, { class: 'primary' }), this.#analyse(state),
      button({ text: text('play.keep_going') }, keepGoing),
    ]);
  }

  /**
   * Have the link to the analysis lead to a move.
   *
   * @param {string} href
   * @param {string} words
   */
  pointTo(href, words) {
    Object.assign(this.link, { href, textContent: words });
  }

  #analyse({ game }) {
    this.link = h('a', { class: 'button', href: analysisLink({ game }), text: text('play.analyse') });
    return this.link;
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
    this.element.className = `overlay stack ${kind}`;
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

const SECONDS = 3;
const PIECES = 32;
const STILL = window.matchMedia('(prefers-reduced-motion: reduce)');

/** A place over the board, empty most of the time. */
export class Celebration {
  element = h('div', { class: 'celebration', 'aria-hidden': 'true' });
  #timer = null;

  /** @param {string} words */
  show(words) {
    clearTimeout(this.#timer);
    const pieces = STILL.matches ? [] : Array.from({ length: PIECES }, (_, index) => piece(index));
    fill(this.element, pieces, h('p', { class: 'celebration-words', text: words }));
    this.#timer = setTimeout(() => fill(this.element), SECONDS * 1000);
  }
}

/** A small tile that falls. */
function piece(index) {
  const style = { '--left': Math.random(), '--drift': Math.random() - 0.5,
    '--wait': Math.random(), '--turn': Math.random() };
  return h('span', { class: 'celebration-piece', dataset: { exponent: 1 + (index % 11) }, style });
}
