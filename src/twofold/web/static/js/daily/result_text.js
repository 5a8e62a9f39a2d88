/** The result of a daily game as text with coloured squares, to be pasted anywhere. */

import { exponentsOf, shapeOf } from '../notation.js';
import { text } from '../text.js';

/** A square for each exponent: the tiles of the end of a game have one each. */
const SQUARES = ['⬜', '🟫', '🟫', '🟫', '🟨', '🟨', '🟧', '🟧', '🟥', '🟪', '🟦', '🟩'];

/** From 4096 on a picture for each. */
const LARGE = ['⭐', '💎', '👑', '🏆', '🚀'];

/** What each square stands for: the smallest and the largest tile of it. */
export const LEGEND = [['🟫', 2, 8], ['🟨', 16, 32], ['🟧', 64, 128], ['🟥', 256, 256],
  ['🟪', 512, 512], ['🟦', 1024, 1024], ['🟩', 2048, 2048], ['⭐', 4096, 4096], ['💎', 8192, 8192],
  ['👑', 16384, 16384], ['🏆', 32768, 32768], ['🚀', 65536, 65536 * 2]];

/**
 * A board as rows of squares.
 *
 * @param {string} board its text
 * @returns {string}
 */
export function squaresOf(board) {
  const { cols } = shapeOf(board);
  const squares = exponentsOf(board).map(squareOf);
  const rows = [];
  for (let start = 0; start < squares.length; start += cols) {
    rows.push(squares.slice(start, start + cols).join(''));
  }
  return rows.join('\n');
}

/**
 * The text to copy.
 *
 * @param {string} day such as `2026-11-23`
 * @param {object} game a `GameInfo`
 * @returns {string}
 */
export function resultText(day, { score, moves, max_tile: tile, board }) {
  const facts = text('daily.result_facts', { score, tile: String(tile), count: moves });
  return [text('daily.result_title', { day }), facts, squaresOf(board)].join('\n');
}

function squareOf(exponent) {
  return SQUARES[exponent] ?? LARGE[Math.min(exponent - SQUARES.length, LARGE.length - 1)];
}
