/** What the pages have to share. */

import { showSharing } from './dialog.js';

/**
 * A game in play, where it stands.
 *
 * @param {import('../play/live_game.js').LiveGame} live
 */
export function shareLive({ now, state, id }) {
  if (!now) return;
  const { score, board, move_number: move } = now;
  const { rows, cols } = state.rules;
  showSharing(
    { board, rows, cols, score, move, game: { id, first: state.first, last: move, at: move } });
}

/**
 * A game under review.
 *
 * @param {import('../analysis/game.js').Game} game
 * @param {number} place of the position that is shown
 */
export function shareReviewed(game, place) {
  const { rows, cols, first } = game;
  const [move, last] = [first + place, first + game.last];
  showSharing({ board: game.boards[place], rows, cols, score: game.scores[place], move,
    game: { id: game.id, first, last, at: place ? move : last } });
}

/**
 * A board alone.
 *
 * @param {string} board its text
 * @param {{rows: number, cols: number}} position
 * @param {string} points digits of the score; empty where not known
 */
export function sharePosition(board, { rows, cols }, points) {
  showSharing(
    { board, rows, cols, score: points ? Number(points) : null, move: null, game: null });
}
