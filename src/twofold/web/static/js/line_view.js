/** The line of best play as steps that can be read, pointed at and played. */

import { h, part, render } from './dom.js';
import { ARROWS, moveName } from './moves.js';
import { parseStep, shapeOf } from './notation.js';
import { text } from './text.js';

/** Most steps shown. */
const MAX_STEPS = 8;

/** A list of steps: the arrow of the move, then where the new tile appears. */
export class LineView {
  #shown = '';
  #board = '';

  /**
   * @param {object} options
   * @param {(steps: number) => void} [options.onLine] called when a step is picked
   * @param {(steps: number) => void} [options.onPreview] called when one is pointed at; 0 for none
   */
  constructor({ onLine = () => {}, onPreview = () => {} }) {
    Object.assign(this, { onLine, onPreview });
    this.list = h('ol', { class: 'line-steps row', 'aria-label': text('analysis.line') });
    this.element = part(h('div', { class: 'analysis-line' }, h('p', { class: 'soft small', text: text('analysis.line') }), this.list));
  }

  /**
   * Show a line. One that is being pointed at stays until the board changes.
   *
   * @param {string[]} line
   * @param {string} board text of the board it begins on
   * @param {boolean} isFinal whether no other line follows: then one without steps is hidden
   */
  show(line, board, isFinal) {
    if (isFinal || line.length) this.element.hidden = !line.length;
    const key = `${board} ${line.join(' ')}`;
    const isHeld = board === this.#board && this.list.matches(':hover, :focus-within');
    if (isHeld || key === this.#shown) return;
    [this.#shown, this.#board] = [key, board];
    render(this.list, line.slice(0, MAX_STEPS).map((step, index) => this.#item(parseStep(step), index, shapeOf(board))));
  }

  /** Show no line. */
  clear() {
    this.#shown = '';
    render(this.list);
  }

  #item(step, index, shape) {
    const words = stepWords(step, shape);
    const preview = () => this.onPreview(index + 1);
    const end = () => this.onPreview(0);
    return h('li', { class: 'line' }, h('button', { type: 'button', class: 'line-step', title: words, onclick: () => this.onLine(index + 1),
      onpointerenter: preview, onpointerleave: end, onfocus: preview, onblur: end },
    h('span', { class: 'line-arrow', 'aria-hidden': 'true' }, ARROWS[step.move]),
    step.cell !== null && spawnMark(step, shape), h('span', { class: 'visually-hidden', text: words })));
  }
}

/** A small picture of the board with the new tile in its place. */
function spawnMark({ cell, tile }, { rows, cols }) {
  const style = { width: `${100 / cols}%`, height: `${100 / rows}%`, left: `${((cell % cols) * 100) / cols}%`,
    top: `${(Math.floor(cell / cols) * 100) / rows}%` };
  return h('span', { class: 'line-spawn line', 'aria-hidden': 'true' }, h('span', { text: String(tile) }),
    h('span', { class: 'line-place' }, h('span', { class: `line-dot line-dot-${tile === 2 ? 'two' : 'more'}`, style })));
}

function stepWords({ move, cell, tile }, { cols }) {
  if (cell === null) return moveName(move);
  return text('analysis.step', { move: moveName(move), tile, row: Math.floor(cell / cols) + 1, col: (cell % cols) + 1 });
}
