/** Positions made in the page: empty, random, another shape, after a move, along a line; and read. */

import { net } from '../net.js';
import { parseStep } from '../notation.js';
import { slide } from '../slides.js';

/** @typedef {import('./trail.js').Position} Position */

const FEWEST_MOVES = 20;
const MOST_MOVES = 400;
const MOST_CHARACTERS = 4_000; // of a text that the server reads
const PREFERRED = ['l', 'd', 'r', 'u'];

/**
 * A board without tiles.
 *
 * @param {number} rows
 * @param {number} cols
 * @returns {Position}
 */
export function emptyPosition(rows, cols) {
  return { tiles: new Array(rows * cols).fill(0), rows, cols };
}

/**
 * The position that a text holds in any form, and its points or null.
 *
 * @param {string} words
 * @returns {Promise<{position: Position, score: ?number}>} rejects with what is wrong
 */
export async function readPosition(words) {
  const read = words.slice(0, MOST_CHARACTERS + 1); // the server refuses one more
  const { tiles, rows, cols, score } = await net.ask({ type: 'board', text: read });
  return { position: { tiles, rows, cols }, score };
}

/**
 * The same tiles on a board of another shape; what does not fit is left out.
 *
 * @param {Position} position
 * @param {number} rows
 * @param {number} cols
 * @returns {Position}
 */
export function reshaped(position, rows, cols) {
  const result = emptyPosition(rows, cols);
  for (let row = 0; row < Math.min(rows, position.rows); row += 1) {
    for (let col = 0; col < Math.min(cols, position.cols); col += 1) {
      result.tiles[row * cols + col] = position.tiles[row * position.cols + col];
    }
  }
  return result;
}

/**
 * The position after a move, with its new tile in a random place; null for an illegal move.
 *
 * @param {Position} position
 * @param {string} letter
 * @returns {(Position & {step: object}) | null} `step` is what a `BoardView` animates
 */
export function moved(position, letter) {
  const { rows, cols, points } = position;
  const made = slide(position.tiles, rows, cols, letter);
  if (!made.changed) return null;
  const { cell, tile } = randomSpawn(made.tiles);
  const pending = { after: made.tiles, cell, tile };
  const tiles = withTile(made.tiles, cell, tile);
  const step = { move: letter, reward: made.reward, slides: made.slides, cell, tile, now: { tiles } };
  return { tiles, rows, cols, points, pending, step };
}

/**
 * The same position with its new tile elsewhere.
 *
 * @param {Position} position one with `pending`
 * @param {number} cell
 * @param {number} tile
 * @returns {Position}
 */
export function respawned(position, cell, tile) {
  const { after } = position.pending;
  return { ...position, tiles: withTile(after, cell, tile), pending: { after, cell, tile } };
}

/**
 * A cell and a tile as the dice of the original game choose them.
 *
 * @param {number[]} tiles
 */
function randomSpawn(tiles) {
  const empty = tiles.flatMap((tile, cell) => (tile ? [] : [cell]));
  return { cell: empty[Math.floor(Math.random() * empty.length)], tile: Math.random() < 0.9 ? 2 : 4 };
}

/**
 * A board as a hasty player might reach it, with a choice of moves and a quarter of the cells empty.
 *
 * @param {number} rows
 * @param {number} cols
 * @returns {Position}
 */
export function randomPosition(rows, cols) {
  let position = emptyPosition(rows, cols);
  for (let k = 0; k < 2; k += 1) {
    const { cell, tile } = randomSpawn(position.tiles);
    position = { ...position, tiles: withTile(position.tiles, cell, tile) };
  }
  const moves = FEWEST_MOVES + Math.floor(Math.random() * (MOST_MOVES - FEWEST_MOVES));
  let roomy = position;
  for (let made = 0; made < moves; made += 1) {
    position = hastyMove(position);
    if (!position) break;
    const hasChoice = PREFERRED.filter((letter) => moved(position, letter)).length > 1;
    if (hasChoice && countEmpty(position.tiles) >= (rows * cols) / 4) roomy = position;
  }
  return { tiles: roomy.tiles, rows, cols };
}

function countEmpty(tiles) {
  return tiles.filter((tile) => !tile).length;
}

// Into the corner, now and then another way, and never into a board without a legal move.
function hastyMove(position) {
  const order = Math.random() < 0.9 ? PREFERRED : [...PREFERRED].reverse();
  for (const letter of order) {
    const next = moved(position, letter);
    if (next && PREFERRED.some((other) => moved(next, other))) return next;
  }
  return null;
}

/**
 * The positions along a line.
 *
 * @param {Position} position where the line begins
 * @param {string[]} line steps such as `l@5:2`
 * @param {number} count of steps
 * @returns {Position[]} one for each step; fewer where the line leaves the board, for with tiles
 *   beyond the player's limit it is one of the downgraded board
 */
export function along(position, line, count) {
  const found = [];
  let at = position;
  for (const { move, cell, tile } of line.slice(0, count).map(parseStep)) {
    const made = slide(at.tiles, at.rows, at.cols, move);
    if (!made.changed || (cell !== null && made.tiles[cell])) break;
    const spawn = cell === null ? randomSpawn(made.tiles) : { cell, tile };
    const tiles = withTile(made.tiles, spawn.cell, spawn.tile);
    at = { ...at, tiles, pending: { after: made.tiles, ...spawn }, move };
    found.push(at);
  }
  return found;
}

function withTile(tiles, cell, tile) {
  return tiles.map((there, index) => (index === cell ? tile : there));
}
