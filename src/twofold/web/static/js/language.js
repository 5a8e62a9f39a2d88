/** The language of the page: the one chosen, else the first of the browser's that there is. */

import { settings } from './settings.js';

/** The languages that the page has texts in, each by its own name. */
export const LANGUAGES = { de: 'Deutsch', en: 'English', es: 'Español', zh: '中文' };

const wanted = navigator.languages ?? [navigator.language];

function chosen() {
  const name = settings.get('language');
  if (name in LANGUAGES) return name;
  return wanted.map(languageOf).find((one) => one in LANGUAGES) ?? 'en';
}

function languageOf(tag) {
  return tag.split('-')[0].toLowerCase();
}

/** Its name, such as `en`. */
export const language = chosen();

/** How numbers and dates are written: as the browser has it for this language, such as `en-GB`. */
export const locale = wanted.find((tag) => languageOf(tag) === language) ?? language;
