/** What the person prefers, kept in this browser; and what one tab remembers. */

import { Teller } from './dom.js';

const STORAGE_KEY = 'twofold.settings';

/** Every setting and its value at first. */
const DEFAULTS = {
  theme: 'system', // system, light, dark
  palette: 'usual', // colours of the tiles: usual, original, contrast, safe
  language: 'system', // or one of text.js
  speed: 1, // of animations: 0 (off) to 2
  pad: false, // whether the D-pad is shown
  say: 'all', // what the live region tells: all, short, off
  hints: false, // whether the help is on
  player: '', // spec of the player who helps; empty for the default one
  pace: 4, // moves a second when a player plays for me
  chances: 'after', // when Practice shows the chances of moves: before, after, off
  details: false, // whether the details of an analysis are open
  strengths: [], // those of the server at the last visit
  command: 'twofold serve --no-open', // that starts it
};

class Settings extends Teller {
  #values = { ...DEFAULTS, ...read('localStorage', STORAGE_KEY) };

  /**
   * @param {string} name
   * @returns {any} the value
   */
  get(name) {
    return this.#values[name];
  }

  /**
   * @param {string} name
   * @param {any} value is kept, and told to who listens to the name
   */
  set(name, value) {
    if (this.#values[name] === value) return;
    this.#values[name] = value;
    write('localStorage', STORAGE_KEY, this.#values);
    this.tell(name, value);
  }
}

/** The one set of settings. */
export const settings = new Settings();

/** `light` or `dark`: what the page is shown in, by the settings or by the system. */
export function theme() {
  const isDark = window.matchMedia('(prefers-color-scheme: dark)').matches;
  return document.documentElement.dataset.theme ?? (isDark ? 'dark' : 'light');
}

/**
 * @param {string} key
 * @returns {any} what the tab remembers when it is reloaded; null for nothing
 */
export function remembered(key) {
  return read('sessionStorage', key);
}

/**
 * Have this tab remember a value, whatever happens in others.
 *
 * @param {string} key
 * @param {any} value
 */
export function remember(key, value) {
  write('sessionStorage', key, value);
}

function read(storage, key) {
  try {
    return JSON.parse(window[storage].getItem(key));
  } catch {
    return null;
  }
}

function write(storage, key, value) {
  try {
    window[storage].setItem(key, JSON.stringify(value));
  } catch {
    // it lasts as long as the page
  }
}
