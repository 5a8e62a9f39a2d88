/** The daily game: one game a day, the same for everyone, with one try. */

import { dayCard, stateOf } from '../daily/day_card.js';
import { beginText, dayAfter, dayText, monthAfter, monthText, weekdays, weeksOf } from '../daily/days.js';
import { button, h, render } from '../dom.js';
import { formatShort } from '../figures.js';
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
  #found = null; // a `DailyGames` of the server; null before it has said
  #day = ''; // that is chosen
  #month = ''; // that is shown
  #status = text('all.loading');
  #error = '';

  constructor(root, { params, navigate }) {
    Object.assign(this, { params, navigate });
    this.element = h('div', { class: 'daily stack wide' });
    root.append(this.element);
    this.#draw();
  }

  /** Ask the server, and show the day of the address, or today. */
  async load() {
    try {
      this.#found = await net.get('/api/daily');
    } catch (error) {
      this.#status = error.message;
      return void this.#draw();
    }
    if (this.isClosed) return;
    const day = this.params.get('day') ?? '';
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day));
    this.#show(isDay && this.#isOpen(day) ? day : this.#found.today);
  }

  #isOpen(day) {
    return day >= this.#found.first && day <= this.#found.today;
  }

  #show(day) {
    [this.#day, this.#month, this.#error] = [day, monthAfter(day, 0), ''];
    this.#draw();
  }

  #pick(day) {
    window.history.replaceState(null, '', `/daily${day === this.#found.today ? '' : `?day=${day}`}`);
    this.#show(day);
  }

  async #play(day) {
    try {
      const { game } = await net.post('/api/daily', { day });
      this.navigate(`/?game=${game}`);
    } catch (error) {
      this.#error = error.message;
      this.#draw();
    }
  }

  #draw() {
    render(this.element,
      h('div', { class: 'stack tight' }, h('h1', { text: text('nav.daily') }),
        h('p', { class: 'daily-intro', text: text('daily.intro', { time: beginText() }) }),
        this.#found && streakOf(this.#found) > 1 && h('p', { class: 'practice-streak', text: text('practice.streak', { count: streakOf(this.#found) }) })),
      this.#found ? h('div', { key: 'parts', class: 'daily-parts' },
        dayCard(this.#found, this.#day, this.#error, (day) => this.#play(day)), this.#calendar())
        : h('p', { class: 'soft', role: 'status', text: this.#status }));
  }

  /** The games of a month: a table of days; those that can be played are buttons. */
  #calendar() {
    const { today, first } = this.#found;
    const tries = new Map(this.#found.tries.map((one) => [one.day, one]));
    const turn = (icon, key, months, isOff) => button({ icon, label: text(key) }, () => {
      this.#month = monthAfter(this.#month, months);
      this.#draw();
    }, { disabled: isOff });
    return h('section', { class: 'card stack', 'aria-labelledby': 'daily-month' },
      h('div', { class: 'daily-turn line apart' },
        turn('left', 'daily.month_before', -1, this.#month <= monthAfter(first, 0)),
        h('h2', { id: 'daily-month', 'aria-live': 'polite', text: monthText(this.#month) }),
        turn('right', 'daily.month_after', 1, this.#month >= monthAfter(today, 0))),
      h('table', { class: 'daily-month', 'aria-labelledby': 'daily-month' },
        h('thead', null, h('tr', null, weekdays().map((name) => h('th', { scope: 'col', text: name })))),
        h('tbody', null, weeksOf(this.#month).map((week) => h('tr', null,
          week.map((day) => h('td', null, day && this.#cell(day, tries.get(day)))))))));
  }

  #cell(day, tried) {
    const name = String(Number(day.slice(8)));
    if (!this.#isOpen(day)) return h('span', { class: 'daily-day soft', text: name });
    const state = stateOf(tried);
    const words = text(`daily.day_${state}`, { day: dayText(day), score: tried?.game.score ?? 0 });
    return h('button', { type: 'button', class: `daily-day ${state}`, 'aria-label': words, title: words,
      'aria-pressed': String(day === this.#day), 'aria-current': day === this.#found.today ? 'date' : null,
      onclick: () => this.#pick(day) },
    h('span', { text: name }), h('small', { text: tried ? formatShort(tried.game.score) : '' }));
  }
}

/** On how many days in a row the game of the day was played, up to today or yesterday. */
function streakOf({ today, tries }) {
  const days = new Set(tries.filter(({ later }) => !later).map(({ day }) => day));
  let count = 0;
  for (let day = days.has(today) ? today : dayAfter(today, -1); days.has(day); day = dayAfter(day, -1)) count += 1;
  return count;
}
