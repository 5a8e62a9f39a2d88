/** Times as people say them. */

import { locale } from '../language.js';

const UNITS = [[60, 'second'], [60, 'minute'], [24, 'hour'], [30, 'day'], [12, 'month'], [Infinity, 'year']];
const RELATIVE = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });

/**
 * How long ago something was: `5 min ago`; what is newer than a few seconds is `now`.
 *
 * @param {string} date ISO 8601
 * @param {number} [now] milliseconds since 1970
 * @returns {string}
 */
export function formatAgo(date, now = Date.now()) {
  let left = Math.max(0, (now - Date.parse(date)) / 1000);
  if (left < 5) return RELATIVE.format(0, 'second');
  for (const [size, unit] of UNITS) {
    const whole = unit === 'second' ? Math.floor(left / 5) * 5 : Math.round(left);
    if (whole < size) return RELATIVE.format(-whole, unit).replace('.', '');
    left /= size;
  }
  return '';
}

/**
 * A long time: `46 min`, `3 h 5 min`, `2 d 4 h`; a short one in seconds.
 *
 * @param {number} seconds
 * @returns {string}
 */
export function formatLong(seconds) {
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
