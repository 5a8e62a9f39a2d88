/** Score and best score, with the points of a move floating up. */

import { h } from '../dom.js';
import { settings } from '../settings.js';
import { number, text } from '../text.js';

const FLOAT_MS = 600;
const FLOAT = [{ transform: 'none', opacity: 1 }, { transform: 'translateY(-2.5rem)', opacity: 0 }];
const STILL = window.matchMedia('(prefers-reduced-motion: reduce)');

/** The two boxes. */
export class ScoreView {
  #score = h('dd', { class: 'number' });
  #best = h('dd', { class: 'number' });
  #gain = h('span', { class: 'score-gain number', 'aria-hidden': 'true', hidden: true });

  #floating = null;

  constructor() {
    this.element = h('dl', { class: 'scores' },
      h('div', { class: 'score' }, h('dt', { text: text('play.score') }), this.#score, this.#gain),
      h('div', { class: 'score' }, h('dt', { text: text('games.best') }), this.#best));
  }

  /** @param {{score: number, best: number}} now */
  show({ score, best }) {
    write(this.#score, score);
    write(this.#best, best);
  }

  /** @param {number} points of a move */
  gain(points) {
    const speed = settings.get('speed');
    if (!points || !speed || STILL.matches) return;
    this.#gain.textContent = `+${number(points)}`;
    this.#gain.hidden = false;
    this.#floating?.cancel();
    this.#floating = this.#gain.animate(FLOAT, { duration: FLOAT_MS / speed, easing: 'ease-in' });
    this.#floating.onfinish = () => { this.#gain.hidden = true; };
  }
}

function write(element, value) {
  const digits = number(value);
  if (element.textContent === digits) return;
  element.textContent = digits;
  element.classList.toggle('long', digits.length > 9);
}
