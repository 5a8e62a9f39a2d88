/** What lies over a board: arrows of moves, at the edges, where they hide no tile. */

import { h, icon } from './dom.js';

const ICONS = { u: 'up', r: 'right', d: 'down', l: 'left' };

/**
 * An arrow at the edge that a move goes to.
 *
 * @param {string} letter of the move
 * @param {string} kind class: `best`, `made`, `good` or `bad`
 * @returns {HTMLElement}
 */
export function moveArrow(letter, kind) {
  return h('div', { class: `board-arrow ${kind} to-${ICONS[letter]}` }, icon(ICONS[letter]));
}
