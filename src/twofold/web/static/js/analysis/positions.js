/** Boards made in the page, and read from text. */

import { net } from '../net.js';
import { formatBoard } from '../notation.js';
import { legalMoves, slide } from '../slides.js';
import { randomSpawn } from './tree.js';

const FEWEST_MOVES = 20;
const MOST_MOVES = 400;
const MOST_CHARACTERS = 4_000; // of a text that the server reads
const PREFERRED = ['l', 'd', 'r', 'u'];

/**
 * What a text in any form holds.
 *
 * @param {string} words
 * @returns {Promise<{board: string, score: ?number, moves: number}>} of a game with `moves` the last
 *   position; rejects with what is wrong
 */
export function readPosition(words) {
  return net.post('/api/board', { text: words.slice(0, MOST_CHARACTERS + 1) }); // it refuses one more
}

/** Whether a text is longer than any position. */
export const isLong = (words) => words.length > MOST_CHARACTERS;

/**
 * The text of a board without tiles.
 *
 * @param {number} rows
 * @param {number} cols
 */
export function emptyBoard(rows, cols) {
  return formatBoard(new Array(rows * cols).fill(0), rows, cols);
}

/**
 * The same tiles on a board of another shape; what does not fit is left out.
 *
 * @param {import('./tree.js').Position} position
 * @param {number} rows
 * @param {number} cols
 * @returns {string} the board's text
 */
export function reshaped(position, rows, cols) {
  const { tiles } = position;
  const at = (row, col) => (
    row < position.rows && col < position.cols ? tiles[row * position.cols + col] : 0);
  const all = Array.from({ length: rows * cols }, (_, cell) => (
    at(Math.floor(cell / cols), cell % cols)));
  return formatBoard(all, rows, cols);
}

/**
 * A board as a hasty player might reach it, with a choice of moves and a quarter of the cells empty.
 *
 * @param {number} rows
 * @param {number} cols
 * @returns {string} its text
 */
export function randomBoard(rows, cols) {
  let tiles = withSpawn(withSpawn(new Array(rows * cols).fill(0)));
  const moves = FEWEST_MOVES + Math.floor(Math.random() * (MOST_MOVES - FEWEST_MOVES));
  let roomy = tiles;
  for (let made = 0; made < moves && tiles; made += 1) {
    const hasRoom = tiles.filter((tile) => !tile).length >= (rows * cols) / 4;
    if (hasRoom && legalMoves(tiles, rows, cols).length > 1) roomy = tiles;
    tiles = hastyMove(tiles, rows, cols);
  }
  return formatBoard(roomy, rows, cols);
}

// Into the corner, now and then another way, and never into a board without a legal move.
function hastyMove(tiles, rows, cols) {
  const order = Math.random() < 0.9 ? PREFERRED : [...PREFERRED].reverse();
  for (const letter of order) {
    const made = slide(tiles, rows, cols, letter);
    if (!made.changed) continue;
    const next = withSpawn(made.tiles);
    if (legalMoves(next, rows, cols)) return next;
  }
  return null;
}

function withSpawn(tiles) {
  const { cell, tile } = randomSpawn(tiles);
  return tiles.with(cell, tile);
}
