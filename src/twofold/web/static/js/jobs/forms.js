/** The fields of each kind of job, with values that are done within a minute or two. */

import { ChoiceField } from '../choice_field.js';
import { button, field, fill, h } from '../dom.js';
import { net } from '../net.js';
import { PlayerPicker } from '../player_picker.js';
import { RulesField } from '../rules_field.js';
import { text } from '../text.js';

const FIRST_PLAYERS = ['fast', 'expectimax', 'greedy'];
const GAMES = 100;
const TIMES = [60, 300, 1800, 3600, 14_400, 28_800, 86_400];
const TABLES = ['442-64', '442-256', '443-256/8-64', '442-512/32-128', '443-512'];
const SCHEDULES = ['tc', 'td', 'td:0.1@90%,tc:1@10%'];
const NETWORK = '4x6';

let count = 0;

/** What all kinds have. `wanted` is what the server is asked for, without the kind. */
class Form {
  constructor({ limits, onChange }) {
    this.limits = limits;
    this.onChange = onChange;
    this.threads = wholeNumber({ min: 1, max: limits.threads, value: limits.threads });
  }

  /** What has to be filled in, in a sentence; empty if nothing has. */
  get missing() {
    const wrong = [...this.element.querySelectorAll('input[data-fault]')].find((input) => !input.validity.valid);
    if (!wrong) return '';
    const values = { label: wrong.labels[0].textContent, min: Number(wrong.min), max: Number(wrong.max) };
    return text(`jobs.bad_${wrong.dataset.fault}`, values);
  }

  close() {}

  get cores() {
    const threads = Number(this.threads.value);
    return threads === this.limits.threads ? {} : { threads };
  }
}

/** Players, games, dice, rules. */
export class BenchForm extends Form {
  constructor(context) {
    super(context);
    this.players = [];
    this.list = h('div', { class: 'stack tight' });
    this.add = button({ icon: 'new', text: text('jobs.add_player') }, () => this.#add('', true));
    this.games = wholeNumber({ min: 1, max: context.limits.games, value: GAMES });
    this.common = new CommonFields('bench', context, ['.db']);
    this.element = h('div', { class: 'stack' },
      h('fieldset', { class: 'field' }, h('legend', { text: text('jobs.players') }), this.list), h('div', null, this.add),
      h('div', { class: 'job-fields' }, numbered('jobs.games', this.games), this.common.elements,
        numbered('jobs.processes', this.threads)));
    const known = new Set(net.players.map(({ spec }) => spec));
    const first = FIRST_PLAYERS.filter((spec) => known.has(spec));
    for (const spec of first.length ? first : ['']) this.#add(spec);
  }

  get wanted() {
    const players = this.players.map(({ spec }) => spec);
    return { players, games: Number(this.games.value), ...this.common.wanted, ...this.cores };
  }

  close() {
    for (const player of this.players) player.close();
  }

  #add(spec, isFocused = false) {
    const picker = new PlayerPicker({ spec, quiet: true, onPick: () => this.onChange() });
    this.players.push(picker);
    this.#show();
    if (isFocused) picker.element.querySelector('select').focus();
    this.onChange();
  }

  #remove(picker) {
    picker.close();
    this.players = this.players.filter((one) => one !== picker);
    this.#show();
    this.add.focus();
    this.onChange();
  }

  #show() {
    const isAlone = this.players.length === 1;
    fill(this.list, this.players.map((picker) => h('div', { class: 'job-player' }, picker.element,
      button({ icon: 'close', label: text('jobs.remove_player') }, () => this.#remove(picker), { class: 'quiet', disabled: isAlone }))));
    this.add.disabled = this.players.length >= this.limits.players;
  }
}

/** Layout, time, learning rates. */
export class TrainForm extends Form {
  constructor(context) {
    super(context);
    this.network = choice('jobs.network', NETWORK, 'jobs.network_example', this.onChange,
      context.limits.networks.map((name) => ({ value: name, text: name })));
    this.time = h('select', { class: 'select' }, TIMES.filter((seconds) => seconds <= context.limits.seconds)
      .map((seconds) => h('option', { value: seconds, text: formatTime(seconds) })));
    this.schedule = choice('jobs.schedule', SCHEDULES[0], 'jobs.schedule_example', this.onChange,
      SCHEDULES.map((value, place) => ({ value, text: text(`jobs.schedule_${place}`) })));
    this.common = new CommonFields('net', context, ['.csv', '.safetensors']);
    this.element = h('div', { class: 'job-fields' }, this.network.element, numbered('analysis.time', this.time),
      this.schedule.element, this.common.elements, numbered('jobs.threads', this.threads));
  }

  get wanted() {
    return { network: this.network.value, seconds: Number(this.time.value), schedule: this.schedule.value,
      ...this.common.wanted, ...this.cores };
  }
}

/** Which table. */
export class TableForm extends Form {
  constructor(context) {
    super(context);
    this.table = choice('jobs.table', '442-256', 'jobs.table_example', this.onChange,
      TABLES.map((name) => ({ value: name, text: name })));
    this.element = h('div', { class: 'job-fields' }, this.table.element, numbered('jobs.threads', this.threads));
  }

  get wanted() {
    return { table: this.table.value, ...this.cores };
  }
}

/** Rules, dice, and a name that no file has. */
class CommonFields {
  constructor(stem, { names, onChange }, ends) {
    this.rules = new RulesField({ onPick: onChange });
    this.seed = h('input', { class: 'input number', type: 'text', inputmode: 'numeric', autocomplete: 'off', value: '1',
      required: true, pattern: '[0-9]{1,20}', dataset: { fault: 'seed' } });
    this.name = h('input', { class: 'input', type: 'text', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false',
      required: true, pattern: '[A-Za-z0-9][A-Za-z0-9_\\-]{0,59}', dataset: { fault: 'name' }, value: freeName(stem, names, ends) });
    this.elements = [this.rules.element, numbered('play.seed', this.seed), numbered('jobs.name', this.name)];
  }

  get wanted() {
    return { rules: this.rules.value, seed: this.seed.value.trim(), name: this.name.value.trim() };
  }
}

/** `bench-1`, or with the next number that is free. */
function freeName(stem, names, ends) {
  const taken = new Set(names);
  let number = 1;
  const isTaken = (name) => taken.has(name) || ends.some((end) => taken.has(`${name}${end}`));
  while (isTaken(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}

function formatTime(seconds) {
  const hours = seconds / 3600;
  return hours < 1 ? text('jobs.minutes', { count: seconds / 60 }) : text('jobs.hours', { count: hours });
}

function choice(key, value, hint, onPick, choices) {
  const made = new ChoiceField({ label: text(key), otherLabel: text(key), otherHint: text(hint), value, onPick });
  made.setChoices(choices);
  return made;
}

function wholeNumber({ min, max, value }) {
  return h('input', { class: 'input number', type: 'number', inputmode: 'numeric', required: true, step: 1, min, max, value,
    dataset: { fault: 'number' } });
}

function numbered(key, control) {
  count += 1;
  control.id = `job-field-${count}`;
  return field(text(key), control);
}
