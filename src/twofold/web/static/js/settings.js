/** What the person prefers, kept in this browser. */

import { keep, kept } from './memory.js';

const STORAGE_KEY = 'twofold.settings';

/** Every setting and its value at first. */
const DEFAULTS = {
  theme: 'system', // system, light, dark
  palette: 'usual', // colours of the tiles: usual, original, contrast, safe
  language: 'system', // or one of language.js
  speed: 1, // of animations: 0 (off) to 2
  pad: false, // whether the D-pad is shown
  say: 'all', // what the live region tells: all, short, off
  sounds: false, // whether moves are heard
  clock: false, // whether the time and the pace of a game are shown
  hints: false, // whether the help is on
  player: '', // spec of the player who helps; empty for the default one
  pace: 4, // moves a second when a player plays for me
  chances: 'after', // when Practice shows the chances of moves: before, after, off
};

class Settings {
  #values = { ...DEFAULTS, ...kept(STORAGE_KEY) };
  #handlers = new Map();

  /**
   * @param {string} name
   * @returns {any} the value
   */
  get(name) {
    return this.#values[name];
  }

  /**
   * @param {string} name
   * @param {any} value is kept, and told to who listens
   */
  set(name, value) {
    if (this.#values[name] === value) return;
    this.#values[name] = value;
    keep(STORAGE_KEY, this.#values);
    for (const handler of this.#handlers.get(name) ?? []) handler(value);
  }

  /**
   * Listen to changes of a setting.
   *
   * @param {string} name
   * @param {function(any): void} handler
   * @returns {function(): void} ends it
   */
  on(name, handler) {
    if (!this.#handlers.has(name)) this.#handlers.set(name, new Set());
    this.#handlers.get(name).add(handler);
    return () => this.#handlers.get(name).delete(handler);
  }
}

/** `light` or `dark`: what the page is shown in, by the settings or by the system. */
export function theme() {
  const isDark = window.matchMedia('(prefers-color-scheme: dark)').matches;
  return document.documentElement.dataset.theme ?? (isDark ? 'dark' : 'light');
}

/** The one set of settings. */
export const settings = new Settings();
