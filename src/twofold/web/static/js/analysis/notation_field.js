/** The board as text: to read, to type, to paste. */

import { h } from '../dom.js';
import { showRefusal } from '../refusals.js';
import { text } from '../text.js';

/** A text field whose text the server reads. */
export class NotationField {
  #asked = null; // the text that the server reads

  /**
   * @param {object} actions
   * @param {(words: string) => Promise<object>} actions.onRead finds a position, or rejects with
   *   what is wrong
   * @param {(position: object) => void} actions.onGo called with what was read
   */
  constructor({ onRead, onGo }) {
    Object.assign(this, { onRead, onGo });
    this.error = h('p', { id: 'analyse-notation-error', class: 'field-error bad', role: 'alert' });
    this.input = h('textarea', {
      id: 'analyse-notation', class: 'textarea mono notation-input', rows: 1, autocomplete: 'off',
      autocapitalize: 'off', spellcheck: 'false', 'aria-describedby': 'analyse-notation-error',
      onchange: () => this.#read(), onpaste: () => setTimeout(() => this.#read()),
      onkeydown: (event) => this.#key(event),
    });
    this.element = h('div', { class: 'field' },
      h('label', { for: 'analyse-notation', text: text('analyse.notation') }), this.input, this.error);
  }

  /**
   * Show a position, unless somebody has typed on since the server was asked to read a text; what
   * it answers from now on is left.
   *
   * @param {import('./tree.js').Position} position
   */
  show(position) {
    if (position === this.shown) return;
    const isTypedOn = this.#asked !== null && this.input.value !== this.#asked;
    this.#asked = null;
    this.shown = position;
    if (!isTypedOn) this.#reset();
  }

  #reset() {
    this.input.value = this.shown.board;
    this.#setError(null);
  }

  #key(event) {
    if (event.key === 'Escape') {
      this.#asked = null;
      this.#reset();
    }
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    this.#read();
  }

  async #read() {
    const words = this.input.value; // a tab before the rest is an empty cell
    if (words.trim() === this.shown.board) return;
    this.#asked = words;
    try {
      const position = await this.onRead(words);
      if (this.#asked === words) this.onGo(position);
    } catch (refused) {
      if (this.#asked !== words) return;
      this.#asked = null;
      this.#setError(refused);
    }
  }

  #setError(error) {
    showRefusal(this.error, error);
    this.input.setAttribute('aria-invalid', String(error !== null));
  }
}
