/** Says what happens: to screen readers in words, without flooding them, and in short messages over the page. */

import { button, h } from './dom.js';
import { text } from './text.js';

const QUIET_MS = 900;
const LIFETIME_MS = 8000;

/** Where words for screen readers go. */
export const spoken = h('div', { class: 'visually-hidden', role: 'status', 'aria-live': 'polite' });

/** Where toasts appear. */
export const toasts = h('div', { class: 'toasts', role: 'region', 'aria-label': text('all.messages') });

let pending = null;
let lastSaid = 0;

/**
 * Say something politely. Of texts that come faster than one can listen, the last one is said.
 *
 * @param {string} words
 */
export function announce(words) {
  clearTimeout(pending);
  pending = setTimeout(() => {
    lastSaid = performance.now();
    // the same words twice are a change only if the text differs
    spoken.textContent = spoken.textContent === words ? `${words}\u00a0` : words;
  }, Math.max(0, lastSaid + QUIET_MS - performance.now()));
}

/** Take away what was said: it is true no more. */
export function hush() {
  clearTimeout(pending);
  spoken.textContent = '';
}

/** Take the message away: it was about a page that is left. */
export function clearToasts() {
  toasts.replaceChildren();
}

/**
 * Show a message for a while; it is said to screen readers, too.
 *
 * @param {string} words
 * @param {{text: string, run: function(): void}} [action] a button of the toast
 */
export function toast(words, action = null) {
  const remove = () => element.remove();
  const run = () => { remove(); action.run(); };
  const element = h('div', { class: 'toast line' }, h('span', { class: 'grow', text: words }),
    action && button({ text: action.text }, run), button({ icon: 'close', label: text('all.close') }, remove));
  // one that is pointed at or has the focus stays
  const check = () => (element.matches(':hover, :focus-within') ? wait() : remove());
  const wait = () => setTimeout(check, LIFETIME_MS);
  toasts.replaceChildren(element);
  announce(words);
  wait();
}
