/** The dialog that starts a job: a form for each kind, and the command that does the same. */

import { labelled, radios, select } from '../controls.js';
import { openDialog } from '../dialog.js';
import { button, h, render } from '../dom.js';
import { formatBytes } from '../figures.js';
import { commandBlock } from '../lab/parts.js';
import { net, refusalText } from '../net.js';
import { ChoiceField, PlayerPicker, rulesField } from '../player_picker.js';
import { text } from '../text.js';

const PAUSE_MS = 250;
const KINDS = ['bench', 'train', 'table'];
const STEMS = { bench: 'bench', train: 'net' };
const FIRST_PLAYERS = ['fast', 'expectimax', 'greedy'];
const GAMES = 100;
const TIMES = [60, 300, 1800, 3600, 14_400, 28_800, 86_400];
const TABLES = ['442-64', '442-256', '443-256/8-64', '442-512/32-128', '443-512'];
const SCHEDULES = ['tc', 'td', 'td:0.1@90%,tc:1@10%'];
const NETWORK = '4x5'; // of 52 MB: its curve rises within a minute

/** What is done within a minute or two: `players` with a hundred games each, or a minute of training. */
export function usualJob(kind, names, players = usualPlayers()) {
  const name = freeName(STEMS[kind], names);
  return kind === 'bench' ? { kind, name, players, games: GAMES } : { kind, name, network: NETWORK, seconds: TIMES[0] };
}

/** The default player stands for one that the server does not list. */
function usualPlayers() {
  const known = new Set(net.players.map(({ spec }) => spec));
  return [...new Set(FIRST_PLAYERS.map((spec) => (known.has(spec) ? spec : '')))];
}

