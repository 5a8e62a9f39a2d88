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
