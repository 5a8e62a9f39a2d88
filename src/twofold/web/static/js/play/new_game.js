/** The dialog that begins a game under any rules. */

import { openDialog } from '../dialog.js';
import { button, field, h, part, render } from '../dom.js';
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

/** The form with a board of two cells at least, and no more tiles and no larger goal than it holds. */
function fitted(form) {
  const cols = form.rows * form.cols < 2 ? 2 : form.cols;
  return { ...form, cols, start: Math.min(form.start, form.rows * cols),
    goal: Math.min(form.goal, 2 ** largestGoal({ ...form, cols })) };
}

/**
 * Ask for rules and a seed.
 *
 * @param {import('./rules_text.js').RulesForm} first what the form shows at first
 * @param {function({rules: string, seed: string, trial: boolean}): Promise<void>} begin rejects with a sentence
 */
export function askNewGame(first, begin) {
  let form = fitted({ ...first, seed: '', trial: false });
  const error = part(h('p', { class: 'error', role: 'alert' }));
  const place = h('form', { id: 'new-game', class: 'stack', onsubmit: (event) => {
    event.preventDefault();
    begin({ rules: formatRules(form), seed: form.seed.trim(), trial: form.trial })
      .then(() => dialog.close(), (refused) => showRefusal(error, refused));
  } });
  const daily = h('p', { class: 'small soft' }, h('a', { href: '/daily', text: text('nav.daily'),
    onclick: () => dialog.close() }), ' ', text('daily.new_note'));
  const change = (values) => {
    form = fitted({ ...form, ...values });
    render(place, rulesFields(form, change), error, daily);
  };
  change({});
  const dialog = openDialog({
    title: text('play.new'),
    body: place,
    foot: [
      button({ text: text('all.cancel') }, () => dialog.close()),
      h('button',
        { type: 'submit', form: 'new-game', class: 'button primary', text: text('play.begin') }),
    ],
  });
}

/** The fields of the rules, with presets that fill them. */
function rulesFields(form, change) {
  const slider = (name, range) => rangeField(name, form[name], range, change);
  const toggle = (name, words) => h('label', { class: 'check' }, h('input', { type: 'checkbox',
    class: 'switch', role: 'switch', checked: form[name],
    onchange: (event) => change({ [name]: event.target.checked }) }), words);
  const goals = Array.from({ length: largestGoal(form) - LEAST_GOAL + 1 },
    (_, index) => 2 ** (index + LEAST_GOAL));
  return h('div', { class: 'stack' },
    h('fieldset', { class: 'field' }, h('legend', { text: text('play.presets') }),
      h('div', { class: 'chips' },
        Object.entries(PRESETS).map(([name, values]) => preset(name, values, form, change)))),
    h('div', { class: 'shape-fields' },
      h('div', { class: 'shape-preview', 'aria-hidden': 'true',
        style: { '--rows': form.rows, '--cols': form.cols } },
      Array.from({ length: form.rows * form.cols }, () => h('span'))),
      h('div', { class: 'stack tight' },
        slider('rows', { min: 1, max: 8 }), slider('cols', { min: 1, max: 8 }))),
    h('div', { class: 'two-fields' },
      field(text('play.goal'), h('select', { id: 'new-goal',
        onchange: (event) => change({ goal: Number(event.target.value) }) },
      goals.map((goal) => h('option', { key: goal, value: String(goal), text: String(goal),
        selected: goal === form.goal })))),
      slider('fours', { min: 0, max: 100, step: 5 }),
      slider('start', { min: 1, max: 8 }),
      toggle('stop', text('play.stop'))),
    h('div', { class: 'field' }, h('label', { for: 'new-seed', text: text('play.seed') }),
      h('input', { id: 'new-seed', type: 'text', inputmode: 'numeric', autocomplete: 'off',
        placeholder: text('play.seed_random'), 'aria-describedby': 'new-seed-note',
        oninput: (event) => { form.seed = event.target.value; } }),
      h('p', { class: 'note', id: 'new-seed-note', text: text('play.seed_note') })),
    toggle('trial', text('trial.begin')));
}

function preset(name, values, form, change) {
  const isChosen = formatRules(values) === formatRules(form);
  return h('label', { class: 'chip' }, h('input', { type: 'radio', name: 'preset',
    checked: isChosen, autofocus: isChosen, onchange: () => change(values) }),
  text(`play.preset_${name}`));
}

/** A slider with its value beside its name. */
function rangeField(name, value, range, change) {
  const id = `new-${name}`;
  const words = name === 'fours' ? text('all.percent', { value }) : String(value);
  return h('div', { class: 'field' },
    h('span', { class: 'row apart label' }, h('label', { for: id, text: text(`play.${name}`) }),
      h('output', { for: id, class: 'number', text: words })),
    h('input', { id, type: 'range', step: 1, ...range, value: String(value), 'aria-valuetext': words,
      oninput: (event) => change({ [name]: Number(event.target.value) }) }));
}
