/** Says in words what happens, to screen readers, without flooding them. */

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
