/** Where something to analyse comes from: the kept games, a file, pasted text, a link. */

import { button, h, icon, render } from '../dom.js';
import { timeText } from '../games/words.js';
import { analysisLink } from '../links.js';
import { net } from '../net.js';
import { miniBoard } from '../play/mini_board.js';
import { playerNames } from '../player_names.js';
import { showRefusal } from '../refusals.js';
import { text } from '../text.js';

const SHOWN_AT_FIRST = 12;

/** A list of games, and fields for others. */
export class Chooser {
  #games = null;
  #isAll = false;
  #isPasting = false;

  /**
   * @param {(words: string) => Promise<void>} onText called with what was pasted
   * @param {(file: File) => Promise<void>} onFile
   */
  constructor(onText, onFile) {
    this.file = h('input', {
      type: 'file', class: 'visually-hidden', tabindex: -1, 'aria-hidden': 'true',
      accept: '.2048,.jsonl,.txt,.json,.rpl,.vrs,text/plain,application/json',
      onchange: () => this.file.files[0] && this.#try(onFile(this.file.files[0])),
    });
    this.area = h('textarea', { class: 'textarea mono', id: 'analysis-paste', rows: 3,
      spellcheck: 'false', placeholder: text('review.paste_hint') });
    this.onGo = () => this.#try(onText(this.area.value));
    this.error = h('p', { class: 'error', role: 'alert' });
    this.busy = h('p', { class: 'soft', role: 'status' });
    this.sources = h('div', { class: 'row' });
    this.field = h('div', { class: 'stack', hidden: true },
      h('label', { class: 'visually-hidden', for: 'analysis-paste', text: text('review.paste_label') }),
      this.area, h('div', null, button({ icon: 'analyse', text: text('analyse.go') }, this.onGo)));
    this.list = h('div', { class: 'stack' });
    this.element = h('section', { class: 'chooser stack', 'aria-labelledby': 'chooser-title' },
      h('h2', { id: 'chooser-title', text: text('analyse.open') }),
      this.file, this.sources, this.field, this.busy, this.error,
      h('p', { class: 'soft small', text: text('review.file_hint') }), this.list);
    this.#show();
  }

  /** Ask for the kept games and list them. */
  async load() {
    try {
      this.#games = (await net.get('/api/games')).filter((game) => game.moves > 0);
      this.#show();
    } catch (error) {
      this.setError(error);
    }
  }

  /** @param {Error | null} error what is wrong with what was given; null if nothing is */
  setError(error) {
    showRefusal(this.error, error);
  }

  async #try(work) {
    this.setError(null);
    this.busy.textContent = text('review.reading');
    try {
      await work;
    } catch (error) {
      this.setError(error);
    } finally {
      this.busy.textContent = '';
    }
  }

  #show() {
    render(this.sources,
      button({ icon: 'upload', text: text('review.open') }, () => this.file.click()),
      button({ icon: 'edit', text: text('review.paste') }, () => {
        this.#isPasting = !this.#isPasting;
        this.#show();
        if (this.#isPasting) this.area.focus();
      }, { 'aria-expanded': String(this.#isPasting) }));
    this.field.hidden = !this.#isPasting;
    const games = this.#games ?? [];
    const shown = this.#isAll ? games : games.slice(0, SHOWN_AT_FIRST);
    render(this.list,
      h('p', { class: 'soft small', role: 'status', text: this.#status }),
      h('ul', { class: 'chooser-games' }, shown.map(item)),
      shown.length < games.length && button({ text: text('play.games_all') }, () => {
        this.#isAll = true;
        this.#show();
      }));
  }

  get #status() {
    if (!this.#games) return text('all.loading');
    const count = this.#games.length;
    return text(count ? 'games.found' : 'review.kept_none', { count });
  }
}

function item(game) {
  const facts = [
    text('review.moves', { count: game.moves }),
    text('review.largest', { tile: String(game.max_tile) }),
    game.player === 'me' ? '' : playerNames(game.player),
  ];
  return h('li', { key: game.game }, h('a', { class: 'chooser-game', href: analysisLink({ game: game.game }) },
    miniBoard(game.board),
    h('span', { class: 'chooser-facts' },
      h('strong', { class: 'number', text: text('play.game_score', { score: game.score }) }),
      h('span', { class: 'small', title: game.player === 'me' ? '' : game.player,
        text: facts.filter(Boolean).join(' · ') }),
      h('span', { class: 'small soft', text: timeText(game.date) })),
    icon('analyse')));
}
