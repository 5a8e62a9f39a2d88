/** My games: statistics of one's own games, the best of them, and all of them. */

import { button, field, fill, h, icon } from '../dom.js';
import { FiguresView } from '../games/figures_view.js';
import { importReport } from '../games/import.js';
import { SavedList } from '../games/saved_list.js';
import { dateText, kindText, rulesText } from '../games/words.js';
import { scrollBox } from '../lab/scroll_box.js';
import { net } from '../net.js';
import { number, text } from '../text.js';

/**
 * @param {HTMLElement} root
 * @param {object} context as of main.js
 * @returns {function(): void} unmounts
 */
export function mount(root, context) {
  const page = new GamesPage(root, context);
  page.load();
  if (importReport.running) page.follow(importReport.running);
  return () => page.close();
}

class GamesPage {
  #rules = ''; // what is chosen
  #kind = '';

  constructor(root, { navigate }) {
    this.figures = new FiguresView();
    this.saved = new SavedList((game) => navigate(`/?game=${game}`), () => this.load());
    this.status = h('p', { class: 'soft', role: 'status', text: text('all.loading') });
    this.choice = h('div', { class: 'my-choice', hidden: true });
    this.leaders = h('div');
    this.damaged = h('div');
    this.body = h('div', { class: 'stack wide', hidden: true }, this.choice, this.figures.element,
      this.leaders, this.saved.element, this.damaged);
    root.append(h('div', { class: 'my-games stack wide' }, this.#head(), importReport.element,
      this.status, this.body));
  }

  /** Ask the server, and show what it says. */
  async load() {
    try {
      const [found] = await Promise.all([net.get('/api/statistics'), this.saved.show()]);
      if (!this.isClosed) this.#show(found);
    } catch (error) {
      this.status.hidden = false;
      this.status.textContent = error.message;
    }
  }

  /**
   * Wait for an import, which may have begun on an earlier visit to this page.
   *
   * @param {Promise<void>} running
   */
  async follow(running) {
    this.importButton.disabled = true;
    await running;
    this.importButton.disabled = false;
    if (!this.isClosed) await this.load();
  }

  /** Show no more. */
  close() {
    importReport.leave();
    this.isClosed = true;
    this.figures.close();
    this.saved.close();
  }

  #head() {
    const files = h('input', { type: 'file', multiple: true, hidden: true, 'aria-label': text('games.import'),
      onchange: () => this.#import(files) });
    return h('div', { class: 'row apart' }, h('h1', { text: text('nav.games') }),
      h('div', { class: 'row my-tools' },
        h('a', { class: 'button', href: '/daily' }, icon('daily'), text('nav.daily')),
        this.importButton = button({ text: text('games.import') }, () => files.click()), files,
        this.exportLink = h('a', { class: 'button', href: '/api/export', download: true,
          text: text('games.export') })));
  }

  async #import(files) {
    const chosen = [...files.files];
    files.value = '';
    if (!chosen.length) return;
    await this.follow(importReport.take(chosen));
  }