/** `bench-1`, or with the next number that is free. */
function freeName(stem, names) {
  const taken = new Set(names.map((name) => name.replace(/\.(?:db|csv|safetensors)$/, '')));
  let number = 1;
  while (taken.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}

/**
 * Ask what is to be done, and start it.
 *
 * @param {object} context
 * @param {object} context.limits of the server
 * @param {string[]} context.names files that are there
 * @param {(job: object) => void} context.onStarted
 * @param {string} [context.kind] of job
 * @param {string[]} [context.players] of a bench
 */
export function askNewJob({ onStarted, ...context }) {
  const form = new JobForm(context);
  form.element.addEventListener('submit', async (event) => {
    event.preventDefault();
    const job = await form.start();
    if (!job) return;
    dialog.close();
    onStarted(job);
  });
  const dialog = openDialog({
    title: text('jobs.new_title'),
    body: form.element,
    wide: true,
    foot: [
      button({ text: text('all.cancel') }, () => dialog.close()),
      h('button', { type: 'submit', form: 'new-job', class: 'button primary', text: text('jobs.start') }),
    ],
  });
}

class JobForm {
  #timer = 0;
  #turn = 0;
  #said = { command: null, error: '' }; // null until the server has answered, which takes seconds at first

  constructor({ limits, names, kind = 'bench', players = usualPlayers() }) {
    const changed = () => this.#changed();
    Object.assign(this, { limits, names, kind });
    this.players = players.map((spec) => this.#picker(spec));
    this.rules = rulesField(changed);
    this.network = choice('jobs.network', NETWORK, 'jobs.network_example', changed, limits.networks);
    this.schedule = choice('jobs.schedule', SCHEDULES[0], 'jobs.schedule_example', changed, SCHEDULES,
      (_, place) => text(`jobs.schedule_${place}`));
    this.table = choice('jobs.table', '442-256', 'jobs.table_example', changed, TABLES);
    this.element = h('form', { id: 'new-job', class: 'stack', novalidate: true, oninput: changed, onchange: changed });
    this.#draw();
    this.#changed();
  }

  #picker(spec) {
    return new PlayerPicker({ value: spec, quiet: true, onPick: () => this.#changed() });
  }

  /** Start what the form says, which is returned; null if it was not started. */
  async start() {
    clearTimeout(this.#timer);
    try {
      if (!(await this.#check())) return null;
      const job = this.#wanted;
      await net.post('/api/jobs', job);
      return job;
    } catch (error) {
      this.#fail(error);
      return null;
    }
  }

  /** What the server is asked for. */
  get #wanted() {
    const { kind } = this;
    const value = (name) => this.element.elements[name].value.trim();
    const threads = Number(value('threads'));
    const cores = threads === this.limits.threads ? {} : { threads };
    if (kind === 'table') return { kind, table: this.table.value, ...cores };
    const common = { kind, rules: this.rules.value, seed: value('seed'), name: value('name'), ...cores };
    if (kind === 'bench') return { ...common, players: this.players.map(({ spec }) => spec), games: Number(value('games')) };
    return { ...common, network: this.network.value, seconds: Number(value('seconds')), schedule: this.schedule.value };
  }

  /** What has to be filled in, in a sentence; empty if nothing has. */
  get #missing() {
    const wrong = [...this.element.querySelectorAll('input[data-fault]')].find((input) => !input.validity.valid);
    if (!wrong) return '';
    const values = { label: wrong.labels[0].textContent, min: Number(wrong.min), max: Number(wrong.max) };
    return text(`jobs.bad_${wrong.dataset.fault}`, values);
  }

  #changed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check().catch((error) => this.#fail(error)), PAUSE_MS);
  }

  #fail(error) {
    this.#say({ error: error.message });
    net.afterLoss(error, () => this.#changed());
  }

  /** Show the command, or what is wrong; whether nothing is. */
  async #check() {
    this.#turn += 1;
    const turn = this.#turn;
    const error = this.#missing;
    const said = error ? { error } : await net.post('/api/jobs/check', this.#wanted);
    if (turn !== this.#turn) return false;
    this.#say(said);
    return !said.error;
  }

  #say({ command = '', disk = 0, memory = 0, error = '' }) {
    this.#said = { command, disk, memory, error };
    this.#draw();
  }

  #pick(kind) {
    this.kind = kind;
    this.#said = { command: null, error: '' };
    this.#draw();
    this.#changed();
  }

  // ---- what is shown

  #draw() {
    const { command, disk, memory, error } = this.#said;
    render(this.element,
      h('div', { class: 'row', role: 'radiogroup', 'aria-label': text('jobs.kind') },
        radios('job-kind', KINDS.map((kind) => [kind, text(`jobs.kind_${kind}`)]), this.kind, (kind) => this.#pick(kind), true)),
      h('p', { class: 'soft small', text: text(`jobs.about_${this.kind}`) }),
      h('div', { key: this.kind, class: 'stack' }, this.#fields()),
      h('p', { class: 'error', role: 'alert', text: error ? refusalText('', error) : '' }),
      !error && h('div', { key: 'command', class: 'field' }, h('span', { class: 'label', text: text('jobs.command') }),
        h('div', { class: 'jobs-command' }, command ? commandBlock([command])
          : command === null && h('p', { class: 'soft small', text: text('all.loading') })),
        h('p', { class: 'soft small', text: command && disk
          ? text('jobs.needs', { disk: formatBytes(disk), memory: formatBytes(memory) }) : '' })));
  }

  #fields() {
    const { threads } = this.limits;
    const cores = (key) => this.#whole(key, 'threads', threads, threads);
    if (this.kind === 'table') return h('div', { class: 'job-fields fit' }, this.table.element, cores('jobs.threads'));
    const common = [this.rules.element,
      this.#typed('play.seed', 'seed', '1', { class: 'input number', inputmode: 'numeric', pattern: '[0-9]{1,20}' }),
      this.#typed('jobs.name', 'name', freeName(STEMS[this.kind], this.names), { pattern: '[A-Za-z0-9][A-Za-z0-9_\\-]{0,59}' })];
    if (this.kind === 'bench') {
      return [this.#playerList(), h('div', { class: 'job-fields fit' }, this.#whole('jobs.games', 'games', GAMES, this.limits.games),
        common, cores('jobs.processes'))];
    }
    const times = select(TIMES.filter((seconds) => seconds <= this.limits.seconds)
      .map((seconds) => [seconds, seconds < 3600 ? text('jobs.minutes', { count: seconds / 60 })
        : text('jobs.hours', { count: seconds / 3600 })]), null, () => {}, { name: 'seconds' });
    return h('div', { class: 'job-fields fit' }, this.network.element, labelled(text('analysis.time'), times), this.schedule.element, common,
      cores('jobs.threads'));
  }

  #playerList() {
    const isAlone = this.players.length === 1;
    return [
      h('fieldset', { class: 'field' }, h('legend', { text: text('jobs.players') }),
        h('div', { class: 'stack tight' }, this.players.map((picker) => h('div', { key: picker, class: 'job-player line' }, picker.element,
          button({ icon: 'close', label: text('jobs.remove_player') }, () => this.#removePlayer(picker), { class: 'quiet', disabled: isAlone }))))),
      h('div', null, button({ icon: 'new', text: text('jobs.add_player') }, () => this.#addPlayer(),
        { class: 'jobs-add', disabled: this.players.length >= this.limits.players })),
    ];
  }

  #addPlayer() {
    this.players.push(this.#picker(''));
    this.#draw();
    this.players.at(-1).element.querySelector('select').focus();
    this.#changed();
  }

  #removePlayer(picker) {
    this.players = this.players.filter((one) => one !== picker);
    this.#draw();
    this.element.querySelector('.jobs-add').focus();
    this.#changed();
  }

  #typed(key, name, value, { class: kind = 'input', ...rest }) {
    return labelled(text(key), h('input', { class: kind, name, type: 'text', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false',
      required: true, value, dataset: { fault: name }, ...rest }));
  }

  #whole(key, name, value, max) {
    return labelled(text(key), h('input', { class: 'input number', name, type: 'number', inputmode: 'numeric', required: true, step: 1, min: 1,
      max, value: String(value), dataset: { fault: 'number' } }));
  }
}

function choice(key, value, hint, onPick, values, nameOf = (one) => one) {
  return new ChoiceField({ label: text(key), otherLabel: text(key), otherHint: text(hint), value, onPick,
    choices: values.map((one, place) => ({ value: one, text: nameOf(one, place) })) });
}
