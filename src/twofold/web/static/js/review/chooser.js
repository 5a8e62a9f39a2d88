/** Where a game to review comes from: the kept ones, a file, pasted text, a link. */

import { button, fill, h, icon } from '../dom.js';
import { timeText } from '../games/words.js';
import { net } from '../net.js';
import { miniBoard } from '../play/mini_board.js';
import { playerNames } from '../player_names.js';
import { showRefusal } from '../refusals.js';
import { text } from '../text.js';

const SHOWN_AT_FIRST = 24;

/** The page without a game. */
export class Chooser {
  /**
   * @param {(record: string) => void} onRecord called with the text of a record, or with a link
   * @param {(file: File) => void} onFile
   */
  constructor(onRecord, onFile) {
    this.file = h('input', {
      type: 'file',
      class: 'visually-hidden',
      accept: '.2048,.jsonl,.txt,.json,.rpl,.vrs,text/plain,application/json',
      tabindex: -1,
      'aria-hidden': 'true',
      onchange: () => this.file.files[0] && onFile(this.file.files[0]),
    });
    this.area = h('textarea', {
      class: 'textarea mono',
      id: 'review-paste',
      rows: 3,
      spellcheck: 'false',
      placeholder: text('review.paste_hint'),
    });
    this.error = h('p', { class: 'error', role: 'alert' });
    this.list = h('ul', { class: 'review-games' });
    this.status = h('p', { class: 'soft', role: 'status', text: text('all.loading') });
    this.element = h(
      'div',
      { class: 'review-chooser stack wide' },
      h(
        'div',
        { class: 'stack tight' },
        h('h1', { text: text('review.title') }),
        h('p', { class: 'soft', text: text('review.intro') }),
      ),
      this.error,
      this.#sources(() => onRecord(this.area.value)),
      h(
        'section',
        { class: 'stack', 'aria-labelledby': 'review-kept' },
        h('h2', { id: 'review-kept', text: text('play.games') }),
        this.status,
        this.list,
      ),
    );
  }

  /** A button for files, and a field for text behind another one. */
  #sources(onGo) {
    const open = button({ icon: 'upload', text: text('review.open') }, () => this.file.click());
    const label = {
      class: 'visually-hidden',
      for: 'review-paste',
      text: text('review.paste_label'),
    };
    const field = h(
      'div',
      { class: 'stack', hidden: true },
      h('label', label),
      this.area,
      h('div', null, button({ icon: 'review', text: text('play.review') }, onGo)),
    );
    const paste = button({ icon: 'edit', text: text('review.paste') }, () => {
      field.hidden = !field.hidden;
      paste.setAttribute('aria-expanded', String(!field.hidden));
      if (!field.hidden) this.area.focus();
    });
    paste.setAttribute('aria-expanded', 'false');
    return h(
      'section',
      { class: 'stack', 'aria-label': text('review.sources') },
      h('div', { class: 'row' }, this.file, open, paste),
      field,
      h('p', { class: 'soft small', text: text('review.file_hint') }),
    );
  }

  /** Ask for the kept games and list them. */
  async load() {
    try {
      const { games } = await net.ask({ type: 'games' });
      const played = games.filter((game) => game.moves > 0);
      this.status.textContent = text(played.length ? 'games.found' : 'review.kept_none', {
        count: played.length,
      });
      const more =
        played.length > SHOWN_AT_FIRST &&
        h(
          'li',
          { class: 'review-more' },
          button({ text: text('play.games_all') }, () => fill(this.list, played.map(item))),
        );
      fill(this.list, played.slice(0, SHOWN_AT_FIRST).map(item), more);
    } catch (error) {
      this.status.textContent = error.message;
    }
  }

  /** @param {Error | null} error what is wrong with what was given; null if nothing is */
  setError(error) {
    showRefusal(this.error, error);
  }
}

function item(game) {
  const facts = [
    text('review.moves', { count: game.moves }),
    text('review.largest', { tile: String(game.max_tile) }),
    game.player === 'me' ? '' : playerNames(game.player),
  ]
    .filter(Boolean)
    .join(' · ');
  return h(
    'li',
    null,
    h(
      'a',
      { class: 'review-item', href: `/review?game=${game.game}` },
      miniBoard(game.board),
      h(
        'span',
        { class: 'review-item-facts' },
        h('strong', { class: 'number', text: text('play.game_score', { score: game.score }) }),
        h('span', { class: 'small', title: game.player === 'me' ? '' : game.player, text: facts }),
        h('span', { class: 'small soft', text: timeText(game.date) }),
      ),
      icon('review'),
    ),
  );
}
