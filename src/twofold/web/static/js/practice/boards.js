/** The step from one board to the next. */

import { shapeOf, tilesOf } from '../notation.js';
import { slide } from '../slides.js';

/**
 * A move as `BoardView.step` takes it.
 *
 * @param {string} board before the move
 * @param {string} letter of the move
 * @param {{board: string, cell: number, tile: number}} after what came of it
 */
export function stepOf(board, letter, { board: next, cell, tile }) {
  const { slides } = slideOf(board, letter);
  return { slides, cell, tile, now: { tiles: tilesOf(next) } };
}

/**
 * A move before the new tile.
 *
 * @param {string} board
 * @param {string} letter
 * @returns {import('../slides.js').SlideResult}
 */
export function slideOf(board, letter) {
  const { rows, cols } = shapeOf(board);
  return slide(tilesOf(board), rows, cols, letter);
}
