/** The jobs of the server: benches, trainings and tables, one at a time, with how far they are. */

import { announce, toast } from '../announce.js';
import { button, h, pageSignal } from '../dom.js';
import { formatAgo, formatLong } from '../figures.js';
import { isPlain } from '../moves.js';
import { net, whileVisible } from '../net.js';
import { fullSentence, number, text } from '../text.js';

const EVERY_MS = 1500;
const SHOWN = 3; // of those that have ended; the others are folded away
const RECENT_MS = 600_000;
const ROUND = 5; // seconds, of a time that is left
/** States of a job that has not ended. */
export const ACTIVE = new Set(['running', 'waiting']);

/** The jobs, and what can be done about them. */
export class Jobs {
  #states = new Map();

  signal = pageSignal();

  /** What the server allows; null before it has said. */
  limits = null;

  /** @type {object[]} as the server lists them, the newest first */
  list = [];

  /**
   * @param {object} context
   * @param {() => string[]} context.names files of the Lab, whose names a new one must not have
   * @param {() => void} context.changed called when something to draw has changed
   * @param {(address: string) => void} context.onOpen called with the page of a result
   */
  constructor(context) {
    Object.assign(this, context);
    this.#askLimits();
    whileVisible(() => this.refresh(), EVERY_MS);
  }

  /** Ask for the jobs now. */
  async refresh() {
    const jobs = await net.get('/api/jobs');
    for (const job of jobs) this.#tell(job);
    this.list = jobs;
    this.changed();
  }

