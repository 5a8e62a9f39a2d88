/** A game, or a part of it, as an animated picture. */

import { chips, save, selectField } from '../controls.js';
import { button, field, h, part, render } from '../dom.js';
import { formatDuration } from '../figures.js';
import { theme } from '../settings.js';
import { text } from '../text.js';

const USUAL_MOVES = 100;
const USUAL_RATE = 5;
const FORMS = ['gif', 'webp'];

/** Chooses moves, speed and format, has the file made and saves it. */
export class AnimationForm {
  #making = null; // ends the request
  #said = ''; // what came of the last file
  #error = '';

  /**
   * @param {{id: string, first: number, last: number, at: number}} game
   * @param {object} info answer of `/api/pictures`
   */
  constructor(game, info) {
    const from = Math.max(game.first, game.at - USUAL_MOVES);
    Object.assign(this, { game, info, from, to: game.at, rate: USUAL_RATE, form: FORMS[0] });
    this.element = part(h('section', { class: 'stack', 'aria-labelledby': 'share-animation' }));
    this.#draw();
  }

  /** Make nothing more. */
  close() {
    this.#making?.abort();
  }

  #set(how) {
    Object.assign(this, how);
    [this.#said, this.#error] = ['', ''];
    this.#draw();
  }

  #draw() {
    const { from, to, info } = this;
    const wrong = this.#wrong;
    const count = to - from;
    const length = text('share.length', { count, time: formatDuration(count / this.rate) });
    const number = (name) => field(text(`share.${name}`), h('input', {
      id: `share-${name}`, class: 'input number', type: 'number', min: this.game.first, max: this.game.last, step: 1,
      value: String(this[name]), oninput: ({ target }) => this.#set({ [name]: target.valueAsNumber }) }));
    render(this.element,
      h('h3', { id: 'share-animation', text: text('share.animation') }),
      h('div', { class: 'share-fields fit' }, number('from'), number('to'),
        selectField('share-rate', text('play.pace'), info.rates.map((one) => [one, text('watch.speed', { count: one })]),
          this.rate, (rate) => this.#set({ rate: Number(rate) }))),
      chips(text('share.format'), 'share-form', FORMS.map((form) => [form, text(`share.format_${form}`)]), this.form,
        (form) => this.#set({ form })),
      h('p', { class: 'soft small', role: 'status',
        text: this.#making ? text('share.drawing', { count }) : this.#said || (wrong ? '' : length) }),
      h('p', { class: 'field-error', role: 'alert', text: wrong || this.#error }),
      h('div', { class: 'row' },
        button({ icon: 'download', text: text('share.make') }, () => this.#make(),
          { disabled: !info.pixels || Boolean(wrong), 'aria-disabled': this.#making && 'true' }),
        this.#making && [button({ text: text('all.cancel') }, () => this.close(), { key: 'cancel' }),
          h('progress', { 'aria-label': text('share.making') })]));
  }

  get #wrong() {
    const { from, to, info, game: { first, last } } = this;
    if (!(from >= first && to <= last && from < to)) return text('share.range', { first, last });
    return to - from > info.moves ? text('share.most', { count: info.moves }) : '';
  }

  async #make() {
    if (this.#making) return;
    this.#making = new AbortController();
    this.#set({});
    try {
      const answer = await fetch(this.#url, { signal: this.#making.signal });
      if (!answer.ok) throw new Error((await answer.json()).error);
      save(`2048-${this.game.id}.${this.form}`, await answer.blob());
      this.#said = text('share.made');
    } catch (error) {
      if (error.name !== 'AbortError') this.#error = error.message;
    }
    this.#making = null;
    this.#draw();
  }

  get #url() {
    const { from: first, to: last, rate } = this;
    return `/api/games/${this.game.id}/animation.${this.form}?${new URLSearchParams({ first, last, rate, shade: theme() })}`;
  }
}
