/** Endgames: play on from boards of a table, which knows the chance of every move. */

import { fill, h } from '../dom.js';
import { net } from '../net.js';
import { text } from '../text.js';
import { EndgameView } from './endgame_view.js';
import { TableOffers } from './offers.js';

/** The part of the page. */
export class EndgamesPart {
  /**
   * @param {HTMLElement} root
   * @param {object} context of main.js
   */
  constructor(root, context) {
    this.context = context;
    this.place = h('div', {}, h('p', { class: 'soft', text: text('all.loading') }));
    this.offers = new TableOffers(() => this.#load());
    root.append(this.place, this.offers.element);
    this.#load();
  }

  /** Leave. */
  close() {
    this.isClosed = true;
    this.view?.close();
    this.offers.close();
  }

  async #load() {
    const tables = await net.get('/api/practice/tables').catch((error) => {
      fill(this.place, h('p', { class: 'error', text: error.message }));
      return null;
    });
    if (!tables || this.isClosed) return;
    if (tables.length) this.#show(tables);
    else fill(this.place, invitation());
    this.offers.show(tables.length === 0);
  }

  #show(tables) {
    if (this.view) return void this.view.setTables(tables);
    this.view = new EndgameView(tables, this.context);
    fill(this.place, this.view.element);
  }
}

function invitation() {
  return h('section', { class: 'stack' },
    h('h2', { text: text('practice.no_table') }),
    h('p', { text: text('practice.endgames_about') }));
}