  async #askLimits() {
    try {
      this.limits = await net.get('/api/jobs/limits');
      this.changed();
    } catch (error) {
      if (error.name !== 'RefusedError') throw error;
    }
  }

  /** Whether a job can be started. */
  get isAllowed() {
    return Boolean(this.limits?.allowed);
  }

  /** Say what has ended since the last look. */
  #tell({ id, state, title, kind }) {
    const before = this.#states.get(id);
    this.#states.set(id, state);
    if (!ACTIVE.has(before) || ACTIVE.has(state)) return;
    announce(text(`jobs.said_${state}`, { title }));
    if (kind === 'train') net.refreshPlayers(); // its network is one
  }

  /**
   * Open the dialog that starts a job.
   *
   * @param {{kind?: string, players?: string[]}} [wish] what it opens with
   */
  async open(wish = {}) {
    const { askNewJob } = await import('./new_job.js');
    if (this.signal.aborted || !this.limits) return;
    askNewJob({ limits: this.limits, names: this.#taken, onStarted: (job) => this.#started(job), ...wish });
  }

  /** Start a job with values that are done within a minute or two. */
  async start(kind) {
    const { usualJob } = await import('./new_job.js');
    const job = usualJob(kind, this.#taken);
    this.ask(() => net.post('/api/jobs', job).then(() => this.#started(job)));
  }

  /** Open the page on which the results of a job will be. */
  async #started({ kind, name }) {
    await this.refresh();
    if (kind !== 'table') this.onOpen(kind === 'bench' ? `/lab?study=${name}.db` : `/lab?run=${name}.csv`);
  }

  /** Whether a job is to write a file. */
  isComing(file) {
    return this.list.some(({ state, title }) => ACTIVE.has(state) && stemOf(title) === stemOf(file));
  }

  get #taken() {
    return [...this.names(), ...this.list.map(({ title }) => title)];
  }

  /** Do something with a job, and show what has come of it, or what is wrong. */
  async ask(work) {
    try {
      await work();
      await this.refresh();
    } catch (error) {
      toast(error.message);
    }
  }

  /** @returns {HTMLElement} the list; null where no job may be started */
  view() {
    if (this.limits && !this.isAllowed) return null;
    const active = this.list.filter(({ state }) => ACTIVE.has(state)).reverse(); // in the order of their turn
    const ended = this.list.filter(({ state }) => !ACTIVE.has(state));
    const isNews = ({ cause, ended: when }) => cause === 'server' || Date.now() - Date.parse(when) < RECENT_MS; // nobody may have seen it
    const recent = ended.filter(isNews).slice(0, SHOWN);
    const earlier = ended.filter((job) => !recent.includes(job));
    return h('section', { key: 'jobs', class: 'jobs stack near', 'aria-label': text('jobs.title') },
      h('div', { class: 'jobs-head row apart' }, h('h2', { text: text('jobs.title') }),
        button({ icon: 'new', text: text('jobs.new') }, () => this.open(), { class: 'primary jobs-new' })),
      h('ul', { class: 'jobs-list stack near' }, [...active, ...recent].map((job) => this.row(job))),
      earlier.length > 0 && h('details', { class: 'jobs-earlier' }, h('summary', { text: text('jobs.earlier') }),
        h('ul', { class: 'jobs-list stack near' }, earlier.map((job) => this.row(job)))));
  }

  /** A job as an item of a list. */
  row(job) {
    const { id, title, kind, command, state } = job;
    const isShown = state === 'running' || (state === 'stopped' && job.progress !== null);
    const words = state === 'failed' ? 'error' : 'soft';
    return h('li', { key: id, class: 'job row card', dataset: { state } },
      h('div', { class: 'job-what' },
        h('p', { class: 'job-title line' }, h('span', null, h('span', { class: 'soft', text: kind ? text(`jobs.kind_${kind}`) : '' }), ' ',
          h('strong', { text: title })), h('code', { class: 'job-command soft', title: command, text: command })),
        h('p', { class: `small number ${words}`, text: statusOf(job) })),
      h('div', { class: 'row' }, this.#tools(job)),
      isShown && h('progress', { max: 1, 'aria-label': title, ...(job.progress !== null && { value: job.progress }) }));
  }

  /** The buttons of a job. One for its course stays the same element, so that the focus stays. */
  #tools({ id, title, state, stopping, resumable, lengthenable, result }) {
    const named = (key) => ({ 'aria-label': text(`jobs.${key}_of`, { title }) });
    const post = (what) => () => this.ask(() => net.post(`/api/jobs/${id}/${what}`, ''));
    const follow = (event) => {
      if (!isPlain(event)) return;
      event.preventDefault();
      this.onOpen(result);
    };
    const stop = state === 'waiting' ? 'cancel' : 'stop';
    const resume = state === 'failed' ? 'retry' : 'resume';
    return [
      result && h('a', { class: 'button', href: result, onclick: follow, ...named('open') }, text('jobs.open')),
      ACTIVE.has(state) && button({ text: text(stop === 'stop' ? 'jobs.stop' : 'all.cancel') }, () => stopping || post('stop')(),
        { key: 'course', 'aria-disabled': String(stopping), ...named(stop) }), // `disabled` would lose the focus
      resumable && button({ text: text(`jobs.${resume}`) }, post('resume'), { key: 'course', ...named(resume) }),
      lengthenable && button({ text: text('jobs.longer') }, post('lengthen'), { key: 'longer', ...named('longer') }),
      !ACTIVE.has(state) && button({ icon: 'close', label: text('jobs.remove') }, async () => {
        await this.ask(() => net.remove(`/api/jobs/${id}`));
        document.querySelector('.jobs-new')?.focus();
      }, { key: 'remove', class: 'quiet', ...named('remove') }),
    ];
  }
}

const stemOf = (file) => file.replace(/\.\w+$/, '');

/** Where a job stands, in words. */
function statusOf(job) {
  const { state, stopping, progress, left, cause, message, started, ended } = job;
  const percent = progress === null ? '' : number(Math.min(99, Math.floor(100 * progress))); // never 100 before the end
  if (state === 'failed') return text('jobs.failed', { message: fullSentence(message) });
  if (state === 'done') {
    const seconds = (Date.parse(ended) - Date.parse(started)) / 1000;
    return text('jobs.done', { time: formatLong(Math.max(seconds, 0) || 0), when: formatAgo(ended) });
  }
  if (state === 'stopped') {
    const why = cause === 'server' ? 'server' : 'person';
    return progress === null ? text(`jobs.stopped_${why}_early`) : text(`jobs.stopped_${why}`, { percent });
  }
  if (state === 'waiting') return text('jobs.waiting');
  if (stopping) return text('jobs.stopping');
  if (progress === null) return text('jobs.preparing');
  if (left === null) return text('jobs.running', { percent });
  return text('jobs.running_left', { percent, left: formatLong(Math.max(ROUND, Math.ceil(left / ROUND) * ROUND)) });
}
