/** All saved games: search, order, open, delete. */

import { miniBoard } from '../board.js';
import { selectField } from '../controls.js';
import { openDialog } from '../dialog.js';
import { button, field, h, icon, render } from '../dom.js';
import { analysisLink } from '../links.js';
import { net } from '../net.js';
import { percent, text } from '../text.js';
import { kindText, playerText, rulesText, statusText, timeText } from './words.js';

const PART = 20;
const PAUSE_MS = 200; // after the last key of a search
const ORDERS = ['newest', 'oldest', 'score', 'tile', 'moves'];

/** The list, a part at a time. */
export class SavedList {
  #visit = 0;
  #timer = 0;
  #query = { search: '', order: 'newest' };
  #games = [];
  #total = null;
  #damaged = {}; // what is wrong with the games that cannot be listed, by id
  #asked = ''; // id of the game whose deletion is asked for
  #error = '';

  /** How accurate judged games were, by id: `moves` and `percent`. */
  accuracies = {};

  /**
   * @param {{current?: string, open: function(string): void, changed?: function(): void}} page
   *   `current` is the id of the game that is played, `open` gets the id of a game, `changed` hears
   *   that one was deleted
   */
  constructor(page) {
    this.page = page;
    this.element = h('section', { class: 'my-part stack near', 'aria-label': text('games.saved') });
    this.#draw();
  }

  /** Show the list anew. @param {{rules?: string, kind?: string}} [filter] those alone from now on */
  show(filter = {}) {
    Object.assign(this.#query, filter);
    this.#games = [];
    return this.#load();
  }

  /** Ask no more. */
  close() {
    clearTimeout(this.#timer);
    this.#visit += 1;
  }

  async #load() {
    this.#visit += 1;
    const [mine, known] = [this.#visit, this.#games.length];
    const query = new URLSearchParams({ ...this.#query, offset: known, count: PART });
    try {
      const { total, games, damaged } = await net.get(`/api/game-list?${query}`);
      if (mine !== this.#visit) return;
      [this.#total, this.#damaged, this.#error] = [total, damaged, ''];
      this.#games.push(...games);
    } catch (error) {
      this.#error = error.message;
    }
    this.#draw();
    if (known) this.element.querySelectorAll('.game')[known]?.querySelector('a, button').focus();
  }

  #change(name, value, pause = 0) {
    this.#query[name] = value;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.show(), pause);
  }

  #draw() {
    const found = this.#total === null ? text('all.loading')
      : text('games.found', { count: this.#total });
    render(this.element,
      h('div', { class: 'my-filters row' },
        field(text('games.search'), h('input', { type: 'search', id: 'my-search',
          autocomplete: 'off', placeholder: text('games.search_hint'),
          oninput: (event) => this.#change('search', event.target.value, PAUSE_MS) })),
        selectField('my-order', text('games.order'), ORDERS.map((name) => [name, text(`games.order_${name}`)]),
          this.#query.order, (order) => this.#change('order', order))),
      h('p', { class: 'soft small', role: 'status', tabindex: -1, text: this.#error || found }),
      h('ul', { class: 'my-unread small' }, Object.entries(this.#damaged).map(([game, message]) => h('li', {},
        text('games.damaged', { game, message }), ' ',
        button({ text: text('play.open') }, () => this.page.open(game), { class: 'small-button' })))),
      h('ul', { class: 'games' }, this.#games.map((game) => this.#row(game))),
      this.#games.length < this.#total && h('div', { class: 'row' },
        button({ text: text('games.more') }, () => this.#load())));
  }

  #row(game) {
    const isCurrent = game.game === this.page.current;
    return h('li', { class: 'game row', key: game.game }, miniBoard(game.board),
      h('div', { class: 'game-facts' },
        h('p', {},
          h('strong', { class: 'number', text: text('play.game_score', { score: game.score }) }),
          isCurrent && badge(text('play.game_current')),
          game.daily && badge(text('games.daily')),
          accuracyText(game, this.accuracies)),
        h('p', { class: 'small', text: text('play.game_facts', { count: game.moves,
          tile: String(game.max_tile), status: statusText(game) }) }),
        h('p', { class: 'small soft', title: playerText(game.player) && game.player,
          text: factsOf(game) })),
      this.#asked === game.game ? this.#question(game) : this.#buttons(game, isCurrent));
  }

  #buttons({ game, score, date, daily }, isCurrent) {
    const isToday = daily === new Date().toISOString().slice(0, 10); // there is one try
    const name = text('play.game_name', { score, date: timeText(date) });
    const link = (picture, href, words, attributes = {}) => h('a', { class: 'button icon-button',
      href, title: text(words), 'aria-label': `${text(words)}: ${name}`, ...attributes }, icon(picture));
    return h('div', { class: 'row game-buttons', key: 'buttons' },
      button({ text: text('play.open') }, () => this.page.open(game),
        { disabled: isCurrent, 'aria-label': `${text('play.open')}: ${name}` }),
      link('analyse', analysisLink({ game }), 'play.analyse'),
      link('download', `/api/games/${game}/record`, 'play.download', { download: true }),
      button({ icon: 'delete', label: `${text('play.delete')}: ${name}` }, () => this.#ask(game),
        { disabled: isCurrent || isToday }));
  }

  /** Deleting cannot be undone: ask, in the same place. */
  #question({ game }) {
    return h('div', { class: 'row game-buttons', key: 'question' },
      h('span', { text: text('play.delete_sure') }),
      button({ text: text('play.delete') }, () => this.#remove(game), { class: 'danger' }),
      button({ text: text('play.delete_no') }, () => this.#ask('')));
  }

  #ask(game) {
    this.#asked = game;
    this.#draw();
    this.element.querySelector('.danger')?.nextElementSibling.focus();
  }

  async #remove(game) {
    try {
      await net.remove(`/api/games/${game}`);
      this.element.querySelector('[role=status]').focus(); // the button goes with its row
      await this.show();
      this.page.changed?.();
    } catch (error) {
      this.#error = error.message;
      this.#ask('');
    }
  }
}

/**
 * The saved games in a dialog.
 *
 * @param {string} current id of the game on the page, which cannot be deleted
 * @param {function(string): void} open gets the id of a game
 */
export function openGames(current, open) {
  const list = new SavedList({ current, open: (game) => { dialog.close(); open(game); } });
  const all = h('a', { class: 'button', href: '/games', text: text('nav.games'),
    onclick: () => dialog.close() });
  const dialog = openDialog({ title: text('play.games'), body: [list.element], foot: [all],
    wide: true, onClose: () => list.close() });
  list.show();
}

/**
 * How accurate a judged game was; it may have gone on since.
 *
 * @param {{game: string, moves: number}} game
 * @param {object} accuracies as of `SavedList`
 */
function accuracyText({ game, moves }, accuracies) {
  const found = accuracies[game];
  return found?.moves === moves
    && badge(`${text('review.accuracy')} ${percent(found.percent, 1)}`);
}

function badge(words) {
  return h('span', { class: 'badge', text: words });
}

/** Rules, how it was played, undos and hints where there were any, players, date. */
function factsOf({ rules, kind, undos, hints, player, date }) {
  return [rulesText(rules), kindText(kind), undos && text('games.undos', { count: undos }),
    hints && text('games.hints', { count: hints }), playerText(player), timeText(date)]
    .filter(Boolean).join(' · ');
}
