/** Grades of moves, from the best to a blunder, with the signs that chess players write. */

import { h } from './dom.js';
import { text } from './text.js';

const SIGNS = { best: '★', fine: '=', inaccuracy: '?!', mistake: '?', blunder: '??' };

/**
 * A round mark with the sign of a grade; its name has to stand beside it.
 *
 * @param {string} grade
 * @returns {HTMLElement}
 */
export function gradeMark(grade) {
  return h('span', { class: `grade-mark grade-${grade}`, 'aria-hidden': 'true', text: SIGNS[grade] });
}

/** The sign of a grade. */
export const gradeSign = (grade) => SIGNS[grade];

/**
 * The name of a grade.
 *
 * @param {string} grade
 */
export function gradeName(grade) {
  return text(`grade.${grade}`);
}

/**
 * Why a move is good or bad, as part of a sentence: `takes the 2048 out of its corner`.
 *
 * @param {object} reason of a reply
 */
export function reasonText({ kind, gains, tile, count, other, line, move }) {
  return text(`reason.${kind}_${gains ? 'good' : 'bad'}`, {
    tile: String(tile), count, other,
    line: line && text(`reason.line_${line}`), move: move && text(`move.${move}`),
  });
}
