/** Figures as text: short counts, times, values of moves. */

import { fixed, locale, percent } from './text.js';

/** Unit of the values of a policy network, 0 to 1. */
export const PROBABILITY = 'probability';

/** From here on values are written short, and differences say more than values. */
const LARGE = 1e6;

/** A number and its unit stay in one line. */
const SUFFIXES = ['', '\u00a0k', '\u00a0M', '\u00a0G', '\u00a0T', '\u00a0P'];

/**
 * A number in three digits or so: `12.3 M`.
 *
 * @param {number} value
 */
export function formatShort(value) {
  let step = 0;
  let rest = Math.abs(value);
  while (rest >= 999.5 && step < SUFFIXES.length - 1) {
    rest /= 1000;
    step += 1;
  }
  const decimals = step === 0 || rest >= 99.95 ? 0 : rest >= 9.995 ? 1 : 2;
  return `${value < 0 ? '−' : ''}${fixed(rest, decimals)}${SUFFIXES[step]}`;
}

/**
 * A time: `10 ns`, `12 µs`, `84 ms`, `1.25 s`, `2 min 5 s`.
 *
 * @param {number} seconds
 */
export function formatDuration(seconds) {
  if (seconds > 0 && seconds < 9.995e-7) return `${fixed(seconds * 1e9, 0)}\u00a0ns`;
  if (seconds > 0 && seconds < 0.0009995) return `${fixed(seconds * 1e6, 0)}\u00a0µs`;
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)}\u00a0ms`;
  if (seconds < 59.995) return `${fixed(seconds, seconds < 9.995 ? 2 : 1)}\u00a0s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}\u00a0min ${whole % 60}\u00a0s`;
}

/**
 * A size: `537 MB`, `1.2 GB`.
 *
 * @param {number} bytes
 */
export function formatBytes(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const rest = bytes / 1000 ** step;
  return `${fixed(rest, step && rest < 9.95 ? 1 : 0)}\u00a0${units[step]}`;
}

/**
 * How to write values that stand below each other: all with as many decimals, and with up to two
 * more where those that are next to each other would look the same. Probabilities are in whole percent.
 *
 * @param {(number | null)[]} values
 * @param {string} [unit] theirs
 * @returns {(value: number) => string}
 */
export function valueFormat(values, unit = '') {
  if (unit === PROBABILITY) return formatShare;
  const largest = Math.max(0, ...values.map((value) => Math.abs(value ?? 0)));
  const step = largest >= LARGE ? Math.min(Math.floor(Math.log10(largest) / 3), SUFFIXES.length - 1) : 0;
  const size = 1000 ** step; // values of a million and more are in millions and so on, so that no column cuts them
  const isWhole = values.every((value) => Number.isInteger(value ?? 0));
  const usual = step ? 2 : isWhole || largest >= 1000 ? 0 : largest >= 100 ? 1 : largest >= 2 ? 2 : 4;
  const gap = smallestGap(values) / size;
  const needed = gap >= 0.5 ? 0 : Math.ceil(-Math.log10(2 * gap)); // for not to be written as 0
  const decimals = Math.min(Math.max(usual, needed), usual + 2);
  return (value) => `${fixed(value / size, decimals)}${SUFFIXES[step]}`;
}

/**
 * How to write the ticks of an axis: all in the unit of the largest and with as many decimals as
 * one of them needs, such as `5.0 k`, `7.5 k`, `10.0 k`. What is below 10,000 is written in full.
 *
 * @param {number[]} values round numbers
 * @returns {(value: number) => string}
 */
export function shortFormat(values) {
  const largest = Math.max(0, ...values.map(Math.abs));
  const thousands = largest < 1e4 ? 0 : Math.floor(Math.log10(largest) / 3);
  const step = Math.min(thousands, SUFFIXES.length - 1);
  const unit = 1000 ** step;
  const decimals = Math.max(0, ...values.map((value) => (
    [0, 1, 2].find((count) => Math.abs(value / unit - Number((value / unit).toFixed(count))) < 1e-9) ?? 3)));
  return (value) => (value === 0 ? '0' : `${fixed(value / unit, decimals)}${SUFFIXES[step]}`);
}

/**
 * A chance in percent, with enough digits to tell moves apart: `97.2 %`, `99.953 %`.
 *
 * @param {number} chance
 * @param {number} [decimals] at least
 */
export function formatChance(chance, decimals = 1) {
  const share = 100 * chance;
  const rest = Math.min(share, 100 - share);
  if (rest <= 0) return percent(share, 0);
  return percent(share, rest >= 1 ? decimals : Math.min(decimals + Math.ceil(-Math.log10(rest)), 6));
}

/** A probability in whole percent: `57 %`, `<1 %`. */
function formatShare(share) {
  if (share > 0 && share < 0.005) return `<${percent(1, 0)}`;
  if (share < 1 && share >= 0.995) return `>${percent(99, 0)}`;
  return percent(100 * share, 0);
}

/**
 * A chance: one counted in games, with an interval, in whole percent, such as `63 %` or `>99 %`.
 *
 * @param {number} share
 * @param {number} width of its interval; 0 for an exact chance
 */
export function formatSample(share, width) {
  return width ? formatShare(Math.min(0.999, Math.max(0.001, share))) : formatChance(share);
}

/** The smallest difference of two values that are not the same; Infinity without one. */
function smallestGap(values) {
  const sorted = values.filter((value) => value !== null && value !== undefined);
  sorted.sort((one, other) => one - other);
  const gaps = sorted.slice(1).map((value, index) => value - sorted[index]);
  return Math.min(Infinity, ...gaps.filter((gap) => gap > 0));
}

/**
 * The goodness of fit: a product of thousands of shares is tiny, such as `1.5 · 10⁻⁶`.
 *
 * @param {number} fit
 */
export function formatFit(fit) {
  if (fit >= 0.001 || !fit) return fixed(fit, 3);
  if (fit < 1e-300) return '< 10⁻³⁰⁰';
  const power = Math.floor(Math.log10(fit));
  const digits = String(-power).replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]);
  return `${fixed(fit / 10 ** power, 1)} · 10⁻${digits}`;
}

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
  if (seconds < 99.5) return `${Math.round(seconds)}\u00a0s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes}\u00a0min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}\u00a0h ${minutes % 60}\u00a0min`;
  return `${Math.floor(hours / 24)}\u00a0d ${hours % 24}\u00a0h`;
}
