/** A board as a small picture, for lists. */

import { h } from '../dom.js';
import { exponentsOf, shapeOf } from '../notation.js';

/**
 * A picture of a board; what it shows must be said beside it.
 *
 * @param {string} board its text
 * @returns {HTMLElement}
 */
export function miniBoard(board) {
  const { rows, cols } = shapeOf(board);
  const style = { '--rows': rows, '--cols': cols };
  return h('div', { class: 'mini-board', 'aria-hidden': 'true', style },
    exponentsOf(board).map((exponent) => h('span', exponent ? { dataset: { exponent } } : null)));
}
