/** Endgame tables that could be built, and those that are being built. */

import { button, h, part, render } from '../dom.js';
import { formatLong, formatShort } from '../figures.js';
import { ACTIVE, Jobs } from '../jobs/jobs.js';
import { net } from '../net.js';
import { text } from '../text.js';

/** Asks what could be built once it is opened, and follows what is built. */
export class TableOffers {
  #offers = null;
  #error = '';
  #building = new Set();

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

  async #load() {
    this.jobs ??= new Jobs({ names: () => [], changed: () => this.#changed() });
    try {
      this.#offers = await net.get('/api/practice/offers');
    } catch (error) {
      this.#error = error.message;
    }
    this.#draw();
  }

  /** See which jobs go on; tell when one has ended. */
  #changed() {
    const before = this.#building;
    this.#building = new Set(this.jobs.list.filter((job) => job.kind === 'table' && ACTIVE.has(job.state)).map(({ id }) => id));
    if ([...before].some((id) => !this.#building.has(id))) this.onBuilt();
    this.#draw();
  }

  #draw() {
    render(this.element,
      h('summary', { text: text('practice.build_more') }),
      h('p', { class: 'error', role: 'alert', text: this.#error }),
      h('ul', { class: 'offers stack near' }, this.#offers ? this.#offers.map((offer) => this.#offer(offer))
        : h('li', { class: 'soft', text: text('practice.measuring') })));
  }

  #offer(offer) {
    const job = this.jobs.list.find(({ kind, title }) => kind === 'table' && title.split(' ').includes(offer.name));
    return h('li', { key: offer.name, class: 'row' },
      h('div', { class: 'grow stack tight' },
        h('strong', { text: text('practice.table_about', { ...offer, target: String(offer.target) }) }),
        h('span', { class: 'soft small', text: text('practice.table_takes', {
          size: `${formatShort(offer.bytes)}B`, time: formatLong(Math.ceil(offer.seconds)) }) })),
      job && job.state !== 'done' ? h('ul', { class: 'jobs-list stack near' }, this.jobs.row(job)) : this.#action(offer));
  }

  #action(offer) {
    if (!this.jobs.isAllowed) return h('code', { text: `twofold tables build ${offer.name}` });
    const build = () => this.jobs.ask(() => net.post('/api/jobs', { kind: 'table', table: offer.name }));
    return button({ text: text(offer.done === null ? 'practice.build' : 'practice.build_on') }, build,
      { disabled: this.#building.size > 0, 'aria-label': text('practice.build_name', offer) });
  }
}
