/** The dialog of the kept games: open, review, download, delete. */

import { openDialog } from '../dialog.js';
import { button, fill, h } from '../dom.js';
import { GameRow } from '../games/game_row.js';
import { net } from '../net.js';
import { text } from '../text.js';

const SHOWN_AT_FIRST = 50;

/**
 * List the kept games.
 *
 * @param {string} current id of the game on the page, which cannot be deleted
 * @param {function(string): void} open gets the id of a game
 */
export async function showGames(current, open) {
  const list = h('ul', { class: 'games' });
  const status = h('p', { class: 'soft', role: 'status', text: text('all.loading') });
  const all = h('a', { class: 'button', href: '/games', text: text('nav.games'),
    onclick: () => dialog.close() });
  const dialog = openDialog({ title: text('play.games'), body: [status, list], foot: [all],
    wide: true });
  const show = ({ games }) => {
    status.textContent = text('play.games_count', { count: games.length });
    fill(list, games.slice(0, SHOWN_AT_FIRST).map(row), moreButton(games));
  };
  const moreButton = (games) => games.length > SHOWN_AT_FIRST && h('li', { class: 'games-more' },
    button({ text: text('play.games_all') }, () => fill(list, games.map(row))));
  const row = (game) => new GameRow(game, {
    isCurrent: game.game === current,
    open: () => { dialog.close(); open(game.game); },
    remove: async () => show(await net.ask({ type: 'delete', game: game.game })),
    trouble: (error) => { status.textContent = error.message; },
  }).element;
  try {
    show(await net.ask({ type: 'games' }));
  } catch (error) {
    status.textContent = error.message;
  }
}
