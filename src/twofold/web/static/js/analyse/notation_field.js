/** The board as text: to read, to type, to paste, to pass on. */

import { button, h } from '../dom.js';
import { showRefusal } from '../refusals.js';
import { text } from '../text.js';

/** A text field whose text the server reads. */
export class NotationField {
  /**
   * @param {object} actions
   * @param {(words: string) => Promise<object>} actions.onRead finds a position, or rejects with
   *   what is wrong
   * @param {(position: object) => void} actions.onGo called with what was read
   * @param {() => void} actions.onCopy called for a copy of the link
   * @param {() => void} actions.onShare
   */
  constructor({ onRead, onGo, onCopy, onShare }) {
    Object.assign(this, { onRead, onGo });
    this.asked = null; // the text that the server reads
    this.error = h('p', { id: 'analyse-notation-error', class: 'field-error bad', role: 'alert' });
    this.input = h('textarea', {
      id: 'analyse-notation', class: 'textarea mono notation-input', rows: 1, autocomplete: 'off',
      autocapitalize: 'off', spellcheck: 'false', 'aria-describedby': 'analyse-notation-error',
      onchange: () => this.#read(), onpaste: () => setTimeout(() => this.#read()),
      onkeydown: (event) => this.#key(event),
    });
    const copy = button({ icon: 'link', text: text('analyse.copy') }, onCopy);
    this.element = h('div', { class: 'field notation' },
      h('label', { for: 'analyse-notation', text: text('analyse.notation') }),
      h('div', { class: 'notation-row' }, this.input, copy,
        button({ icon: 'share', label: text('share.button') }, onShare)), this.error);
  }

  /**
   * Show a board, unless somebody has typed on since the server was asked to read a text; what it
   * answers from now on is left.
   *
   * @param {string} board its text
   */
  show(board) {
    const isTypedOn = this.asked !== null && this.input.value !== this.asked;
    this.asked = null;
    this.shown = board;
    if (isTypedOn) return;
    this.input.value = board;
    this.#setError(null);
  }

  #key(event) {
    if (event.key === 'Escape') {
      this.asked = null;
      this.show(this.shown);
    }
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    this.#read();
  }

  async #read() {
    const words = this.input.value; // a tab before the rest is an empty cell
    if (words.trim() === this.shown) return;
    this.asked = words;
    try {
      const position = await this.onRead(words);
      if (this.asked === words) this.onGo(position);
    } catch (refused) {
      if (this.asked !== words) return;
      this.asked = null;
      this.#setError(refused);
    }
  }

  #setError(error) {
    showRefusal(this.error, error);
    this.input.setAttribute('aria-invalid', String(error !== null));
  }
}
