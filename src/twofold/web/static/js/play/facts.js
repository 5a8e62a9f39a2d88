/** What is known about the game: moves, undos, hints, rules, seed. */

import { h } from '../dom.js';
import { number, text } from '../text.js';
import { describeRules } from './rules_text.js';

/** A short list under the help. */
export class GameFacts {
  #values = {};

  constructor() {
    const names = ['moves', 'undos', 'hints', 'rules', 'seed'];
    for (const name of names) this.#values[name] = h('dd', { class: 'number' });
    this.review = h('a', { class: 'button grow', text: text('play.review') });
    this.download = h('a', { class: 'button grow', download: true, text: text('play.download') });
    this.daily = h('p', { hidden: true }, h('a', { href: '/daily', text: text('nav.daily') }));
    this.element = h('section', { class: 'card stack', 'aria-labelledby': 'facts-title' },
      h('h2', { id: 'facts-title', text: text('play.facts') }), this.daily,
      h('dl', { class: 'facts' }, names.map((name) => h('div', {},
        h('dt', { text: text(`play.facts_${name}`) }), this.#values[name]))),
      h('div', { class: 'row' }, this.review, this.download));
  }

  /** @param {object} state a `game` message */
  state(state) {
    this.#values.rules.textContent = describeRules(state.rules);
    this.#values.seed.textContent = state.seed;
    this.review.href = `/review?game=${state.game}`;
    this.download.href = `/api/games/${state.game}/record`;
    this.daily.hidden = !state.daily;
    this.daily.firstChild.href = `/daily?day=${state.daily}`;
    this.show(state.now);
  }

  /** @param {object} now where it stands */
  show(now) {
    this.#values.moves.textContent = number(now.move_number);
    this.#values.undos.textContent = number(now.undos);
    this.#values.hints.textContent = number(now.hints);
  }
}
