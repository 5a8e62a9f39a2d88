/** Days in UTC, as `2026-11-23`. */

import { locale } from '../language.js';

const NAMES = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });

/**
 * @param {string} day
 * @param {number} count days later; negative for earlier
 */
export function addDays(day, count) {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + count);
  return date.toISOString().slice(0, 10);
}

/**
 * A day as people write it.
 *
 * @param {string} day
 */
export function dayName(day) {
  return NAMES.format(new Date(`${day}T00:00:00Z`));
}
