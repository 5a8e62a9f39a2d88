/** A game, or a part of it, as an animated picture. */

import { button, field, h } from '../dom.js';
import { formatDuration } from '../figures.js';
import { theme } from '../look.js';
import { text } from '../text.js';

const USUAL_MOVES = 100;
const USUAL_RATE = 5;
const FORMS = ['gif', 'webp'];

/** Chooses moves, speed and format, has the file made and saves it. */
export class AnimationForm {
  #making = null; // ends the request

  /**
   * @param {{id: string, first: number, last: number, at: number}} game
   * @param {object} info answer of `/api/pictures`
   */
  constructor(game, info) {
    Object.assign(this, { game, info });
    this.from = this.#numberField('share-from', Math.max(game.first, game.at - USUAL_MOVES));
    this.to = this.#numberField('share-to', game.at);
    this.rate = h('select', { id: 'share-rate', onchange: () => this.#check() }, info.rates.map(
      (count) => h('option', { value: count, text: text('watch.speed', { count }),
        selected: count === USUAL_RATE })));
    this.form = FORMS[0];
    this.length = h('p', { class: 'soft small', id: 'share-length', role: 'status' });
    this.error = h('p', { class: 'field-error', role: 'alert' });
    this.bar = h('progress', { 'aria-label': text('share.making'), hidden: true });
    this.make = button({ icon: 'download', text: text('share.make') }, () => this.#make());
    this.cancel = button({ text: text('all.cancel') }, () => this.close(), { hidden: true });
    this.element = this.#build();
    this.#check();
  }

  /** Make nothing more. */
  close() {
    this.#making?.abort();
  }

  #build() {
    return h('section', { class: 'stack', 'aria-labelledby': 'share-animation' },
      h('h3', { id: 'share-animation', text: text('share.animation') }),
      h('div', { class: 'share-fields' },
        field(text('share.from'), this.from), field(text('share.to'), this.to),
        field(text('play.pace'), this.rate)),
      h('fieldset', { class: 'field' }, h('legend', { text: text('share.format') }),
        h('div', { class: 'chips' }, FORMS.map((form) => h('label', { class: 'chip' },
          h('input', { type: 'radio', name: 'share-form', checked: form === this.form,
            onchange: () => { this.form = form; } }), text(`share.format_${form}`))))),
      this.length, this.error,
      h('div', { class: 'row' }, this.make, this.cancel, this.bar));
  }

  #numberField(id, value) {
    const { first, last } = this.game;
    return h('input', { id, class: 'input number', type: 'number', min: first, max: last, step: 1,
      value, oninput: () => this.#check() });
  }

  /** Say how long it is, or what is wrong with it. */
  #check() {
    const [from, to] = [this.from.valueAsNumber, this.to.valueAsNumber];
    const { first, last } = this.game;
    const isOutside = !(from >= first && to <= last && from < to);
    const isLong = to - from > this.info.moves;
    this.error.textContent = isOutside ? text('share.range', { first, last })
      : isLong ? text('share.most', { count: this.info.moves }) : '';
    this.length.textContent = this.error.textContent ? '' : text('share.length',
      { count: to - from, time: formatDuration((to - from) / Number(this.rate.value)) });
    this.make.disabled = !this.info.pixels || isOutside || isLong;
  }

  async #make() {
    this.#making = new AbortController();
    this.#show(true);
    try {
      await save(this.#url(), `2048-${this.game.id}.${this.form}`, this.#making.signal);
      this.length.textContent = text('share.made');
    } catch (error) {
      if (error.name !== 'AbortError') this.error.textContent = error.message;
    }
    this.#show(false);
  }

  #show(making) {
    this.error.textContent = '';
    this.bar.hidden = this.cancel.hidden = !making;
    this.make.disabled = making;
    const count = this.to.valueAsNumber - this.from.valueAsNumber;
    if (making) this.length.textContent = text('share.drawing', { count });
  }

  #url() {
    const query = new URLSearchParams({ first: this.from.value, last: this.to.value,
      rate: this.rate.value, shade: theme() });
    return `/api/games/${this.game.id}/animation.${this.form}?${query}`;
  }
}

/** Fetch a file and have the browser keep it. */
async function save(url, name, signal) {
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw new Error((await answer.json()).error);
  const address = URL.createObjectURL(await answer.blob());
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
