/** What is known about the game: moves, undos, hints, rules, seed. */

import { button, h } from '../dom.js';
import { number, text } from '../text.js';
import { describeRules } from './rules_text.js';

/** A short list under the help. */
export class GameFacts {
  #values = {};

  /** @param {function(): void} onShare */
  constructor(onShare) {
    const names = ['moves', 'undos', 'hints', 'rules', 'seed'];
    for (const name of names) this.#values[name] = h('dd', { class: 'number' });
    this.review = h('a', { class: 'button', text: text('play.review') });
    this.download = h('a', { class: 'button', download: true, text: text('play.download') });
    this.daily = h('p', { hidden: true }, h('a', { href: '/daily', text: text('nav.daily') }));
    /** A row for each fact; others may be added. */
    this.list = h('dl', { class: 'facts' }, names.map((name) => h('div', {},
      h('dt', { text: text(`play.facts_${name}`) }), this.#values[name])));
    this.element = h('section', { class: 'card stack', 'aria-labelledby': 'facts-title' },
      h('h2', { id: 'facts-title', text: text('play.facts') }), this.daily,
      this.list,
      h('div', { class: 'row facts-buttons' }, this.review, this.download,
        button({ icon: 'share', text: text('share.button') }, onShare)));
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