  #show({ games, rules, best, damaged }) {
    Object.assign(this, { rules, best });
    this.exportLink.hidden = !games;
    this.status.hidden = games > 0;
    this.status.textContent = games ? '' : text('games.none');
    this.body.hidden = !games && !damaged.length;
    this.saved.element.hidden = !games;
    fill(this.damaged, damaged.length > 0 && damagedPart(damaged));
    this.#choose();
  }

  /** Show what is chosen, or what there is most of. */
  #choose() {
    const rules = this.rules.find((one) => one.rules === this.#rules) ?? this.rules[0];
    for (const one of [this.choice, this.figures.element, this.leaders]) one.hidden = !rules;
    if (!rules) return;
    const kind = rules.kinds.find((one) => one.kind === this.#kind) ?? rules.kinds[0];
    fill(this.choice, this.#rulesField(rules), this.#kindField(rules, kind));
    this.figures.show(kind, rules.goal);
    fill(this.leaders, rules.leaders.length > 0 && leaderTable(rules.leaders, this.best[rules.rules]));
  }

  #rulesField(chosen) {
    if (this.rules.length < 2) return null;
    const onchange = (event) => {
      this.#rules = event.target.value;
      this.#choose();
      this.choice.querySelector('select').focus();
    };
    return field(text('picker.rules'),
      h('select', { id: 'my-rules', onchange }, this.rules.map(({ rules }) => h('option',
        { value: rules, selected: rules === chosen.rules, text: rulesText(rules) }))));
  }

  #kindField({ kinds }, chosen) {
    const chip = ({ kind, games, going }) => h('label', { class: 'chip' },
      h('input', { type: 'radio', name: 'my-kind', checked: kind === chosen.kind,
        onchange: () => this.#pickKind(kind) }),
      kindText(kind), h('span', { class: 'number', text: number(games + going) }));
    return h('fieldset', { class: 'field' }, h('legend', { text: text('games.column_kind') }),
      h('div', { class: 'chips' }, kinds.map(chip)));
  }

  #pickKind(kind) {
    this.#kind = kind;
    this.#choose();
    this.choice.querySelector('input:checked').focus();
  }
}

function damagedPart(damaged) {
  return h('section', { class: 'my-part', 'aria-labelledby': 'my-damaged' },
    h('h2', { id: 'my-damaged', text: text('games.damaged') }),
    h('p', { class: 'soft small', text: text('games.damaged_note') }),
    h('ul', { class: 'my-unread small' }, damaged.map(({ name, why }) => h('li',
      { text: text('games.unread_file', { file: name, message: why }) }))));
}

const COLUMNS = ['place', 'score', 'tile', 'moves', 'undos', 'kind', 'date', 'links'];
const RIGHT = new Set(['place', 'score', 'tile', 'moves', 'undos']);

/**
 * A table of the best games.
 *
 * @param {object[]} games `GameInfo`s, the best first
 * @param {number} best score that Play shows: at least that of the first game
 * @returns {HTMLElement}
 */
function leaderTable(games, best) {
  const heads = COLUMNS.map((name) => h('th', { scope: 'col', class: RIGHT.has(name) ? 'right' : '' },
    name === 'links' ? h('span', { class: 'visually-hidden', text: text('games.column_links') })
      : text(`games.column_${name}`)));
  const table = h('table', { class: 'table my-leaders' },
    h('thead', {}, h('tr', {}, heads)),
    h('tbody', {}, games.map((game, place) => leaderRow(game, place + 1))));
  return h('section', { class: 'my-part', 'aria-labelledby': 'my-leaders' },
    h('h2', { id: 'my-leaders', text: text('games.leaders') }),
    h('p', { class: 'soft small', text: text('games.leaders_note') }),
    best > games[0].score && h('p', { class: 'small', text: text('games.record', { score: best }) }),
    scrollBox(text('games.leaders'), table));
}

function leaderRow(game, place) {
  const { score, max_tile: tile, moves, undos, date } = game;
  const figure = (value) => h('td', { class: 'right', text: value });
  return h('tr', {},
    figure(number(place)),
    h('th', { scope: 'row', class: 'right', text: number(score) }),
    figure(String(tile)), figure(number(moves)), figure(number(undos)),
    h('td', { text: kindText(game.kind) }),
    h('td', { class: 'nowrap', text: dateText(date) }),
    h('td', {}, h('span', { class: 'row my-links' }, links(game))));
}

/** To its review; to the game itself, where it goes on. */
function links({ game, score, status }) {
  const goesOn = status === 'going' || status === 'won';
  const link = (name, href, words) => h('a', { class: 'button icon-button quiet', href,
    title: text(words), 'aria-label': text(`${words}_of`, { score }) }, icon(name));
  return [link('review', `/review?game=${game}`, 'games.review'),
    goesOn && link('play', `/?game=${game}`, 'games.open')];
}
