/** My games: statistics of one's own games, and the games themselves. */

import { toast } from '../announce.js';
import { LineChart } from '../chart.js';
import { chips, figureList, selectField } from '../controls.js';
import { button, h, icon, onLeave, part, render } from '../dom.js';
import { SavedList } from '../games/saved_list.js';
import { dateText, rulesText } from '../games/words.js';
import { analysisLink } from '../links.js';
import { net } from '../net.js';
import { fixed, number, percent, text } from '../text.js';

const LEAST_GAMES = 2; // of a chart
const ALL = 'all'; // a kind: all games under all rules

/**
 * @param {HTMLElement} root
 * @param {object} context as of main.js
 */
export function mount(root, context) {
  const page = new GamesPage(root, context);
  page.load();
  if (importReport.running) page.follow(importReport.running);
  onLeave(() => importReport.leave());
}

class GamesPage {
  #found = null; // what the server says; null before it does
  #accuracies = {};
  #status = text('all.loading');
  #rules = ''; // what is chosen
  #kind = '';

  constructor(root, { navigate, signal }) {
    this.signal = signal;
    this.saved = new SavedList({ open: (game) => navigate(`/?game=${game}`),
      changed: () => this.load() });
    this.chart = new LineChart({
      label: text('games.chart'),
      x: { label: text('games.chart_game'), format: (value) => (Number.isInteger(value) ? number(value) : '') }, // between two games there is none
      y: { from: 0, format: number },
      right: { from: 0, to: 100, format: (value) => percent(value, 0) },
      readout: (place) => text('games.chart_place',
        { game: place, date: dateText(1000 * this.#chosen.kind.played[place - 1]) }),
      onPick: (place) => navigate(analysisLink({ game: this.#chosen.kind.names[place - 1] })),
    });
    part(this.saved.element);
    this.place = h('div', { class: 'my-games stack wide' });
    root.append(this.place);
    this.#draw();
  }

  /** Ask the server, and show what it says. */
  async load() {
    try {
      [this.#found, this.#accuracies] = await Promise.all(
        [net.get('/api/statistics'), net.get('/api/accuracies')]);
      this.saved.accuracies = this.#accuracies;
      await this.saved.show(this.#filter);
      this.#status = this.#found.games ? '' : text('games.none');
    } catch (error) {
      this.#status = error.message;
      net.afterLoss(error, () => this.load());
    }
    this.#draw();
  }

  /**
   * Wait for an import, which may have begun on an earlier visit to this page.
   *
   * @param {Promise<void>} running
   */
  async follow(running) {
    this.#draw();
    await running;
    this.#draw();
    if (importReport.added) [this.#rules, this.#kind] = ['', ALL]; // so that they are seen
    await this.load();
  }

  /** Rules and kind that are chosen, or that there are most games of. */
  get #chosen() {
    const rules = this.#found.rules.find((one) => one.rules === this.#rules) ?? this.#found.rules[0];
    return { rules, kind: rules?.kinds.find((one) => one.kind === this.#kind) ?? rules?.kinds[0] };
  }

  /** The games that are listed. */
  get #filter() {
    const { rules, kind } = this.#chosen;
    const isAll = this.#kind === ALL || !rules;
    return isAll ? { rules: '', kind: '' } : { rules: rules.rules, kind: kind.kind };
  }

  #choose(choice) {
    [this.#rules, this.#kind] = [choice.rules ?? this.#rules, choice.kind ?? (this.#kind === ALL ? '' : this.#kind)];
    this.#draw();
    this.saved.show(this.#filter);
  }

  #draw() {
    if (this.signal.aborted) return; // the import stands on another page
    const { games = 0 } = this.#found ?? {};
    render(this.place, this.#head(games), importReport.element,
      this.#status && h('p', { class: 'soft', role: 'status', text: this.#status }),
      games > 0 && [this.#figures(this.#chosen), this.saved.element]);
  }

  #head(games) {
    const files = h('input', { type: 'file', multiple: true, hidden: true, 'aria-label': text('games.import'),
      onchange: ({ target }) => {
        const chosen = [...target.files];
        target.value = '';
        if (chosen.length) this.follow(importReport.take(chosen));
      } });
    return h('div', { class: 'row apart' }, h('h1', { text: text('nav.games') }),
      h('div', { class: 'row my-tools' },
        h('a', { class: 'button', href: '/daily' }, icon('daily'), text('nav.daily')),
        button({ text: text('games.import') }, () => this.place.querySelector('[type=file]').click(),
          { disabled: Boolean(importReport.running) }), files,
        h('a', { class: 'button', href: '/api/export', download: true, hidden: !games,
          text: text('games.export') })));
  }

  #figures({ rules, kind }) {
    const record = this.#found.best[rules.rules];
    const choice = h('div', { key: 'choice', class: 'my-choice row' }, this.#rulesField(rules),
      this.#kindField(rules, kind));
    if (this.#kind === ALL) return choice;
    const hasChart = kind.scores.length >= LEAST_GAMES;
    if (hasChart) this.#drawChart(kind);
    return [choice,
      h('div', { key: 'figures', class: 'stack tight' },
        figureList('my-figures card fit', this.#figuresOf(kind, rules.goal)),
        h('p', { class: 'soft small', text: kind.going
          ? text('games.counted_going', { count: kind.going }) : text('games.counted') }),
        record > (rules.leaders[0]?.score ?? 0)
          && h('p', { class: 'small', text: text('games.record', { score: record }) })),
      h('div', { key: 'parts', class: 'my-parts' }, kind.reached.length > 0 && ratesPart(kind),
        hasChart && h('section', { key: 'chart', class: 'my-part stack near', 'aria-labelledby': 'my-chart' },
          h('h2', { id: 'my-chart', text: text('games.chart') }), h('div', { class: 'my-chart' }, this.chart.element)))];
  }

  #figuresOf(kind, goal) {
    const points = (value) => (kind.games ? fixed(value, 0) : '–');
    const judged = this.#judged(kind);
    const mean = judged.reduce((sum, { y }) => sum + y, 0) / judged.length;
    return [
      [text('games.games'), number(kind.games)],
      [text('games.mean'), points(kind.mean)],
      [text('games.median'), points(kind.median)],
      [text('games.best'), points(kind.best)],
      [text('review.accuracy'), judged.length ? percent(mean, 1) : '–'],
      [text('games.streak', { goal: String(goal) }), number(kind.streak)],
      [text('games.longest_streak'), number(kind.longest_streak)],
    ];
  }

  /** Place and accuracy of each game that counts and was judged. */
  #judged({ names }) {
    return names.map((name, place) => ({ x: place + 1, y: this.#accuracies[name]?.percent }))
      .filter(({ y }) => y !== undefined);
  }

  #drawChart(kind) {
    const xs = kind.scores.map((_, place) => place + 1);
    const judged = this.#judged(kind);
    this.chart.setLines([
      { name: text('review.graph_score'), xs, ys: kind.scores, colour: 2, format: number },
      { name: text('games.chart_mean'), xs, ys: kind.means, colour: 1 },
      ...judged.length ? [{ name: text('review.accuracy'), xs: judged.map(({ x }) => x),
        ys: judged.map(({ y }) => y), colour: 3, right: true,
        marker: 'M10 6a4 4 0 1 0 8 0a4 4 0 1 0-8 0', format: (value) => percent(value, 1) }] : [],
    ]);
  }

  #rulesField(chosen) {
    if (this.#found.rules.length < 2) return null;
    const choices = this.#found.rules.map(({ rules }) => [rules, rulesText(rules)]);
    return selectField('my-rules', text('picker.rules'), [...choices, [ALL, text('games.all_rules')]],
      this.#kind === ALL ? ALL : chosen.rules, (rules) => this.#choose(rules === ALL ? { kind: ALL } : { rules }));
  }

  #kindField({ kinds }, chosen) {
    const count = (games) => h('span', { class: 'number', text: number(games) });
    const choices = kinds.map(({ kind, games, going }) => [kind, [text(`games.kind_${kind}`), count(games + going)]]);
    choices.push([ALL, [text('games.saved'), count(this.#found.games)]]);
    return chips(text('games.column_kind'), 'my-kind', choices, this.#kind === ALL ? ALL : chosen.kind,
      (kind) => this.#choose({ kind }));
  }
}

function ratesPart({ games: count, reached }) {
  return h('div', { class: 'my-part stack near' }, h('h2', { id: 'my-rates', text: text('games.rates') }),
    h('table', { class: 'table my-rates', 'aria-labelledby': 'my-rates' },
      h('thead', { class: 'visually-hidden' }, h('tr', {}, ['tile', 'share', 'count'].map(
        (name) => h('th', { scope: 'col', text: text(`games.rates_${name}`) })))),
      h('tbody', {}, reached.map(({ tile, games }) => h('tr', {},
        h('th', { scope: 'row', class: 'number', text: String(tile) }),
        h('td', { class: 'my-share line' },
          h('div', { class: 'my-bar', style: { '--share': games / count } },
            h('span', { 'aria-hidden': 'true' })),
          h('span', { class: 'number', text: percent((100 * games) / count, 1) })),
        h('td', { class: 'right', text: number(games) }))))));
}

const PART_BYTES = 2 ** 16; // about a second's work; twice as much where a game needs it
const MOST_BYTES = 2 ** 23; // the server takes no more at once
const MOST_UNREAD = 20;
const SEPARATORS = [
  [/^(ï»¿)?\s*\[\s*Twofold\b/, '\n[Twofold'],
  [/^(ï»¿)?\s*(\{\s*"schema"|[^@|\n]{0,2000}@-?\d+\|)/, '\n'],
]; // how a file of many games begins, and what stands between two

/** What came of an import so far. It goes on while other pages are shown. */
class ImportReport {
  /** Settles when the running import ends; null while none runs. */
  running = null;
  added = 0;
  known = 0;
  failed = 0;
  unread = [];

  constructor() {
    this.element = part(h('div', { class: 'card stack tight', hidden: true }));
  }

  /**
   * Save the games of files.
   *
   * @param {File[]} files
   * @returns {Promise<void>} settles when all are read
   */
  take(files) {
    this.running = this.#take(files).finally(() => { this.running = null; });
    return this.running;
  }

  /** Forget an import that has ended: its page is left. */
  leave() {
    if (!this.running) this.element.hidden = true;
  }

  async #take(files) {
    Object.assign(this, { added: 0, known: 0, failed: 0, unread: [] });
    this.element.hidden = false;
    window.onbeforeunload = (event) => event.preventDefault(); // the browser asks: the rest would be lost
    for (const [place, file] of files.entries()) {
      this.place = `${text('games.importing', { place: place + 1, count: files.length })} `;
      this.#draw();
      await this.#takeFile(file).catch(({ message }) => {
        this.failed += 1;
        this.unread.push(text('games.unread_file', { file: file.name, message }));
      });
    }
    this.place = '';
    this.#draw();
    window.onbeforeunload = null;
    if (!this.element.isConnected) toast(this.#words); // on another page by now
  }

  async #takeFile(file) {
    let lines = 0;
    for await (const one of partsOf(file)) {
      const { added, known, failed, unread } = await net.post('/api/import', one.blob);
      this.added += added;
      this.known += known;
      this.failed += failed;
      this.unread.push(...unread.map(({ line, error }) => [text('games.unread_line', { file: file.name, line: lines + line }),
        ' ', h('span', { lang: 'en', text: error })]));
      lines += one.lines;
      this.#draw();
    }
  }

  get #words() {
    const { place, added, known, failed: count } = this;
    const counts = text('games.imported', { added: text('games.added', { count: added }), known: text('games.known', { count: known }) });
    return place + counts + (count && !place ? ` ${text('games.failed', { count })}` : '');
  }

  #draw() {
    const unread = this.place ? [] : this.unread.slice(0, MOST_UNREAD);
    render(this.element, h('p', { role: 'status', text: this.#words }),
      h('ul', { class: 'my-unread small' }, unread.map((words) => h('li', {}, words))));
  }
}

/** The import of this tab, shown on My games. */
export const importReport = new ImportReport();

/** The parts of a file, each cut between two games, with the number of their lines. */
async function* partsOf(file) {
  for (let start = 0; start < file.size;) {
    let letters = ''; // one for each byte
    for (let size = PART_BYTES; !letters; size *= 2) {
      if (size > MOST_BYTES) throw new Error(text('games.too_large'));
      letters = new TextDecoder('latin1').decode(await file.slice(start, start + size).arrayBuffer());
      const [, separator] = SEPARATORS.find(([form]) => form.test(letters)) ?? [];
      if (start + size < file.size) letters = separator ? letters.slice(0, letters.lastIndexOf(separator) + 1) : '';
    }
    yield { blob: file.slice(start, start + letters.length), lines: letters.split('\n').length - 1 };
    start += letters.length;
  }
}
