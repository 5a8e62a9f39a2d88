/** The dialog that starts a job: a form for each kind, and the command that does the same. */

import { openDialog } from '../dialog.js';
import { button, fill, h, setText } from '../dom.js';
import { formatBytes } from '../figures.js';
import { commandBlock } from '../lab/commands.js';
import { net } from '../net.js';
import { refusalText } from '../refusals.js';
import { text } from '../text.js';
import { BenchForm, TableForm, TrainForm } from './forms.js';

const PAUSE_MS = 250;
const KINDS = { bench: BenchForm, train: TrainForm, table: TableForm };

/**
 * Ask what is to be done, and start it.
 *
 * @param {object} context
 * @param {object} context.limits of the server
 * @param {string[]} context.names files that are there
 * @param {() => void} context.onStarted
 */
export function askNewJob({ limits, names, onStarted }) {
  const form = new JobForm({ limits, names });
  const submit = async (event) => {
    event.preventDefault();
    if (!(await form.start())) return;
    dialog.close();
    onStarted();
  };
  form.element.addEventListener('submit', submit);
  const dialog = openDialog({
    title: text('jobs.new_title'),
    body: form.element,
    wide: true,
    onClose: () => form.close(),
    foot: [
      button({ text: text('all.cancel') }, () => dialog.close()),
      h('button', { type: 'submit', form: 'new-job', class: 'button primary', text: text('jobs.start') }),
    ],
  });
}

class JobForm {
  #timer = 0;
  #turn = 0;

  constructor({ limits, names }) {
    const changed = () => this.#changed();
    this.forms = Object.fromEntries(Object.entries(KINDS)
      .map(([kind, Form]) => [kind, new Form({ limits, names, onChange: changed })]));
    this.kind = 'bench';
    this.place = h('div', { class: 'stack' });
    this.about = h('p', { class: 'soft small' });
    this.command = h('div', { class: 'jobs-command' });
    this.needs = h('p', { class: 'soft small' });
    this.error = h('p', { class: 'error', role: 'alert' });
    this.element = h('form', { id: 'new-job', class: 'stack', novalidate: true, oninput: changed, onchange: changed },
      h('fieldset', { class: 'field' }, h('legend', { class: 'visually-hidden', text: text('jobs.kind') }),
        h('div', { class: 'chips' }, Object.keys(KINDS).map((kind) => this.#chip(kind)))),
      this.about, this.place, this.error,
      h('div', { class: 'field' }, h('span', { class: 'label', text: text('jobs.command') }), this.command, this.needs));
    this.#pick(this.kind);
  }

  close() {
    clearTimeout(this.#timer);
    this.#turn += 1;
    for (const form of Object.values(this.forms)) form.close();
  }

  /** Start what the form says; whether it was started. */
  async start() {
    clearTimeout(this.#timer);
    const { wanted } = this;
    try {
      if (!(await this.#check())) return false;
      await net.post('/api/jobs', wanted);
      return true;
    } catch (error) {
      this.#say(error.message);
      return false;
    }
  }

  get wanted() {
    return { kind: this.kind, ...this.forms[this.kind].wanted };
  }

  #chip(kind) {
    const dot = h('input', { type: 'radio', name: 'job-kind', value: kind, checked: kind === this.kind,
      autofocus: kind === this.kind, onchange: () => this.#pick(kind) });
    return h('label', { class: 'chip' }, dot, text(`jobs.kind_${kind}`));
  }

  #pick(kind) {
    this.kind = kind;
    this.shown = null;
    this.about.textContent = text(`jobs.about_${kind}`);
    this.needs.textContent = '';
    fill(this.command, h('p', { class: 'soft small', text: text('all.loading') })); // the first look takes seconds
    fill(this.place, this.forms[kind].element);
    this.#changed();
  }

  #changed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check().catch((error) => this.#say(error.message)), PAUSE_MS);
  }

  /** Show the command, or what is wrong; whether nothing is. */
  async #check() {
    this.#turn += 1;
    const turn = this.#turn;
    const missing = this.forms[this.kind].missing;
    const { command, disk, memory, error } = missing ? { command: '', error: missing }
      : await net.post('/api/jobs/check', this.wanted);
    if (turn !== this.#turn) return false;
    this.#say(error);
    if (command !== this.shown) fill(this.command, command && commandBlock([command]));
    this.shown = command;
    this.needs.textContent = command && disk
      ? text('jobs.needs', { disk: formatBytes(disk), memory: formatBytes(memory) }) : '';
    return !error;
  }

  #say(message) {
    setText(this.error, message ? refusalText('', message) : '');
  }
}
