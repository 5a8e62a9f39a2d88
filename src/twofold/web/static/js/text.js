/**
 * Texts and numbers in the language of the page.
 *
 * The texts of a language are in `texts/en.json` and so on, a key a line, sorted: `page.what`. What
 * two pages say alike stands in the section of one of them. In a text `{name}` stands for a value.
 * A text that goes by the value `count` has a key for each form, as `Intl.PluralRules` names it:
 * `games.found.one`, `games.found.other`. A language needs its own forms only, and `other`.
 */

import { settings } from './settings.js';

/** The languages that the page has texts in, each by its own name. */
export const LANGUAGES = { de: 'Deutsch', en: 'English', es: 'Español', zh: '中文' };

const wanted = navigator.languages ?? [navigator.language];

const languageOf = (tag) => tag.split('-')[0].toLowerCase();

/** The name of the language, such as `en`: the one chosen, else the first of the browser's that there is. */
export const language = [settings.get('language'), ...wanted.map(languageOf), 'en']
  .find((one) => Object.hasOwn(LANGUAGES, one));

/** How numbers and dates are written: as the browser has it for this language, such as `en-GB`. */
export const locale = wanted.find((tag) => languageOf(tag) === language) ?? language;

const CATALOGUE = await (await fetch(new URL(`../texts/${language}.json`, import.meta.url))).json();

const FORMS = new Intl.PluralRules(locale);
const NUMBERS = new Intl.NumberFormat(locale);
const formats = new Map(); // by the number of decimals
const SIGNS = NUMBERS.formatToParts(1234567.5);

/** The sign between thousands, and between a number and its decimals. */
export const [group, point] = ['group', 'decimal'].map(
  (type) => SIGNS.find((part) => part.type === type)?.value ?? '',
);

/**
 * A text of the catalogue.
 *
 * @param {string} key
 * @param {Object<string, string|number>} [values] numbers are written with thousands separators
 * @returns {string}
 */
export function text(key, values = {}) {
  const form = `${key}.${FORMS.select(Number(values.count))}`;
  const words = CATALOGUE[key] ?? CATALOGUE[form] ?? CATALOGUE[`${key}.other`];
  if (words === undefined) {
    console.error(`no text for ${key}`);
    return key;
  }
  return words.replace(/\{(\w+)\}/g, (_, name) => (
    typeof values[name] === 'number' ? number(values[name]) : String(values[name] ?? '')));
}

/**
 * Words one after the other, with the comma of the language between them.
 *
 * @param {string[]} words
 * @returns {string}
 */
export function joined(words) {
  return words.join(CATALOGUE['all.comma']);
}

/**
 * Words with what they are about before them, as in `left: brings the tiles together`.
 *
 * @param {string} label
 * @param {string} words
 * @returns {string}
 */
export function labelledText(label, words) {
  return text('all.labelled', { label, words });
}

/**
 * A text with a capital at its beginning.
 *
 * @param {string} words
 * @returns {string}
 */
export function sentence(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * A text with a capital at its beginning and a stop at its end.
 *
 * @param {string} words
 * @returns {string}
 */
export function fullSentence(words) {
  return /[.!?…。！？]$/.test(words) ? sentence(words) : sentence(words) + text('all.full_stop').trim();
}

/**
 * A number as people read it: `1,234`.
 *
 * @param {number} value
 * @returns {string}
 */
export function number(value) {
  return NUMBERS.format(value);
}

/**
 * A number with as many decimals as asked for: `1,234.50`, `−3.0`.
 *
 * @param {number} value
 * @param {number} decimals
 * @returns {string}
 */
export function fixed(value, decimals) {
  if (!formats.has(decimals)) {
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    formats.set(decimals, new Intl.NumberFormat(locale, digits));
  }
  return formats.get(decimals).format(value).replace('-', '−');
}

/**
 * A share of 100 with as many decimals as asked for: `65.1 %`. Without decimals one if it is not 0.
 *
 * @param {number} value
 * @param {number} [decimals]
 * @returns {string}
 */
export function percent(value, decimals) {
  const words = decimals === undefined ? number(Math.round(10 * value) / 10) : fixed(value, decimals);
  return text('all.percent', { value: words });
}
