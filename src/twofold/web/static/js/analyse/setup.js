/** The controls that set up a board: back and forward, random, empty, its shape. */

import { button, h } from '../dom.js';
import { text } from '../text.js';

const LARGEST_SIDE = 8;

/** Buttons and lists under the board. */
export class Setup {
  /**
   * @param {object} actions
   * @param {() => void} actions.onBack
   * @param {() => void} actions.onForward
   * @param {() => void} actions.onRandom
   * @param {() => void} actions.onClear
   * @param {(rows: number, cols: number) => void} actions.onShape
   */
  constructor({ onBack, onForward, onRandom, onClear, onShape }) {
    this.back = button({ icon: 'undo', label: text('analyse.back') }, onBack);
    this.forward = button({ icon: 'redo', label: text('analyse.forward') }, onForward);
    this.rows = sideList('analyse.rows', () => this.#shaped(onShape));
    this.cols = sideList('analyse.cols', () => this.#shaped(onShape));
    this.element = h('div', { class: 'setup' },
      h('div', { class: 'group' }, this.back, this.forward),
      button({ icon: 'dice', text: text('analyse.random') }, onRandom),
      button({ icon: 'delete', text: text('analyse.clear') }, onClear),
      h('div', { class: 'setup-shape' },
        this.rows, h('span', { 'aria-hidden': 'true', text: '×' }), this.cols));
  }

  #shaped(onShape) {
    const [rows, cols] = [Number(this.rows.value), Number(this.cols.value)];
    onShape(rows, rows === 1 ? Math.max(2, cols) : cols); // a single cell is no board
  }

  /**
   * Show what can be done.
   *
   * @param {import('./trail.js').Trail} trail
   */
  show(trail) {
    this.back.disabled = !trail.canBack;
    this.forward.disabled = !trail.canForward;
    this.rows.value = trail.position.rows;
    this.cols.value = trail.position.cols;
  }
}

function sideList(label, onchange) {
  const sides = Array.from({ length: LARGEST_SIDE }, (_, index) => index + 1);
  return h('select', { class: 'select', 'aria-label': text(label), onchange },
    sides.map((side) => h('option', { value: side, text: String(side) })));
}
