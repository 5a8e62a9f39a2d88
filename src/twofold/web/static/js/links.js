/** Addresses that people can read. */

import { text } from './text.js';

const MOST_LETTERS = 40;

const READABLE = { '%2C': ',', '%2F': '/', '%3A': ':', '%3D': '=' };

/**
 * A query or fragment whose signs stay signs where none of them separates anything.
 *
 * @param {URLSearchParams} params
 */
export function readable(params) {
  return params.toString().replace(/%2C|%2F|%3A|%3D/g, (code) => READABLE[code]);
}

/**
 * The address where a position is analysed, with its game if it has one.
 *
 * @param {{game?: string, move?: number, board?: string, player?: string, limit?: string,
 *   score?: string}} position `game` is the id of a saved game and `move` a move number in it;
 *   `board` is a position without a game, in any form
 */
export function analysisLink({ game = '', move = 0, ...rest }) {
  if (game) return `/review?${new URLSearchParams(move ? { game, move } : { game })}`;
  const params = new URLSearchParams(Object.entries(rest).filter(([, value]) => value));
  return `/analyse#${readable(params)}`;
}

/**
 * The sentences for a link with a board that the server cannot read.
 *
 * @param {string} board of the link
 * @param {string} message of the refusal
 */
export function badBoard(board, message) {
  const shown = board.length > MOST_LETTERS ? `${board.slice(0, MOST_LETTERS)}…` : board;
  return text('all.bad_board', { board: shown, message });
}
