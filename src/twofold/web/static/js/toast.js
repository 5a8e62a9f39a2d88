/**
 * Short messages over the head of the page, on phones at the bottom, with at most one thing to do about them.
 *
 * They stand first in the page, so that their buttons come first by Tab.
 */

import { announce } from './announce.js';
import { button, h } from './dom.js';
import { text } from './text.js';

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
 * @param {{text: string, run: function(): void, holds?: function(): boolean}} [action] a button of
 *   the toast, which stays as long as the action `holds`
 * @returns {function(): void} takes it away
 */
export function toast(words, action = null) {
  const element = h('div', { class: 'toast' }, h('span', { class: 'grow', text: words }));
  const remove = () => element.remove();
  const run = () => { remove(); action.run(); };
  if (action) element.append(button({ text: action.text }, run));
  element.append(button({ icon: 'close', label: text('all.close') }, remove));
  place?.replaceChildren(element);
  announce(words);
  keepWhileUsed(element, remove, action?.holds);
  return remove;
}

// A toast that is pointed at or has the focus stays.
function keepWhileUsed(element, remove, holds = () => false) {
  const isUsed = () => element.isConnected && (element.matches(':hover, :focus-within') || holds());
  const check = () => (isUsed() ? wait() : remove());
  const wait = () => setTimeout(check, LIFETIME_MS);
  wait();
}
