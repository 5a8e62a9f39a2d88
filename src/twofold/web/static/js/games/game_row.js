/** One saved game in a list: what it was, and what can be done with it. */

import { button, fill, h, icon } from '../dom.js';
import { miniBoard } from '../play/mini_board.js';
import { text } from '../text.js';
import { playerText, rulesText, statusText, timeText } from './words.js';

/** A row; deleting is asked for in the same place. */
export class GameRow {
  /**
   * @param {object} game a `GameInfo`
   * @param {{isCurrent: boolean, open: function(): void, remove: function(): Promise<void>,
   *   trouble: function(Error): void}} actions
   */
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
        this.actions.isCurrent && badge(text('play.game_current')),
        game.daily && badge(text('games.daily'))),
      h('p', { class: 'small', text: text('play.game_facts', { count: game.moves,
        tile: String(game.max_tile), status: statusText(game) }) }),
      h('p', { class: 'small soft', title: playerText(game.player) && game.player, text: [rulesText(game.rules), ...helpTexts(game),
        playerText(game.player), timeText(game.date)].filter(Boolean).join(' · ') }));
  }

  #buttons() {
    const { game, isCurrent, open } = { ...this, ...this.actions };
    const name = text('play.game_name', { score: game.score, date: timeText(game.date) });
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

function badge(words) {
  return h('span', { class: 'badge', text: words });
}

/** Undos and hints, where there were any. */
function helpTexts({ undos, hints }) {
  return [undos && text('games.undos', { count: undos }),
    hints && text('games.hints', { count: hints })];
}

function link(name, href, label, game, attributes = {}) {
  const named = { title: label, 'aria-label': `${label}: ${game}` };
  return h('a', { class: 'button icon-button', href, ...named, ...attributes }, icon(name));
}
