/** Where something to analyse comes from: the saved games, a file, pasted text, a link. */

import { button, h, part, render } from '../dom.js';
import { SavedList } from '../games/saved_list.js';
import { text } from '../text.js';

/** A list of games, and fields for others. */
export class Chooser {
  #isPasting = false;
  #isBusy = false;
  #error = null;

  /**
   * @param {object} actions
   * @param {(words: string) => Promise<void>} actions.onText called with what was pasted
   * @param {(file: File) => Promise<void>} actions.onFile
   * @param {(game: string) => void} actions.onGame called with the id of a saved game
   */
  constructor({ onText, onFile, onGame }) {
    Object.assign(this, { onText, onFile });
    this.list = new SavedList({ open: onGame });
    part(this.list.element);
    this.element = part(h('section', { class: 'stack', 'aria-labelledby': 'chooser-title' }));
    this.#draw();
    this.list.show();
  }

  /** Ask no more. */
  close() {
    this.list.close();
  }

  async #try(work) {
    [this.#isBusy, this.#error] = [true, null];
    this.#draw();
    await work.catch((error) => { this.#error = error; });
    this.#isBusy = false;
    this.#draw();
  }

  #draw() {
    const area = () => this.element.querySelector('textarea');
    const paste = () => {
      this.#isPasting = !this.#isPasting;
      this.#draw();
      area()?.focus();
    };
    render(this.element,
      h('h2', { id: 'chooser-title', text: text('analyse.open') }),
      h('input', { type: 'file', class: 'visually-hidden', tabindex: -1, 'aria-hidden': 'true',
        accept: '.2048,.jsonl,.txt,.json,.rpl,.vrs,text/plain,application/json',
        onchange: ({ target }) => target.files[0] && this.#try(this.onFile(target.files[0])) }),
      h('div', { key: 'sources', class: 'row' },
        button({ icon: 'upload', text: text('review.open') }, () => this.element.querySelector('[type=file]').click()),
        button({ icon: 'edit', text: text('review.paste') }, paste, { 'aria-expanded': String(this.#isPasting) })),
      this.#isPasting && h('div', { key: 'paste', class: 'stack' },
        h('label', { class: 'visually-hidden', for: 'analysis-paste', text: text('review.paste_label') }),
        h('textarea', { class: 'textarea mono', id: 'analysis-paste', rows: 3, spellcheck: 'false',
          placeholder: text('review.paste_hint') }),
        h('div', null, button({ icon: 'analyse', text: text('analyse.go') }, () => this.#try(this.onText(area().value))))),
      h('p', { class: 'soft', role: 'status', text: this.#isBusy ? text('review.reading') : '' }),
      h('p', { class: 'error', role: 'alert', text: this.#error?.message ?? '', title: this.#error?.detail ?? '' }),
      h('p', { class: 'soft small', text: text('review.file_hint') }),
      this.list.element);
  }
}
