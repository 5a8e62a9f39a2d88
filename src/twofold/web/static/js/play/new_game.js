/** The dialog that begins a game under any rules. */

import { chips, selectField, slider, toggle } from '../controls.js';
import { openDialog } from '../dialog.js';
import { button, h, render } from '../dom.js';
import { text } from '../text.js';

/** What the dialog asks for; `fours` is the share of fours in percent. These are the original rules. */
const ORIGINAL = { rows: 4, cols: 4, goal: 2048, fours: 10, start: 2, stop: false };

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

/** The form that would make some rules, as far as it can. */
function formOf({ rows, cols, goal, spawn, start_tiles: start, stop_at_goal: stop }) {
  const total = spawn.reduce((sum, [, weight]) => sum + weight, 0);
  const fours = spawn.find(([tile]) => tile === 4)?.[1] ?? 0;
  return { rows, cols, goal, start, stop, fours: Math.round((100 * fours) / total) };
}

/** The text of the rules. */
function formatRules({ rows, cols, goal, fours, start, stop }) {
  const spawn = fours <= 0 ? '2:1' : fours >= 100 ? '4:1' : `2:${(100 - fours) / 100},4:${fours / 100}`;
  return `${rows}x${cols} spawn=${spawn} start=${start} goal=${goal} stop=${stop ? 'goal' : 'never'}`;
}

/**
 * Ask for rules and a seed.
 *
 * @param {object} [rules] a `RulesInfo`, shown at first
 * @param {function({rules: string, seed: string}): Promise<void>} begin rejects with a sentence
 */
export function askNewGame(rules, begin) {
  let form = fitted(rules ? formOf(rules) : ORIGINAL);
  let refused = null;
  const place = h('form', { id: 'new-game', class: 'stack', onsubmit: (event) => {
    event.preventDefault();
    begin({ rules: formatRules(form), seed: place.elements.seed.value.trim() })
      .then(() => dialog.close(), (error) => { refused = error; change({}); });
  } });
  const change = (values) => {
    form = fitted({ ...form, ...values });
    render(place, rulesFields(form, change),
      h('p', { class: 'error', role: 'alert', text: refused?.message ?? '', title: refused?.detail ?? '' }),
      h('p', { class: 'small soft' }, h('a', { href: '/daily', text: text('nav.daily'), onclick: () => dialog.close() }), ' ',
        text('daily.new_note')));
  };
  change({});
  const dialog = openDialog({
    title: text('play.new'),
    body: place,
    foot: [
      button({ text: text('all.cancel') }, () => dialog.close()),
      h('button', { type: 'submit', form: 'new-game', class: 'button primary', text: text('play.begin') }),
    ],
  });
}

/** The fields of the rules, with presets that fill them. */
function rulesFields(form, change) {
  const range = (name, attributes) => slider(`new-${name}`, text(`play.${name}`),
    name === 'fours' ? text('all.percent', { value: form[name] }) : String(form[name]),
    { ...attributes, value: String(form[name]) }, (value) => change({ [name]: value }));
  const goals = Array.from({ length: largestGoal(form) - LEAST_GOAL + 1 }, (_, index) => 2 ** (index + LEAST_GOAL));
  const presets = Object.keys(PRESETS).map((name) => [name, text(`play.preset_${name}`)]);
  const chosen = Object.keys(PRESETS).find((name) => formatRules(PRESETS[name]) === formatRules(form));
  return h('div', { class: 'stack' },
    chips(text('play.presets'), 'preset', presets, chosen, (name) => change(PRESETS[name]), true),
    h('div', { class: 'shape-fields' },
      h('div', { class: 'shape-preview', 'aria-hidden': 'true', style: { '--rows': form.rows, '--cols': form.cols } },
        Array.from({ length: form.rows * form.cols }, () => h('span'))),
      h('div', { class: 'stack tight' }, range('rows', { min: 1, max: 8 }), range('cols', { min: 1, max: 8 }))),
    h('div', { class: 'two-fields fit' },
      selectField('new-goal', text('play.goal'), goals.map((goal) => [goal, String(goal)]), form.goal,
        (goal) => change({ goal: Number(goal) })),
      range('fours', { min: 0, max: 100, step: 5 }), range('start', { min: 1, max: 8 }),
      toggle(text('play.stop'), form.stop, (stop) => change({ stop }))),
    h('div', { class: 'field' }, h('label', { for: 'new-seed', text: text('play.seed') }),
      h('input', { id: 'new-seed', name: 'seed', type: 'text', inputmode: 'numeric', autocomplete: 'off',
        placeholder: text('play.seed_random'), 'aria-describedby': 'new-seed-note' }),
      h('p', { class: 'note', id: 'new-seed-note', text: text('play.seed_note') })));
}
