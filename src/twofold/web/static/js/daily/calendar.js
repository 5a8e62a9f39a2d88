/** The daily games of a month: a table of days, each a button. */

import { button, fill, h } from '../dom.js';
import { formatShort } from '../figures.js';
import { text } from '../text.js';
import { dayText, monthAfter, monthText, weekdays, weeksOf } from './days.js';

/** A month; the days that can be played are buttons. */
export class Calendar {
  /** @param {function(string): void} onPick gets a day */
  constructor(onPick) {
    this.onPick = onPick;
    this.name = h('h2', { id: 'daily-month', 'aria-live': 'polite' });
    this.back = button({ icon: 'left', label: text('daily.month_before') }, () => this.#turn(-1));
    this.forward = button({ icon: 'right', label: text('daily.month_after') }, () => this.#turn(1));
    this.body = h('tbody');
    const head = weekdays().map((name) => h('th', { scope: 'col', text: name }));
    this.element = h('section', { class: 'card stack', 'aria-labelledby': 'daily-month' },
      h('div', { class: 'daily-turn' }, this.back, this.name, this.forward),
      h('table', { class: 'daily-month', 'aria-labelledby': 'daily-month' },
        h('thead', {}, h('tr', {}, head)), this.body));
  }

  /**
   * @param {object} found a `DailyGames` of the server
   * @param {string} day that is chosen
   */
  show(found, day) {
    this.found = found;
    this.day = day;
    this.month = monthAfter(day, 0);
    this.tries = new Map(found.tries.map((one) => [one.day, one]));
    this.#draw();
  }

  #turn(months) {
    this.month = monthAfter(this.month, months);
    this.#draw();
  }

  #draw() {
    const { today, first } = this.found;
    this.name.textContent = monthText(this.month);
    this.back.disabled = this.month <= monthAfter(first, 0);
    this.forward.disabled = this.month >= monthAfter(today, 0);
    fill(this.body, weeksOf(this.month).map((week) => h('tr', {},
      week.map((day) => h('td', {}, day && this.#cell(day))))));
  }

  #cell(day) {
    const { today, first } = this.found;
    const name = String(Number(day.slice(8)));
    if (day > today || day < first) return h('span', { class: 'daily-day soft', text: name });
    const found = this.tries.get(day);
    const state = stateOf(found);
    const words = text(`daily.day_${state}`, { day: dayText(day), score: found?.game.score ?? 0 });
    return h('button', { type: 'button', class: `daily-day ${state}`, 'aria-label': words, title: words,
      'aria-pressed': String(day === this.day), 'aria-current': day === today ? 'date' : null,
      onclick: () => this.#pick(day) },
    h('span', { text: name }), h('small', { text: found ? formatShort(found.game.score) : '' }));
  }

  #pick(day) {
    this.onPick(day);
    this.body.querySelector('[aria-pressed="true"]')?.focus();
  }
}

/**
 * How far a day is: `none`, `going`, `later` (over, begun on a later day) or `done`.
 *
 * @param {object | undefined} found a `DailyTry`
 * @returns {string}
 */
export function stateOf(found) {
  if (!found) return 'none';
  if (found.game.status !== 'over') return 'going';
  return found.later ? 'later' : 'done';
}
