/** Says what happens: to screen readers in words, without flooding them, and in short messages over the page. */

import { button, h } from './dom.js';
import { text } from './text.js';

const QUIET_MS = 900;

let region = null;
let pending = null;
let lastSaid = 0;

/**
 * Where the words go. Called once, by main.js.
 *
 * @param {HTMLElement} element a live region
 */
export function announceIn(element) {
  region = element;
}

/**
 * Say something politely. Of texts that come faster than one can listen, the last one is said.
 *
 * @param {string} words
 */
export function announce(words) {
  clearTimeout(pending);
  const wait = Math.max(0, lastSaid + QUIET_MS - performance.now());
  pending = setTimeout(() => say(words), wait);
}

function say(words) {
  lastSaid = performance.now();
  // the same words twice are a change only if the text differs
  if (region) region.textContent = region.textContent === words ? `${words}\u00a0` : words;
}

const LIFETIME_MS = 8000;

let place = null;

/**
 * Where toasts appear. Called once, by main.js.
 *
 * @param {HTMLElement} element
 */
export function toastsIn(element) {
  place = element;
}

/** Take the message away: it was about a page that is left. */
export function clearToasts() {
  place?.replaceChildren();
}

/**
 * Show a message for a while; it is said to screen readers, too.
 *
 * @param {string} words
 * @param {{text: string, run: function(): void}} [action] a button of the toast
 * @returns {function(): void} takes it away
 */
export function toast(words, action = null) {
  const element = h('div', { class: 'toast line' }, h('span', { class: 'grow', text: words }));
  const remove = () => element.remove();
  const run = () => { remove(); action.run(); };
  if (action) element.append(button({ text: action.text }, run));
  element.append(button({ icon: 'close', label: text('all.close') }, remove));
  place?.replaceChildren(element);
  announce(words);
  keepWhileUsed(element, remove);
  return remove;
}

// A toast that is pointed at or has the focus stays.
function keepWhileUsed(element, remove) {
  const check = () => (element.matches(':hover, :focus-within') ? wait() : remove());
  const wait = () => setTimeout(check, LIFETIME_MS);
  wait();
}
