/** A labelled list to pick from, whose last entry lets one type something else; that of rules. */

import { h, part, render } from './dom.js';
import { text } from './text.js';

const OTHER = '\u0000other';
let count = 0;

/** @typedef {{value: string, text: string, title?: string}} Choice */

/** A select, and in its place a text field while one types what is not in the list. */
export class ChoiceField {
  #choices = [];
  #chosen;
  #isTyping = false;
  #error = '';
  #id = `choice-${++count}`;

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
  constructor({ value = '', ...options }) {
    this.options = { nameOf: (other) => other, ...options };
    this.#chosen = value;
    this.element = part(h('div', { class: 'field choice' }));
    this.#draw();
  }

  /** What is chosen. */
  get value() {
    return this.#chosen;
  }

  set value(value) {
    this.#chosen = value;
    this.#draw();
  }

  /** The list. */
  get select() {
    return this.element.querySelector('select');
  }

  /** @param {Choice[]} choices to pick from */
  setChoices(choices) {
    this.#choices = choices;
    this.#draw();
  }

  /** @param {string} label names the list */
  setLabel(label) {
    if (label === this.options.label) return;
    this.options.label = label;
    this.#draw();
  }

  /** @param {string} message what is wrong with the value; empty if nothing is */
  setError(message) {
    if (message === this.#error) return;
    this.#error = message;
    this.#draw();
  }

  #draw() {
    const { label, otherLabel, otherHint = '', quiet, nameOf } = this.options;
    const [choices, chosen] = [this.#choices, this.#chosen];
    const isOwn = choices.length > 0 && !choices.some(({ value }) => value === chosen);
    const all = [...choices, ...isOwn ? [{ value: chosen, text: nameOf(chosen), title: chosen }] : [],
      { value: OTHER, text: text('picker.other') }];
    const note = `${this.#id}-error`;
    const common = { 'aria-describedby': note, 'aria-invalid': String(this.#error !== '') };
    render(this.element,
      h('label', { for: this.#id, class: quiet ? 'visually-hidden' : '', text: label }),
      h('select', { id: this.#id, class: 'select', hidden: this.#isTyping, ...common, onchange: ({ target }) => this.#selected(target.value) },
        all.map(({ value, title, text: words }) => h('option', { value, title, text: words }))),
      h('input', { type: 'text', class: 'input', 'aria-label': otherLabel, placeholder: otherHint, hidden: !this.#isTyping,
        ...common, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false',
        onblur: ({ target }) => this.#typed(target.value.trim()), onkeydown: (event) => this.#key(event) }),
      h('p', { id: note, class: 'field-error bad', role: 'alert', text: this.#error }));
    this.select.value = choices.length ? chosen : OTHER;
  }

  #selected(value) {
    if (value !== OTHER) return void this.#pick(value);
    this.#isTyping = true;
    this.#draw();
    const input = this.element.querySelector('input');
    input.value = this.#chosen;
    input.focus();
    input.select();
  }

  #typed(value) {
    if (!this.#isTyping) return;
    this.#isTyping = false;
    if (value === this.#chosen) this.#draw();
    else this.#pick(value);
  }

  #key(event) {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    this.#typed(event.key === 'Escape' ? this.#chosen : event.target.value.trim());
    this.select.focus();
  }

  #pick(value) {
    [this.#chosen, this.#error] = [value, ''];
    this.#draw();
    this.options.onPick(value);
  }
}

const SHAPES = ['', '3x3', '3x4', '4x5', '5x5', '6x6', '8x8'];

/** A field for rules; its value is empty for the original ones. */
export class RulesField extends ChoiceField {
  /**
   * @param {object} options
   * @param {string} [options.value]
   * @param {(rules: string) => void} options.onPick
   */
  constructor({ value = '', onPick }) {
    super({
      label: text('picker.rules'), otherLabel: text('picker.rules_text'),
      otherHint: text('picker.rules_example'), value, onPick,
    });
    this.setChoices(SHAPES.map((shape) => ({
      value: shape, text: shape || text('picker.rules_original'),
    })));
  }
}
