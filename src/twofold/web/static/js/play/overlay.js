/** What lies over the board when the goal is reached, or the game is over. */

import { button, fill, h, part } from '../dom.js';
import { analysisLink } from '../links.js';
import { text } from '../text.js';
import { hasReached } from './live_game.js';

/** After the end of a game its buttons do not react for this time: keys meant the game. */
const QUIET_MS = 1000;

/** An overlay that is empty most of the time. */
export class Overlay {
  #timer = null;

  constructor() {
    this.element = part(h('div', { class: 'overlay stack', role: 'group', hidden: true,
      onkeydown: (event) => event.repeat && event.preventDefault() })); // a key that is held presses nothing
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

  #show(kind, title, facts, isEnd, buttons) {
    Object.assign(this.element, { className: `overlay stack ${kind}`, ariaLabel: title, hidden: false });
    fill(this.element,
      h('p', { class: 'overlay-title', text: title }),
      h('p', { class: 'overlay-facts', text: facts }),
      h('div', { class: 'row overlay-buttons' }, buttons));
    this.#rest(isEnd);
    clearTimeout(this.#timer);
    if (isEnd) this.#timer = setTimeout(() => this.#rest(false), QUIET_MS);
  }

  #rest(isResting) {
    this.element.inert = isResting;
    if (!isResting && this.isShown) this.element.querySelector('.button').focus({ preventScroll: true });
  }
}
