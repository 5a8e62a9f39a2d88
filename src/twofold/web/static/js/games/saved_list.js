/** All saved games: search, order, open, delete. */

import { button, field, fill, h } from '../dom.js';
import { net } from '../net.js';
import { text } from '../text.js';
import { GameRow } from './game_row.js';
import { KINDS, kindText } from './words.js';

const PART = 20;
const PAUSE_MS = 200; // after the last key of a search
const ORDERS = ['newest', 'oldest', 'score', 'tile', 'moves'];

/** The list, a part at a time. */
export class SavedList {
  #visit = 0;
  #timer = 0;
  #games = [];

  /**
   * @param {function(string): void} open gets the id of a game
   * @param {function(): void} changed a game was deleted
   */
  constructor(open, changed) {
    this.open = open;
    this.changed = changed;
    this.search = h('input', { type: 'search', id: 'my-search', autocomplete: 'off',
      placeholder: text('games.search_hint'), oninput: () => this.#later() });
    this.order = select('my-order', ORDERS.map((name) => [name, text(`games.order_${name}`)]),
      () => this.show());
    this.kind = select('my-kind', [['', text('games.kind_any')],
      ...KINDS.map((kind) => [kind, kindText(kind)])], () => this.show());
    this.status = h('p', { class: 'soft small', role: 'status', tabindex: -1 });
    this.list = h('ul', { class: 'games' });
    this.more = button({ text: text('games.more') }, () => this.#load(), { hidden: true });
    this.element = h('section', { class: 'my-part', 'aria-labelledby': 'my-saved' },
      h('h2', { id: 'my-saved', text: text('games.saved') }), this.#filters(), this.status,
      this.list, h('div', { class: 'row' }, this.more));
  }

  /** Show the list anew. */
  show() {
    this.#games = [];
    return this.#load();
  }

  /** Ask no more. */
  close() {
    clearTimeout(this.#timer);
    this.#visit += 1;
  }

  #filters() {
    return h('div', { class: 'my-filters' }, field(text('games.search'), this.search),
      field(text('games.order'), this.order), field(text('games.column_kind'), this.kind));
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.show(), PAUSE_MS);
  }

  async #load() {
    this.#visit += 1;
    const mine = this.#visit;
    const query = new URLSearchParams({ search: this.search.value, order: this.order.value,
      kind: this.kind.value, offset: this.#games.length, count: PART });
    try {
      const { total, games } = await net.get(`/api/game-list?${query}`);
      if (mine === this.#visit) this.#add(total, games);
    } catch (error) {
      this.status.textContent = error.message;
    }
  }

  #add(total, games) {
    const isFirst = !this.#games.length;
    this.#games.push(...games);
    this.status.textContent = text('games.found', { count: total });
    this.more.hidden = this.#games.length >= total;
    const rows = games.map((game) => this.#row(game));
    if (isFirst) fill(this.list, rows);
    else this.list.append(...rows);
    if (!isFirst) rows[0]?.querySelector('button').focus();
  }

  #row(game) {
    return new GameRow(game, {
      isCurrent: false,
      open: () => this.open(game.game),
      remove: async () => {
        await net.ask({ type: 'delete', game: game.game });
        this.status.focus(); // the button goes with its row
        this.changed();
      },
      trouble: (error) => { this.status.textContent = error.message; },
    }).element;
  }
}

function select(id, choices, onchange) {
  return h('select', { id, onchange }, choices.map(([value, words]) => h('option', { value, text: words })));
}
