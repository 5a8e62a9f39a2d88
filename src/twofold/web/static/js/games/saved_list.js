/** All saved games: search, order, open, delete. */

import { miniBoard } from '../board.js';
import { selectField } from '../controls.js';
import { button, field, h, icon, render } from '../dom.js';
import { analysisLink } from '../links.js';
import { net } from '../net.js';
import { labelledText, percent, text } from '../text.js';
import { playerText, rulesText, statusText, timeText } from './words.js';

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
   * @param {{open: function(string): void, changed?: function(): void}} page `open` gets the id of a
   *   game, `changed` hears that one was deleted
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
      net.afterLoss(error, () => this.#load());
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
      h('ul', { class: 'games' }, Object.entries(this.#damaged).map(([game, message]) => h('li', { class: 'game row', key: game },
        h('p', { class: 'game-facts error', title: message, text: text('games.damaged', { game }) }),
        this.#asked === game ? this.#question(game) : h('div', { class: 'row game-buttons', key: 'buttons' },
          button({ text: text('play.open') }, () => this.page.open(game)), this.#deleteButton(game, game))))),
      h('ul', { class: 'games' }, this.#games.map((game) => this.#row(game))),
      this.#games.length < this.#total && h('div', { class: 'row' },
        button({ text: text('games.more') }, () => this.#load())));
  }

  #row(game) {
    const judged = this.accuracies[game.game];
    return h('li', { class: 'game row', key: game.game }, miniBoard(game.board),
      h('div', { class: 'game-facts' },
        h('p', {},
          h('strong', { class: 'number', text: text('play.game_score', { score: game.score }) }),
          game.daily && badge(text('games.daily')),
          // it may have gone on since
          judged?.moves === game.moves && badge(`${text('review.accuracy')} ${percent(judged.percent, 1)}`)),
        h('p', { class: 'small', text: text('play.game_facts', { count: game.moves,
          tile: String(game.max_tile), status: statusText(game) }) }),
        h('p', { class: 'small soft', title: playerText(game.player) && game.player,
          text: factsOf(game) })),
      this.#asked === game.game ? this.#question(game.game) : this.#buttons(game));
  }

  #buttons({ game, score, date, daily }) {
    const isToday = daily === new Date().toISOString().slice(0, 10); // there is one try
    const name = text('play.game_name', { score, date: timeText(date) });
    const link = (picture, href, words, attributes = {}) => h('a', { class: 'button icon-button',
      href, title: text(words), 'aria-label': labelledText(text(words), name), ...attributes }, icon(picture));
    return h('div', { class: 'row game-buttons', key: 'buttons' },
      button({ text: text('play.open') }, () => this.page.open(game),
        { 'aria-label': labelledText(text('play.open'), name) }),
      link('analyse', analysisLink({ game }), 'play.analyse'),
      link('download', `/api/games/${game}/record`, 'play.download', { download: true }),
      this.#deleteButton(game, name, isToday));
  }

  #deleteButton(game, name, disabled = false) {
    return button({ icon: 'delete', label: labelledText(text('play.delete'), name) }, () => this.#ask(game), { disabled });
  }

  /** Deleting cannot be undone: ask, in the same place. */
  #question(game) {
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
      net.afterLoss(error, () => this.show());
      this.#ask('');
    }
  }
}

function badge(words) {
  return h('span', { class: 'badge', text: words });
}

/** Rules, how it was played, undos and hints where there were any, players, date. */
function factsOf({ rules, kind, undos, hints, player, date }) {
  return [rulesText(rules), text(`games.kind_${kind}`), undos && text('games.undos', { count: undos }),
    hints && text('games.hints', { count: hints }), playerText(player), timeText(date)]
    .filter(Boolean).join(' · ');
}
