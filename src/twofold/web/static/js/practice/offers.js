/** Endgame tables that could be built, and those that are being built. */

import { button, fill, h } from '../dom.js';
import { formatShort } from '../figures.js';
import { formatLong } from '../lab/time.js';
import { whileVisible } from '../lab/poll.js';
import { net } from '../net.js';
import { text } from '../text.js';

const EVERY_MS = 1000;

/** States of a job that has not ended. */
const OPEN = new Set(['running', 'waiting']);

/** Asks what could be built once it is opened, and follows what is built. */
export class TableOffers {
  #jobs = null; // null where this server cannot build
  #offers = null;
  #stop = null;

  /** @param {() => void} onBuilt a table is there */
  constructor(onBuilt) {
    this.onBuilt = onBuilt;
    this.error = h('p', { class: 'error', role: 'alert' });
    this.list = h('ul', { class: 'offers' });
    this.element = h('details', { class: 'card', hidden: true, ontoggle: () => this.#toggled() },
      h('summary', { text: text('practice.build_more') }), this.error, this.list);
  }

  /** @param {boolean} isOpen whether the list is opened */
  show(isOpen) {
    this.element.hidden = false;
    if (isOpen) this.element.open = true;
    if (this.element.open) this.#load();
  }

  /** Leave. */
  close() {
    this.#stop?.();
  }

  #toggled() {
    if (this.element.open && !this.#offers) this.#load();
  }

  async #load() {
    if (!this.#offers) fill(this.list, h('li', { class: 'soft', text: text('practice.measuring') }));
    try {
      this.#offers = await net.get('/api/practice/offers');
      this.#stop ??= whileVisible(() => this.#follow(), EVERY_MS);
      this.#draw();
    } catch (error) {
      this.error.textContent = error.message;
    }
  }

  /** See how far the jobs are; tell when one has ended. */
  async #follow() {
    const answer = await fetch('/api/jobs');
    if (answer.status === 404) {
      this.#stop?.();
      return;
    }
    if (!answer.ok) return;
    const before = this.#open();
    this.#jobs = await answer.json();
    const now = new Set(this.#open().map((job) => job.id));
    if (before.some((job) => !now.has(job.id))) this.onBuilt();
    this.#draw();
  }

  #open() {
    return (this.#jobs ?? []).filter((job) => OPEN.has(job.state));
  }

  #draw() {
    const key = JSON.stringify([this.#offers, this.#jobs]);
    if (key === this.drawn) return;
    this.drawn = key;
    fill(this.list, (this.#offers ?? []).map((offer) => this.#offer(offer)));
  }

  #offer(offer) {
    const job = this.#jobs?.find((one) => one.kind === 'table' && one.title.split(' ').includes(offer.name));
    const isOpen = OPEN.has(job?.state);
    return h('li', {},
      h('div', { class: 'grow stack tight' },
        h('strong', { text: text('practice.table_about', { ...offer, target: String(offer.target) }) }),
        h('span', { class: 'soft small', text: text('practice.table_takes', {
          size: `${formatShort(offer.bytes)}B`, time: formatLong(Math.ceil(offer.seconds)),
        }) }),
        isOpen && progress(job),
        job?.state === 'failed' && h('span', { class: 'bad small', text: job.message })),
      this.#action(offer, isOpen && job));
  }

  #action(offer, job) {
    if (!this.#jobs) return h('code', { text: `twofold tables build ${offer.name}` });
    if (job) return button({ text: text('jobs.stop') }, () => this.#post(`/api/jobs/${job.id}/stop`, {}));
    const body = { kind: 'table', table: offer.name };
    const key = offer.done === null ? 'practice.build' : 'practice.build_on';
    return button({ text: text(key) }, () => this.#post('/api/jobs', body),
      { disabled: this.#open().length > 0, 'aria-label': text('practice.build_name', offer) });
  }

  async #post(url, body) {
    try {
      await net.post(url, body);
      this.error.textContent = '';
      await this.#follow();
    } catch (error) {
      this.error.textContent = error.message;
    }
  }
}

function progress(job) {
  const value = job.progress === null ? {} : { value: job.progress };
  return [
    h('progress', { max: 1, ...value, 'aria-label': job.title }),
    h('span', { class: 'soft small number', text: stateWords(job) }),
  ];
}

function stateWords({ state, progress: share, message }) {
  if (state === 'waiting') return text('practice.waiting');
  return message || (share === null ? '' : text('practice.built', { percent: Math.floor(100 * share) }));
}
