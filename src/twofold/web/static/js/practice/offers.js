/** Endgame tables that could be built, and those that are being built. */

import { button, h, part, render } from '../dom.js';
import { formatLong, formatShort } from '../figures.js';
import { net, whileVisible } from '../net.js';
import { text } from '../text.js';

const EVERY_MS = 1000;

/** States of a job that has not ended. */
const OPEN = new Set(['running', 'waiting']);

/** Asks what could be built once it is opened, and follows what is built. */
export class TableOffers {
  #jobs = null; // null where this server cannot build
  #offers = null;
  #error = '';
  #stop = null;

  /** @param {() => void} onBuilt a table is there */
  constructor(onBuilt) {
    this.onBuilt = onBuilt;
    this.element = part(h('details', { class: 'card', hidden: true,
      ontoggle: () => this.element.open && !this.#offers && this.#load() }));
    this.#draw();
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

  async #load() {
    await this.#try(async () => {
      this.#offers = await net.get('/api/practice/offers');
      this.#stop ??= whileVisible(() => this.#follow(), EVERY_MS);
    });
  }

  async #try(work) {
    try {
      await work();
      this.#error = '';
    } catch (error) {
      this.#error = error.message;
    }
    this.#draw();
  }

  /** See how far the jobs are; tell when one has ended. */
  async #follow() {
    const answer = await fetch('/api/jobs');
    if (answer.status === 404) return void this.#stop?.();
    if (!answer.ok) return;
    const before = this.#open;
    this.#jobs = await answer.json();
    const now = new Set(this.#open.map((job) => job.id));
    if (before.some((job) => !now.has(job.id))) this.onBuilt();
    this.#draw();
  }

  get #open() {
    return (this.#jobs ?? []).filter((job) => OPEN.has(job.state));
  }

  #draw() {
    render(this.element,
      h('summary', { text: text('practice.build_more') }),
      h('p', { class: 'error', role: 'alert', text: this.#error }),
      h('ul', { class: 'offers' }, this.#offers ? this.#offers.map((offer) => this.#offer(offer))
        : h('li', { class: 'soft', text: text('practice.measuring') })));
  }

  #offer(offer) {
    const job = this.#jobs?.find((one) => one.kind === 'table' && one.title.split(' ').includes(offer.name));
    const isOpen = OPEN.has(job?.state);
    return h('li', { key: offer.name },
      h('div', { class: 'grow stack tight' },
        h('strong', { text: text('practice.table_about', { ...offer, target: String(offer.target) }) }),
        h('span', { class: 'soft small', text: text('practice.table_takes', {
          size: `${formatShort(offer.bytes)}B`, time: formatLong(Math.ceil(offer.seconds)),
        }) }),
        isOpen && [
          h('progress', { max: 1, 'aria-label': job.title, ...(job.progress !== null && { value: job.progress }) }),
          h('span', { class: 'soft small number', text: stateWords(job) })],
        job?.state === 'failed' && h('span', { class: 'bad small', text: job.message })),
      this.#action(offer, isOpen && job));
  }

  #action(offer, job) {
    if (!this.#jobs) return h('code', { text: `twofold tables build ${offer.name}` });
    const post = (url, body) => () => this.#try(async () => {
      await net.post(url, body);
      await this.#follow();
    });
    if (job) return button({ text: text('jobs.stop') }, post(`/api/jobs/${job.id}/stop`, {}));
    const key = offer.done === null ? 'practice.build' : 'practice.build_on';
    return button({ text: text(key) }, post('/api/jobs', { kind: 'table', table: offer.name }),
      { disabled: this.#open.length > 0, 'aria-label': text('practice.build_name', offer) });
  }
}

function stateWords({ state, progress, message }) {
  if (state === 'waiting') return text('practice.waiting');
  return message || (progress === null ? '' : text('practice.built', { percent: Math.floor(100 * progress) }));
}
