/** Where something to analyse comes from: the kept games, a file, pasted text, a link. */

import { miniBoard } from '../board.js';
import { button, h, icon, part, render } from '../dom.js';
import { timeText } from '../games/words.js';
import { analysisLink } from '../links.js';
import { net } from '../net.js';
import { playerNames } from '../player_names.js';
import { text } from '../text.js';

const SHOWN_AT_FIRST = 12;

/** A list of games, and fields for others. */
export class Chooser {
  #games = null; // null before the server has listed them
  #isAll = false;
  #isPasting = false;
  #isBusy = false;
  #error = null;

  /**
   * @param {(words: string) => Promise<void>} onText called with what was pasted
   * @param {(file: File) => Promise<void>} onFile
   */
  constructor(onText, onFile) {
    Object.assign(this, { onText, onFile });
    this.element = part(h('section', { class: 'chooser stack', 'aria-labelledby': 'chooser-title' }));
    this.#draw();
  }

  /** Ask for the kept games and list them. */
  async load() {
    try {
      this.#games = (await net.get('/api/games')).filter((game) => game.moves > 0);
      this.#draw();
    } catch (error) {
      this.setError(error);
    }
  }

  /** @param {Error | null} error what is wrong with what was given; null if nothing is */
  setError(error) {
    this.#error = error;
    this.#draw();
  }

  async #try(work) {
    this.#isBusy = true;
    this.setError(null);
    await work.catch((error) => { this.#error = error; });
    this.#isBusy = false;
    this.#draw();
  }

  #draw() {
    const games = this.#games ?? [];
    const shown = this.#isAll ? games : games.slice(0, SHOWN_AT_FIRST);
    const status = this.#games ? text(games.length ? 'games.found' : 'review.kept_none', { count: games.length })
      : text('all.loading');
    render(this.element,
      h('h2', { id: 'chooser-title', text: text('analyse.open') }),
      h('input', { type: 'file', class: 'visually-hidden', tabindex: -1, 'aria-hidden': 'true',
        accept: '.2048,.jsonl,.txt,.json,.rpl,.vrs,text/plain,application/json',
        onchange: ({ target }) => target.files[0] && this.#try(this.onFile(target.files[0])) }),
      h('div', { key: 'sources', class: 'row' },
        button({ icon: 'upload', text: text('review.open') }, () => this.element.querySelector('[type=file]').click()),
        button({ icon: 'edit', text: text('review.paste') }, () => {
          this.#isPasting = !this.#isPasting;
          this.#draw();
          this.#area?.focus();
        }, { 'aria-expanded': String(this.#isPasting) })),
      this.#isPasting && h('div', { key: 'paste', class: 'stack' },
        h('label', { class: 'visually-hidden', for: 'analysis-paste', text: text('review.paste_label') }),
        h('textarea', { class: 'textarea mono', id: 'analysis-paste', rows: 3, spellcheck: 'false',
          placeholder: text('review.paste_hint') }),
        h('div', null, button({ icon: 'analyse', text: text('analyse.go') }, () => this.#try(this.onText(this.#area.value))))),
      h('p', { class: 'soft', role: 'status', text: this.#isBusy ? text('review.reading') : '' }),
      h('p', { class: 'error', role: 'alert', text: this.#error?.message ?? '', title: this.#error?.detail ?? '' }),
      h('p', { class: 'soft small', text: text('review.file_hint') }),
      h('div', { key: 'list', class: 'stack' },
        h('p', { class: 'soft small', role: 'status', text: status }),
        h('ul', { class: 'chooser-games' }, shown.map(item)),
        shown.length < games.length && button({ text: text('play.games_all') }, () => {
          this.#isAll = true;
          this.#draw();
        })));
  }

  get #area() {
    return this.element.querySelector('textarea');
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
