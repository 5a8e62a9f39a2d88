/** A labelled list to pick from, whose last entry lets one type something else. */

import { h } from './dom.js';
import { text } from './text.js';

const OTHER = '\u0000other';
let count = 0;

/** @typedef {{value: string, text: string, title?: string}} Choice */

/** A select, and in its place a text field while one types what is not in the list. */
export class ChoiceField {
  /**
   * @param {object} options
   * @param {string} options.label names the list
   * @param {string} options.otherLabel names the text field
   * @param {string} [options.otherHint] example shown in the empty text field
   * @param {string} [options.value]
   * @param {(value: string) => string} [options.nameOf] how a value that is not in the list is shown
   * @param {(value: string) => void} options.onPick called when a person has chosen
   * @param {boolean} [options.quiet] whether the label is for screen readers alone
   */
  constructor({ label, otherLabel, otherHint = '', value = '', onPick, quiet = false,
    nameOf = (other) => other }) {
    count += 1;
    Object.assign(this, { onPick, nameOf });
    this.picked = value;
    const [id, note] = [`choice-${count}`, `choice-${count}-error`];
    this.label = h('label', { for: id, class: quiet ? 'visually-hidden' : '', text: label });
    this.select = h('select', {
      id, class: 'select', 'aria-describedby': note, onchange: () => this.#selected(),
    });
    this.input = h('input', {
      type: 'text', class: 'input choice-other', 'aria-label': otherLabel, placeholder: otherHint,
      'aria-describedby': note, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false',
      hidden: true, onblur: () => this.#typed(), onkeydown: (event) => this.#key(event),
    });
    this.error = h('p', { id: note, class: 'field-error bad', role: 'alert' });
    this.element = h('div', { class: 'field choice' },
      this.label, this.select, this.input, this.error);
    this.setChoices([]);
  }

  /** What is chosen. */
  get value() {
    return this.picked;
  }

  set value(value) {
    this.picked = value;
    this.#list();
  }

  /** @param {Choice[]} choices to pick from */
  setChoices(choices) {
    this.choices = choices;
    this.#list();
  }

  /** @param {string} label names the list */
  setLabel(label) {
    this.label.textContent = label;
  }

  /** @param {string} message what is wrong with the value; empty if nothing is */
  setError(message) {
    this.error.textContent = message;
    for (const field of [this.select, this.input]) {
      field.setAttribute('aria-invalid', String(message !== ''));
    }
  }

  /** The choices, with the one picked among them, and the last entry for another one. */
  #list() {
    const isKnown = this.choices.some((choice) => choice.value === this.picked);
    const own = isKnown || !this.choices.length ? [] : [this.#own];
    this.select.replaceChildren(
      ...[...this.choices, ...own].map(
        (choice) => h('option', { value: choice.value, title: choice.title }, choice.text)),
      h('option', { value: OTHER }, text('picker.other')),
    );
    this.select.value = this.choices.length ? this.picked : OTHER;
  }

  /** The one picked, where it is none of the list. */
  get #own() {
    return { value: this.picked, text: this.nameOf(this.picked), title: this.picked };
  }

  #selected() {
    if (this.select.value === OTHER) this.#edit(true);
    else this.#pick(this.select.value);
  }

  #edit(isEdited) {
    this.input.hidden = !isEdited;
    this.select.hidden = isEdited;
    if (!isEdited) return;
    this.input.value = this.picked;
    this.input.focus();
    this.input.select();
  }

  #typed() {
    const value = this.input.value.trim();
    this.#edit(false);
    this.#list();
    if (value !== this.picked) this.#pick(value);
  }

  #key(event) {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    if (event.key === 'Escape') this.input.value = this.picked;
    event.preventDefault();
    this.#typed();
    this.select.focus();
  }

  #pick(value) {
    this.picked = value;
    this.#list();
    this.setError('');
    this.onPick(value);
  }
}
