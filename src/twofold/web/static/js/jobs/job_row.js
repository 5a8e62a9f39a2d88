/** One job: what it is, how far it is, and what can be done about it. */

import { button, h, setText } from '../dom.js';
import { formatAgo, formatLong } from '../lab/time.js';
import { fullSentence, number, text } from '../text.js';

const ROUND = 5; // seconds, of a time that is left

/** A line of the list. It stays the same element while the job goes on, so that the focus stays. */
export class JobRow {
  #id = '';
  #isOpen = true;

  /**
   * @param {object} actions each called with the id of the job, but `onOpen` with an address
   * @param {(address: string) => void} actions.onOpen
   * @param {(id: string) => void} actions.onStop
   * @param {(id: string) => void} actions.onResume
   * @param {(id: string) => void} actions.onLengthen
   * @param {(id: string) => void} actions.onRemove
   */
  constructor({ onOpen, onStop, onResume, onLengthen, onRemove }) {
    this.kind = h('span', { class: 'soft' });
    this.name = h('strong');
    this.command = h('code', { class: 'job-command soft' });
    this.status = h('p', { class: 'small jobs-status' });
    this.bar = h('progress', { max: 1 });
    this.link = h('a', { class: 'button', onclick: (event) => follow(event, this.link, onOpen) },
      text('jobs.open'));
    this.stop = button({ text: text('jobs.stop') }, () => this.#isOpen && onStop(this.#id));
    this.resume = button({ text: text('jobs.resume') }, () => onResume(this.#id));
    this.longer = button({ text: text('jobs.longer') }, () => onLengthen(this.#id));
    this.remove = button({ icon: 'close', label: text('jobs.remove') }, () => onRemove(this.#id), { class: 'quiet' });
    this.element = h('li', { class: 'job' },
      h('div', { class: 'job-what' }, h('p', { class: 'job-title' }, h('span', null, this.kind, ' ', this.name), this.command), this.status),
      h('div', { class: 'job-tools' }, this.link, this.stop, this.resume, this.longer, this.remove), this.bar);
  }

  /** @param {object} job as the server lists it */
  show(job) {
    this.#id = job.id;
    this.#isOpen = !job.stopping;
    this.kind.textContent = job.kind ? text(`jobs.kind_${job.kind}`) : '';
    setText(this.name, job.title);
    this.command.textContent = job.command;
    this.command.title = job.command;
    this.element.dataset.state = job.state;
    this.#showTools(job);
    this.#showBar(job);
    setText(this.status, statusOf(job));
    this.status.className = `small jobs-status ${job.state === 'failed' ? 'error' : 'soft'}`;
  }

  #showTools(job) {
    const isActive = job.state === 'running' || job.state === 'waiting';
    const hadFocus = this.element.contains(document.activeElement) ? document.activeElement : null;
    this.link.hidden = !job.result;
    if (job.result) this.link.setAttribute('href', job.result);
    this.stop.hidden = !isActive;
    this.stop.setAttribute('aria-disabled', String(job.stopping)); // `disabled` would lose the focus
    this.stop.querySelector('.button-text').textContent = text(job.state === 'waiting' ? 'all.cancel' : 'jobs.stop');
    this.resume.hidden = !job.resumable;
    this.resume.querySelector('.button-text').textContent = text(job.state === 'failed' ? 'jobs.retry' : 'jobs.resume');
    this.longer.hidden = !job.lengthenable;
    this.remove.hidden = isActive;
    for (const [tool, key] of [[this.stop, job.state === 'waiting' ? 'cancel' : 'stop'], [this.resume, job.state === 'failed' ? 'retry' : 'resume'], [this.longer, 'longer'], [this.remove, 'remove'], [this.link, 'open']]) {
      tool.setAttribute('aria-label', text(`jobs.${key}_of`, { title: job.title }));
    }
    // Where the button that was pressed is gone, the focus goes to the one in its place.
    if (hadFocus?.hidden) [this.stop, this.resume, this.link, this.longer, this.remove].find((tool) => !tool.hidden)?.focus();
  }

  #showBar({ state, progress, title }) {
    const isShown = state === 'running' || (state === 'stopped' && progress !== null);
    this.bar.hidden = !isShown;
    if (!isShown) return;
    this.bar.setAttribute('aria-label', title);
    if (progress === null) this.bar.removeAttribute('value');
    else this.bar.value = progress;
  }
}

function follow(event, link, onOpen) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) return;
  event.preventDefault();
  onOpen(link.getAttribute('href'));
}

/** Where a job stands, in words. */
function statusOf(job) {
  if (job.state === 'running') return runningWords(job);
  if (job.state === 'stopped') return stoppedWords(job);
  if (job.state === 'failed') return text('jobs.failed', { message: fullSentence(job.message) });
  if (job.state === 'done') return doneWords(job);
  return text('jobs.waiting');
}

function runningWords({ stopping, progress, left }) {
  if (stopping) return text('jobs.stopping');
  if (progress === null) return text('jobs.preparing');
  const percent = percentOf(progress);
  if (left === null) return text('jobs.running', { percent });
  return text('jobs.running_left', { percent, left: formatLong(Math.max(ROUND, Math.ceil(left / ROUND) * ROUND)) });
}

function stoppedWords({ cause, progress }) {
  const why = cause === 'server' ? 'server' : 'person';
  if (progress === null) return text(`jobs.stopped_${why}_early`);
  return text(`jobs.stopped_${why}`, { percent: percentOf(progress) });
}

function doneWords({ started, ended }) {
  const seconds = (Date.parse(ended) - Date.parse(started)) / 1000;
  return text('jobs.done', { time: formatLong(Math.max(seconds, 0) || 0), when: formatAgo(ended) });
}

/** Whole percent, never 100 before the end. */
function percentOf(progress) {
  return number(Math.min(99, Math.floor(100 * progress)));
}
