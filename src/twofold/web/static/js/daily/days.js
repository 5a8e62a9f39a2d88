/** Days as the daily game and the puzzles count them: in UTC, written as `2026-11-23`. */

import { locale } from '../language.js';

const CLOCK = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const DAY_MS = 86_400_000;

/** The weekday that a week begins with: 1 is Monday. */
const FIRST_WEEKDAY = firstWeekday();

/** A day as people write it: `Monday, 23 November 2026`. */
export const dayText = formatter({ dateStyle: 'full' });

/** `23 November 2026` */
export const dayName = formatter({ dateStyle: 'long' });

/** `November 2026` */
export const monthText = formatter({ month: 'long', year: 'numeric' });

const weekdayText = formatter({ weekday: 'short' });

function formatter(how) {
  const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...how });
  return (day) => format.format(new Date(day));
}

/**
 * @param {string} day
 * @param {number} days later; before with a minus
 * @returns {string}
 */
export function dayAfter(day, days) {
  return isoOf(Date.parse(day) + days * DAY_MS);
}

/**
 * @param {string} day
 * @param {number} months later; before with a minus
 * @returns {string} the first day of that month
 */
export function monthAfter(day, months) {
  const [year, month] = day.split('-').map(Number);
  return isoOf(Date.UTC(year, month - 1 + months, 1));
}

/**
 * The weeks of a month.
 *
 * @param {string} day any day of it
 * @returns {(string | null)[][]} null for the days of other months
 */
export function weeksOf(day) {
  const first = monthAfter(day, 0);
  const lead = (new Date(first).getUTCDay() - FIRST_WEEKDAY + 7) % 7;
  const count = Math.round((Date.parse(monthAfter(day, 1)) - Date.parse(first)) / DAY_MS);
  const weeks = Math.ceil((lead + count) / 7);
  return Array.from({ length: weeks }, (_, week) => Array.from({ length: 7 }, (__, place) => {
    const number = 7 * week + place - lead;
    return number >= 0 && number < count ? dayAfter(first, number) : null;
  }));
}

/** The names of the seven weekdays, the first one first. */
export function weekdays() {
  const sunday = Date.UTC(2026, 0, 4);
  return Array.from({ length: 7 },
    (_, place) => weekdayText(sunday + (FIRST_WEEKDAY + place) * DAY_MS));
}

/** When a day begins in UTC, by the clock of this place: `01:00`. */
export function beginText() {
  const now = new Date();
  return CLOCK.format(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
}

function isoOf(milliseconds) {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function firstWeekday() {
  const here = new Intl.Locale(locale);
  const week = here.getWeekInfo?.() ?? here.weekInfo;
  return (week?.firstDay ?? 1) % 7;
}
