/** The daily game: one game a day, the same for everyone, with one try. */

import { h } from '../dom.js';
import { Calendar } from '../daily/calendar.js';
import { DayCard } from '../daily/day_card.js';
import { beginText } from '../daily/days.js';
import { net } from '../net.js';
import { text } from '../text.js';

/**
 * @param {HTMLElement} root
 * @param {object} context as of main.js
 * @returns {function(): void} unmounts
 */
export function mount(root, context) {
  const page = new DailyPage(root, context);
  page.load();
  return () => { page.isClosed = true; };
}

class DailyPage {
  constructor(root, context) {
    this.context = context;
    this.card = new DayCard((day) => this.#play(day));
    this.calendar = new Calendar((day) => this.#pick(day));
    this.status = h('p', { class: 'soft', role: 'status', text: text('all.loading') });
    this.body = h('div', { class: 'daily-parts', hidden: true }, this.card.element,
      this.calendar.element);
    root.append(h('div', { class: 'daily stack wide' },
      h('div', { class: 'stack tight' }, h('h1', { text: text('nav.daily') }),
        h('p', { class: 'daily-intro', text: text('daily.intro', { time: beginText() }) })),
      this.status, this.body));
  }

  /** Ask the server, and show the day of the address, or today. */
  async load() {
    try {
      this.found = await net.get('/api/daily');
    } catch (error) {
      this.status.textContent = error.message;
      return;
    }
    if (this.isClosed) return;
    this.status.hidden = true;
    this.body.hidden = false;
    const day = this.context.params.get('day') ?? '';
    const { first, today } = this.found;
    const isOpen = /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day));
    this.#show(isOpen && day >= first && day <= today ? day : today);
  }

  #show(day) {
    this.card.show(this.found, day);
    this.calendar.show(this.found, day);
  }

  #pick(day) {
    const query = day === this.found.today ? '' : `?day=${day}`;
    window.history.replaceState(null, '', `/daily${query}`);
    this.#show(day);
  }

  async #play(day) {
    const { game } = await net.post('/api/daily', { day });
    this.context.navigate(`/?game=${game}`);
  }
}
