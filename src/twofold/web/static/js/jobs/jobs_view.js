/** The jobs of the server: benches, trainings and tables, one at a time, with how far they are. */

import { announce } from '../announce.js';
import { button, fill, h } from '../dom.js';
import { whileVisible } from '../lab/poll.js';
import { net } from '../net.js';
import { text } from '../text.js';
import { toast } from '../toast.js';
import { JobRow } from './job_row.js';

const EVERY_MS = 1500;
const SHOWN = 3; // of those that have ended; the others are folded away
const RECENT_MS = 600_000;
const ACTIVE = new Set(['running', 'waiting']);

/** Shows the jobs, and lets new ones be started. */
export class JobsView {
  #rows = new Map();
  #states = new Map();
  #limits = null;

  /**
   * @param {object} context
   * @param {() => string[]} context.names files of the Lab, whose names a new one must not have
   * @param {(address: string) => void} context.onOpen called with the page of a result
   */
  constructor({ names, onOpen }) {
    Object.assign(this, { names, onOpen });
    this.list = h('ul', { class: 'jobs-list' });
    this.earlier = h('ul', { class: 'jobs-list' });
    this.fold = h('details', { class: 'jobs-earlier', hidden: true },
      h('summary', { text: text('jobs.earlier') }), this.earlier);
    this.start = button({ icon: 'new', text: text('jobs.new') }, () => this.open(), { class: 'primary' });
    this.element = h('section', { class: 'jobs', 'aria-label': text('jobs.title') },
      h('div', { class: 'jobs-head' }, h('h2', { text: text('jobs.title') }), this.start), this.list, this.fold);
    this.#askLimits();
    this.off = whileVisible(() => this.refresh(), EVERY_MS);
  }

  close() {
    this.off();
    this.isClosed = true;
  }

  /** Ask for the jobs now. */
  async refresh() {
    const jobs = await net.get('/api/jobs');
    if (this.isClosed) return;
    this.jobs = jobs;
    this.#tell(jobs);
    this.#show(jobs);
  }

  /** Open the dialog that starts a job. */
  async open() {
    const { askNewJob } = await import('./new_job.js');
    if (this.isClosed || !this.#limits) return;
    const busy = (this.jobs ?? []).map(({ title }) => title);
    askNewJob({ limits: this.#limits, names: [...this.names(), ...busy],
      onStarted: () => this.refresh() });
  }

  async #askLimits() {
    try {
      this.#limits = await net.get('/api/jobs/limits');
    } catch (error) {
      if (error.name !== 'RefusedError') throw error;
      return;
    }
    this.element.hidden = !this.#limits.allowed;
  }

  /** Say what has ended since the last look. */
  #tell(jobs) {
    for (const { id, state, title } of jobs) {
      const before = this.#states.get(id);
      if (ACTIVE.has(before) && !ACTIVE.has(state)) announce(text(`jobs.said_${state}`, { title }));
      this.#states.set(id, state);
    }
  }

  #show(jobs) {
    const active = jobs.filter(({ state }) => ACTIVE.has(state)).reverse(); // in the order of their turn
    const ended = jobs.filter(({ state }) => !ACTIVE.has(state));
    const recent = ended.filter(isNews).slice(0, SHOWN);
    const earlier = ended.filter((job) => !recent.includes(job));
    place(this.list, [...active, ...recent].map((job) => this.#row(job)));
    place(this.earlier, earlier.map((job) => this.#row(job)));
    this.fold.hidden = !earlier.length;
    const ids = new Set(jobs.map(({ id }) => id));
    for (const id of this.#rows.keys()) if (!ids.has(id)) this.#rows.delete(id);
  }

  #row(job) {
    if (!this.#rows.has(job.id)) {
      this.#rows.set(job.id, new JobRow({
        onOpen: this.onOpen,
        onStop: (id) => this.#ask(() => net.post(`/api/jobs/${id}/stop`, '')),
        onResume: (id) => this.#ask(() => net.post(`/api/jobs/${id}/resume`, '')),
        onLengthen: (id) => this.#ask(() => net.post(`/api/jobs/${id}/lengthen`, '')),
        onRemove: (id) => this.#remove(id),
      }));
    }
    const row = this.#rows.get(job.id);
    row.show(job);
    return row.element;
  }

  async #remove(id) {
    await this.#ask(() => net.remove(`/api/jobs/${id}`));
    this.start.focus();
  }

  async #ask(work) {
    try {
      await work();
      await this.refresh();
    } catch (error) {
      toast(error.message);
    }
  }
}

/** Whether a job ended a moment ago, or with the server, which nobody may have seen. */
function isNews({ cause, ended }) {
  return cause === 'server' || Date.now() - Date.parse(ended) < RECENT_MS;
}

/** Have a list show these elements; those that are there already are not touched. */
function place(list, elements) {
  const isSame = elements.length === list.children.length
    && elements.every((element, number) => element === list.children[number]);
  if (isSame) return;
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  fill(list, elements);
  focused?.focus();
}
