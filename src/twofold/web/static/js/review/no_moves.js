/** A game without moves, such as a saved game of the original page: a board, and where to go. */

import { formatLink } from '../analyse/link.js';
import { button, h, icon } from '../dom.js';
import { miniBoard } from '../play/mini_board.js';
import { text } from '../text.js';

/**
 * What is shown in place of a review.
 *
 * @param {import('./game.js').ReviewGame} game
 * @param {() => void} onPlay called to go on with the game
 * @returns {HTMLElement}
 */
export function noMoves(game, onPlay) {
  const [board] = game.boards;
  const score = String(game.score);
  const analyse = formatLink({ board, player: '', limit: '', score });
  return h(
    'section',
    { class: 'card review-no-moves', 'aria-labelledby': 'no-moves' },
    miniBoard(board),
    h(
      'div',
      { class: 'stack' },
      h('h1', { id: 'no-moves', text: text('review.no_moves') }),
      h('p', { text: text('review.no_moves_why', { score: game.score }) }),
      h(
        'div',
        { class: 'row' },
        button({ icon: 'play', text: text('games.open') }, onPlay, { class: 'primary' }),
        h('a', { class: 'button', href: analyse }, icon('analyse'), text('review.no_moves_analyse')),
        h('a', { class: 'button', href: '/review' }, icon('games'), text('review.others')),
      ),
    ),
  );
}
