/** The slide of a move, in the page: what is shown before the server has answered. */

import { shapeOf, tilesOf } from './notation.js';

/**
 * @typedef {object} SlideResult
 * @property {number[]} tiles the board after the slide, before the new tile
 * @property {[number, number, boolean][]} slides where each tile goes: from, to, merged
 * @property {number} reward points of the merges
 * @property {boolean} changed whether the move is legal
 */

/**
 * Slide a board.
 *
 * @param {number[]} tiles row by row, 0 for an empty cell
 * @param {number} rows
 * @param {number} cols
 * @param {string} letter `u`, `r`, `d` or `l`
 * @returns {SlideResult}
 */
export function slide(tiles, rows, cols, letter) {
  const result = { tiles: tiles.map(() => 0), slides: [], reward: 0, changed: false };
  for (const line of linesOf(rows, cols, letter)) slideLine(tiles, line, result);
  return result;
}

/**
 * A move on a board, before the new tile.
 *
 * @param {string} board its text
 * @param {string} letter
 * @returns {SlideResult}
 */
export function slideOf(board, letter) {
  const { rows, cols } = shapeOf(board);
  return slide(tilesOf(board), rows, cols, letter);
}

/**
 * Letters of the legal moves, in the order up, right, down, left.
 *
 * @param {number[]} tiles
 * @param {number} rows
 * @param {number} cols
 */
export function legalMoves(tiles, rows, cols) {
  return ['u', 'r', 'd', 'l'].filter((letter) => slide(tiles, rows, cols, letter).changed).join('');
}

/** Cells of each line, the one that tiles move towards first. */
function linesOf(rows, cols, letter) {
  const vertical = letter === 'u' || letter === 'd';
  const [count, length] = vertical ? [cols, rows] : [rows, cols];
  const backwards = letter === 'd' || letter === 'r';
  return Array.from({ length: count }, (_, line) =>
    Array.from({ length }, (_, k) => {
      const place = backwards ? length - 1 - k : k;
      return vertical ? place * cols + line : line * cols + place;
    }),
  );
}

function slideLine(tiles, line, result) {
  let next = 0;
  let waiting = null;
  for (const cell of line.filter((c) => tiles[c])) {
    if (waiting !== null && tiles[waiting[0]] === tiles[cell]) {
      merge(tiles, waiting, cell, result);
      waiting = null;
      continue;
    }
    const target = line[next];
    next += 1;
    waiting = [cell, target, false];
    result.tiles[target] = tiles[cell];
    result.slides.push(waiting);
    result.changed ||= target !== cell;
  }
}

function merge(tiles, waiting, cell, result) {
  const target = waiting[1];
  waiting[2] = true;
  result.slides.push([cell, target, true]);
  result.tiles[target] = 2 * tiles[cell];
  result.reward += 2 * tiles[cell];
  result.changed = true;
}
