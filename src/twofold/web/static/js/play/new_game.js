/** The dialog that begins a game under any rules. */

import { openDialog } from '../dialog.js';
import { button, field, h } from '../dom.js';
import { showRefusal } from '../refusals.js';
import { text } from '../text.js';
import { ORIGINAL, formatRules } from './rules_text.js';

const PRESETS = {
  original: ORIGINAL,
  quick: { ...ORIGINAL, goal: 64 },
  three: { ...ORIGINAL, rows: 3, cols: 3, goal: 256 },
  oblong: { ...ORIGINAL, rows: 3, cols: 4, goal: 1024 },
  five: { ...ORIGINAL, rows: 5, cols: 5, goal: 8192 },
};

const LEAST_GOAL = 2; // exponents
const LARGEST_GOAL = 20;

/** The largest exponent that a board can hold: a chain down to the largest new tile. */
function largestGoal({ rows, cols, fours }) {
  return Math.max(LEAST_GOAL, Math.min(LARGEST_GOAL, rows * cols + (fours > 0 ? 1 : 0)));
}

/**
 * Ask for rules and a seed.
 *
 * @param {import('./rules_text.js').RulesForm} first what the form shows at first
 * @param {function({rules: string, seed: string, trial: boolean}): Promise<void>} begin rejects with a sentence
 */
export function askNewGame(first, begin) {
  const form = new RulesFields(first);
  const error = h('p', { class: 'error', role: 'alert' });
  const submit = async (event) => {
    event?.preventDefault();
    try {
      await begin({ rules: formatRules(form.values), seed: form.seed, trial: form.trial });
      dialog.close();
    } catch (refused) {
      showRefusal(error, refused);
    }
  };
  const daily = h('p', { class: 'small soft' }, h('a', { href: '/daily', text: text('nav.daily'),
    onclick: () => dialog.close() }), ' ', text('daily.new_note'));
  const body = h('form', { id: 'new-game', class: 'stack', onsubmit: submit }, form.element, error,
    daily);
  const dialog = openDialog({
    title: text('play.new'),
    body,
    foot: [
      button({ text: text('all.cancel') }, () => dialog.close()),
      h('button',
        { type: 'submit', form: 'new-game', class: 'button primary', text: text('play.begin') }),
    ],
  });
}

/** The fields of the rules, with presets that fill them. */
class RulesFields {
  constructor(first) {
    const changed = () => this.#changed();
    this.rows = slider('play.rows', { min: 1, max: 8 }, changed);
    this.cols = slider('play.cols', { min: 1, max: 8 }, changed);
    this.fours = slider('play.fours', { min: 0, max: 100, step: 5 }, changed, 'all.percent');
    this.start = slider('play.start', { min: 1, max: 8 }, changed);
    this.goal = h('select', { id: 'new-goal', onchange: changed }, goals());
    this.stop = h('input',
      { type: 'checkbox', class: 'switch', role: 'switch', onchange: changed });
    this.seedInput = h('input', { id: 'new-seed', type: 'text', inputmode: 'numeric',
      autocomplete: 'off', placeholder: text('play.seed_random'),
      'aria-describedby': 'new-seed-note' });
    this.presets = Object.entries(PRESETS).map(([name, values]) => this.#preset(name, values));
    this.preview = h('div', { class: 'shape-preview', 'aria-hidden': 'true' });
    this.element = this.#build();
    this.#fill(first);
  }

  /** What the fields say. */
  get values() {
    return { rows: this.rows.value, cols: this.cols.value, goal: Number(this.goal.value),
      fours: this.fours.value, start: this.start.value, stop: this.stop.checked };
  }

  /** The seed; empty for a random one. */
  get seed() {
    return this.seedInput.value.trim();
  }

  /** Whether it is a time trial. */
  get trial() {
    return this.trialInput.checked;
  }

  #build() {
    this.trialInput = h('input', { type: 'checkbox', class: 'switch', role: 'switch' });
    return h('div', { class: 'stack' },
      h('fieldset', { class: 'field' }, h('legend', { text: text('play.presets') }),
        h('div', { class: 'chips' }, this.presets.map(({ element }) => element))),
      h('div', { class: 'shape-fields' }, this.preview,
        h('div', { class: 'stack tight' }, this.rows.element, this.cols.element)),
      h('div', { class: 'two-fields' },
        field(text('play.goal'), this.goal), this.fours.element,
        this.start.element,
        h('label', { class: 'check' }, this.stop, text('play.stop'))),
      h('div', { class: 'field' }, h('label', { for: 'new-seed', text: text('play.seed') }),
        this.seedInput,
        h('p', { class: 'note', id: 'new-seed-note', text: text('play.seed_note') })),
      h('label', { class: 'check' }, this.trialInput, text('trial.begin')));
  }

  #preset(name, values) {
    const input = h('input', { type: 'radio', name: 'preset', onchange: () => this.#fill(values) });
    const element = h('label', { class: 'chip' }, input, text(`play.preset_${name}`));
    return { element, input, rules: formatRules(values) };
  }

  #fill({ rows, cols, goal, fours, start, stop }) {
    Object.assign(this.rows, { value: rows });
    Object.assign(this.cols, { value: cols });
    Object.assign(this.fours, { value: fours });
    Object.assign(this.start, { value: start });
    this.goal.value = String(goal);
    this.stop.checked = stop;
    this.#changed();
  }

  #changed() {
    if (this.rows.value * this.cols.value < 2) this.cols.value = 2;
    this.start.value = Math.min(this.start.value, this.rows.value * this.cols.value);
    this.#limitGoal();
    const rules = formatRules(this.values);
    for (const { input, ...preset } of this.presets) {
      input.checked = preset.rules === rules;
      input.autofocus = input.checked;
    }
    this.#showShape();
  }

  /** Offer the goals that the board can reach, and no others. */
  #limitGoal() {
    const most = 2 ** largestGoal(this.values);
    for (const option of this.goal.options) {
      option.hidden = option.disabled = Number(option.value) > most;
    }
    if (Number(this.goal.value) > most) this.goal.value = String(most);
  }

  #showShape() {
    const { rows, cols } = this.values;
    this.preview.style.setProperty('--rows', rows);
    this.preview.style.setProperty('--cols', cols);
    this.preview.replaceChildren(...Array.from({ length: rows * cols }, () => h('span')));
  }
}

/** A slider with its value beside its name. */
function slider(key, range, onInput, unitKey = '') {
  const id = `new-${key.replace('.', '-')}`;
  const output = h('output', { for: id, class: 'number' });
  const input = h('input', { id, type: 'range', step: 1, ...range,
    oninput: () => { show(); onInput(); } });
  const show = () => {
    output.textContent = unitKey ? text(unitKey, { value: Number(input.value) }) : input.value;
    if (unitKey) input.setAttribute('aria-valuetext', output.textContent);
  };
  return {
    element: h('div', { class: 'field' },
      h('span', { class: 'row apart label' }, h('label', { for: id, text: text(key) }), output),
      input),
    get value() { return Number(input.value); },
    set value(value) { input.value = value; show(); },
  };
}

function goals() {
  return Array.from({ length: LARGEST_GOAL - LEAST_GOAL + 1 }, (_, index) => {
    const tile = String(2 ** (index + LEAST_GOAL));
    return h('option', { value: tile, text: tile });
  });
}
