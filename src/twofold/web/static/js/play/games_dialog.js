/** The dialog of the kept games: open, review, download, delete. */

import { openDialog } from '../dialog.js';
import { button, fill, h, icon } from '../dom.js';
import { net } from '../net.js';
import { playerNames } from '../player_names.js';
import { text } from '../text.js';
import { miniBoard } from './mini_board.js';

const SHOWN_AT_FIRST = 50;
const DATES = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/**
 * List the kept games.
 *
 * @param {string} current id of the game on the page, which cannot be deleted
 * @param {function(string): void} open gets the id of a game
 */
export async function showGames(current, open) {
  const list = h('ul', { class: 'games' });
  const status = h('p', { class: 'soft', role: 'status', text: text('all.loading') });
  const dialog = openDialog({ title: text('play.games'), body: [status, list], wide: true });
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

/** One game of the list. */
class GameRow {
  constructor(game, actions) {
    this.game = game;
    this.actions = actions;
    this.element = h('li', { class: 'game' });
    this.#show();
  }

  #show() {
    fill(this.element, miniBoard(this.game.board), this.#facts(), this.#buttons());
  }

  #facts() {
    const { game } = this;
    return h('div', { class: 'game-facts' },
      h('p', {},
        h('strong', { class: 'number', text: text('play.game_score', { score: game.score }) }),
        this.actions.isCurrent && h('span', { class: 'badge', text: text('play.game_current') })),
      h('p', { class: 'small', text: text('play.game_facts', { count: game.moves,
        tile: String(game.max_tile), status: text(`play.status_${game.status}`) }) }),
      h('p', { class: 'small soft', text: [shortRules(game.rules), playerText(game.player),
        dateText(game.date)].filter(Boolean).join(' · ') }));
  }

  #buttons() {
    const { game, isCurrent, open } = { ...this, ...this.actions };
    const name = text('play.game_name', { score: game.score, date: dateText(game.date) });
    return h('div', { class: 'row game-buttons' },
      button({ text: text('play.open') }, open,
        { disabled: isCurrent, 'aria-label': `${text('play.open')}: ${name}` }),
      link('review', `/review?game=${game.game}`, text('play.review'), name),
      link('download', `/api/games/${game.game}/record`, text('play.download'), name,
        { download: true }),
      button({ icon: 'delete', label: `${text('play.delete')}: ${name}` }, () => this.#ask(),
        { disabled: isCurrent }));
  }

  /** Deleting cannot be undone: ask, in the same place. */
  #ask() {
    const { remove, trouble } = this.actions;
    const no = button({ text: text('play.delete_no') }, () => this.#show());
    const yes = button({ text: text('play.delete') }, () => remove().catch(trouble),
      { class: 'danger' });
    this.element.lastChild.replaceWith(h('div', { class: 'row game-buttons' },
      h('span', { text: text('play.delete_sure') }), yes, no));
    no.focus();
  }
}

function link(name, href, label, game, attributes = {}) {
  const named = { title: label, 'aria-label': `${label}: ${game}` };
  return h('a', { class: 'button icon-button', href, ...named, ...attributes }, icon(name));
}

function dateText(date) {
  const when = new Date(date);
  return Number.isNaN(when.getTime()) ? date : DATES.format(when);
}

function playerText(player) {
  return player === 'me' ? '' : playerNames(player);
}

/** Rules as text, without what is as in the original. */
function shortRules(rules) {
  const original = ['spawn=2:0.9,4:0.1', 'start=2', 'goal=2048', 'stop=never'];
  const parts = rules.split(' ').filter((part) => !original.includes(part));
  return parts.join(' ').replace('x', '×');
}
