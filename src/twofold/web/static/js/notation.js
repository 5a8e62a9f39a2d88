/** Boards and steps of a line as text. What a person types is read by the server alone. */

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Largest exponent of a tile. */
export const MAX_EXPONENT = 35;

/**
 * The text of a board: `0012/0000/0000/0001`, with the shape before it for any but 4x4.
 *
 * @param {number[]} tiles
 * @param {number} rows
 * @param {number} cols
 */
export function formatBoard(tiles, rows, cols) {
  const lines = Array.from({ length: rows }, (_, row) =>
    tiles.slice(row * cols, (row + 1) * cols).map((tile) => DIGITS[exponentOf(tile)]).join(''),
  );
  const shape = rows === 4 && cols === 4 ? '' : `${rows}x${cols}:`;
  return shape + lines.join('/');
}

/**
 * The exponent of a tile: 0 for an empty cell, 11 for 2048.
 *
 * @param {number} tile
 */
export function exponentOf(tile) {
  return tile ? Math.round(Math.log2(tile)) : 0;
}

/**
 * The exponent that a key stands for, -1 if none: `1` is the tile 2, `b` is 2048.
 *
 * @param {string} key
 */
export function exponentOfKey(key) {
  return key.length === 1 ? DIGITS.indexOf(key.toLowerCase()) : -1;
}

/**
 * The exponents on a board, row by row; 0 for an empty cell.
 *
 * @param {string} board its text
 * @returns {number[]}
 */
export function exponentsOf(board) {
  return [...board.replace(/^.*:|\//g, '')].map((digit) => DIGITS.indexOf(digit));
}

/**
 * The tiles on a board, row by row; 0 for an empty cell.
 *
 * @param {string} board its text
 * @returns {number[]}
 */
export function tilesOf(board) {
  return exponentsOf(board).map((exponent) => (exponent ? 2 ** exponent : 0));
}

/**
 * The shape that the text of a board names.
 *
 * @param {string} board
 * @returns {{rows: number, cols: number}}
 */
export function shapeOf(board) {
  const match = /^([1-8])x([1-8]):/.exec(board);
  return match ? { rows: Number(match[1]), cols: Number(match[2]) } : { rows: 4, cols: 4 };
}

/**
 * A step of a line, such as `l@5:2`, taken apart; without a spawn its cell is null.
 *
 * @param {string} step
 * @returns {{move: string, cell: number | null, tile: number | null}}
 */
export function parseStep(step) {
  const match = /^([urdl])(?:@(\d+):(\d+))?$/.exec(step);
  if (!match) return { move: step[0], cell: null, tile: null };
  return {
    move: match[1],
    cell: match[2] === undefined ? null : Number(match[2]),
    tile: match[3] === undefined ? null : Number(match[3]),
  };
}

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

/**
 * A move as a `step` message has it, from the boards before and after it.
 *
 * @param {number[]} tiles before
 * @param {number} rows
 * @param {number} cols
 * @param {string} move its letter
 * @param {number[]} after its new tile included
 * @returns {object} with `after`, the board without the new tile
 */
export function stepBetween(tiles, rows, cols, move, after) {
  const made = slide(tiles, rows, cols, move);
  const cell = after.findIndex((tile, index) => tile !== made.tiles[index]);
  return { move, after: made.tiles, slides: made.slides, reward: made.reward, cell, tile: after[cell], now: { tiles: after } };
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
