/** Boards as text and as tiles, and the step between two of them. */

import { shapeOf } from '../notation.js';
import { slide } from '../slides.js';

/**
 * The tiles of a board.
 *
 * @param {string} board its text
 * @returns {number[]} row by row, 0 for an empty cell
 */
export function tilesOf(board) {
  const digits = [...board.replace(/^.*:/, '').replaceAll('/', '')];
  return digits.map((digit) => (digit === '0' ? 0 : 2 ** parseInt(digit, 36)));
}

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
