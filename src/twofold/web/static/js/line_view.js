/** The line of best play as steps that can be read, pointed at and played. */

import { h } from './dom.js';
import { ARROWS, moveName } from './moves.js';
import { parseStep, shapeOf } from './notation.js';
import { text } from './text.js';

/** Most steps shown. */
const MAX_STEPS = 8;

/** A list of steps: the arrow of the move, then where the new tile appears. */
export class LineView {
  /**
   * @param {object} options
   * @param {(steps: number) => void} [options.onLine] called when a step is picked
   * @param {(steps: number) => void} [options.onPreview] called when one is pointed at; 0 for none
   */
  constructor({ onLine, onPreview } = {}) {
    this.onLine = onLine;
    this.onPreview = onPreview;
    this.list = h('ol', { class: 'line-steps', 'aria-label': text('analysis.line') });
    this.element = h('div', { class: 'analysis-line' },
      h('p', { class: 'line-label', text: text('analysis.line') }), this.list);
    this.shown = '';
    this.board = '';
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
    const held = board === this.board && this.list.matches(':hover, :focus-within');
    if (held || key === this.shown) return;
    this.shown = key;
    this.board = board;
    const steps = line.slice(0, MAX_STEPS).map(parseStep);
    this.list.replaceChildren(...steps.map((step, index) => this.#item(step, index, shapeOf(board))));
  }

  /** Show no line. */
  clear() {
    this.shown = '';
    this.list.replaceChildren();
  }

  #item(step, index, shape) {
    const face = [
      h('span', { class: 'line-arrow', 'aria-hidden': 'true' }, ARROWS[step.move]),
      ...(step.cell === null ? [] : [spawnMark(step, shape)]),
      h('span', { class: 'visually-hidden' }, stepWords(step, shape)),
    ];
    if (!this.onLine) return h('li', { title: stepWords(step, shape) }, ...face);
    const preview = () => this.onPreview?.(index + 1);
    const end = () => this.onPreview?.(0);
    const button = h(
      'button',
      {
        type: 'button',
        class: 'line-step',
        title: stepWords(step, shape),
        onclick: () => this.onLine(index + 1),
        onpointerenter: preview,
        onpointerleave: end,
        onfocus: preview,
        onblur: end,
      },
      ...face,
    );
    return h('li', {}, button);
  }
}

/** A small picture of the board with the new tile in its place. */
function spawnMark(step, { rows, cols }) {
  const dot = h('span', { class: `line-dot line-dot-${step.tile === 2 ? 'two' : 'more'}` });
  dot.style.width = `${100 / cols}%`;
  dot.style.height = `${100 / rows}%`;
  dot.style.left = `${((step.cell % cols) * 100) / cols}%`;
  dot.style.top = `${(Math.floor(step.cell / cols) * 100) / rows}%`;
  return h(
    'span',
    { class: 'line-spawn', 'aria-hidden': 'true' },
    h('span', { class: 'line-tile' }, String(step.tile)),
    h('span', { class: 'line-place' }, dot),
  );
}

function stepWords({ move, cell, tile }, { cols }) {
  if (cell === null) return moveName(move);
  const values = { move: moveName(move), tile, row: Math.floor(cell / cols) + 1, col: (cell % cols) + 1 };
  return text('analysis.step', values);
}
