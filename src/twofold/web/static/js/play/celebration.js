/** What was never reached before is shown over the board for a moment; it takes no key and no click. */

import { fill, h } from '../dom.js';

const SECONDS = 3;
const PIECES = 32;
const STILL = window.matchMedia('(prefers-reduced-motion: reduce)');

/** A place over the board, empty most of the time. */
export class Celebration {
  element = h('div', { class: 'celebration', 'aria-hidden': 'true' });
  #timer = null;

  /** @param {string} words */
  show(words) {
    clearTimeout(this.#timer);
    const pieces = STILL.matches ? [] : Array.from({ length: PIECES }, (_, index) => piece(index));
    fill(this.element, pieces, h('p', { class: 'celebration-words', text: words }));
    this.#timer = setTimeout(() => fill(this.element), SECONDS * 1000);
  }
}

/** A small tile that falls. */
function piece(index) {
  const style = { '--left': Math.random(), '--drift': Math.random() - 0.5,
    '--wait': Math.random(), '--turn': Math.random() };
  return h('span', { class: 'celebration-piece', dataset: { exponent: 1 + (index % 11) }, style });
}
