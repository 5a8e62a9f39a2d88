/** A study: its tables and charts under each set of rules, drawn anew when it has grown. */

import { LineChart } from '../chart.js';
import { h, icon } from '../dom.js';
import { formatAgo, formatDuration } from '../figures.js';
import { dataAddress } from '../links.js';
import { net } from '../net.js';
import { playerName } from '../player_names.js';
import { joined, number, percent, text } from '../text.js';
import { DataTable, headingWords } from './data_table.js';
import { commandBlock, faultWords, figureButtons, playerMark, saveButton } from './parts.js';

const REST = 4; // a large study, which takes long to read, is read less often than it changes

const SHARE = { format: (value) => percent(value, value % 1 ? 1 : 0), from: 0 };
const SUMS = { label: headingWords('tile sum'), format: number };
const SCORES = { label: text('lab.axis_score') };

/** The charts of each figure: axes, how lines are drawn, the axis that may be logarithmic. */
const FIGURES = {
  reach: {
    reach: { x: { label: headingWords('tile'), format: String, base: 2 }, y: { ...SHARE, to: 100 }, isMarked: true },
  },
  survival: {
    going: { x: SUMS, y: { ...SHARE, to: 100 }, looks: { stepped: true } },
    ended: { x: SUMS, y: SHARE, isMarked: true },
  },
  scores: { scores: { x: SCORES, y: SHARE, looks: { stepped: true, area: true }, wide: 'x' } },
  strength: {
    strength: {
      x: { label: headingWords('time a move'), format: formatDuration, base: 10 },
      y: { from: 0 }, isMarked: true, wide: 'y',
    },
  },
};

/** How the league table comes: the column `mean score`. */
const BY_MEAN = { column: 2, direction: 'descending' };

/** Captions of the tables, and what the names of their files end in. */
const TABLES = { league: 'scores', rates: 'reached', survival: 'survival', pairs: 'differences', settings: 'settings' };

/** One study. */
export class StudyView {
  #tables = new Map();
  #charts = new Map();
  #found = null;
  #asked = '';
  #isBusy = false;
  #restUntil = 0;
  #fault = '';

  /**
   * @param {string} name
   * @param {object} actions
   * @param {() => void} actions.changed called when something to draw has changed
   * @param {(name: string) => boolean} actions.isComing whether a job is to write a file
   */
  constructor(name, { changed, isComing }) {
    Object.assign(this, { name, changed, isComing, study: null });
  }

  /** @param {{studies: object[]}} files as the server lists them now */
  update({ studies }) {
    const study = studies.find((one) => one.name === this.name);
    this.study = study ?? this.study;
    if (study ? study.error || study.games === 0 : this.isComing(this.name)) return;
    const stamp = study?.changed ?? 'none';
    if (!this.#isBusy && stamp !== this.#asked && performance.now() > this.#restUntil) this.#load(stamp);
  }

  async #load(stamp) {
    const began = performance.now();
    this.#isBusy = true;
    try {
      this.#found = await net.get(dataAddress('studies', this.name));
      this.#asked = stamp;
      this.#fault = '';
    } catch (error) {
      this.#asked = error.kind === 'ConnectionLost' ? '' : stamp;
      this.#fault = error.message;
    }
    this.#isBusy = false;
    this.#restUntil = performance.now() + REST * (performance.now() - began);
    this.changed();
  }

  /** @returns {HTMLElement} the page of the study */
  view() {
    const { name, study } = this;
    const file = name.replace(/\.db$/, '');
    const isEmpty = study ? study.games === 0 && !study.error : this.isComing(name);
    const fault = study?.error ? faultWords(study.error) : !isEmpty && this.#fault;
    return h('article', { key: name, class: 'lab-study', 'aria-busy': this.#isBusy && !this.#found ? 'true' : null },
      h('header', { class: 'lab-head stack tight' }, h('h2', { text: name }), h('p', { class: 'soft', text: this.#words() }),
        this.#found && h('div', { class: 'row' },
          h('a', { class: 'button quiet lab-download', href: `${dataAddress('studies', name)}/games.csv`,
            download: `${file.replaceAll('/', '-')}.csv` }, icon('download'), text('lab.csv_games')),
          saveButton(text('lab.report'), `${dataAddress('studies', name)}/report.html`, `${file}.html`))),
      // tables of before, of a study that is held just now, stay
      !this.#found && fault && h('p', { class: 'error', text: fault }),
      !this.#found && isEmpty && h('p', { class: 'soft', text: text('lab.no_games') }),
      this.#found?.sections.map((section, place) => this.#section(section, place, file)));
  }

  #words() {
    if (!this.study || this.study.error) return '';
    const { games, asked, players, changed } = this.study;
    if (!this.#found && this.#isBusy) return text('lab.reading', { count: games });
    return [
      text('lab.players', { count: players.length }),
      games < asked ? text('lab.games_of', { done: games, asked }) : text('games.found', { count: games }),
      text('lab.changed', { when: formatAgo(changed) }),
    ].join(' · ');
  }

  #section(section, number, file) {
    const charts = this.#found.charts[number];
    const { rules, boards, notes, commands, machines } = section;
    const key = `${rules}\n${boards}`;
    const labels = [...section.players.map(({ label }) => label), ...notes.flatMap((note) => note.players)];
    const names = namesOf([...new Set(labels)]);
    const players = section.players.map((player) => ({ ...player, name: names.get(player.label) }));
    const nameOf = (place) => playerMark(players[place], place);
    const table = (name, how) => section[name] && this.#table(key, name).show(section[name], `${file}-${TABLES[name]}`, how);
    const figure = (kind) => this.#figure(key, kind, { charts, players, number, file });
    const hint = (name) => h('p', { class: 'soft small', text: text(`lab.hint_${name}`) });
    return h('section', { key, class: 'lab-section stack' },
      h('h3', null, `${text('picker.rules')} `, h('code', { text: rules }),
        boards && [`, ${text('lab.boards')} `, h('code', { text: boards })]),
      section.league && block('league', table('league', { nameOf }), hint(section.has_spread ? 'spread' : 'league')),
      notes.length > 0 && h('ul', { class: 'lab-notes' }, notes.map((note) => h('li', { text: noteWords(note, names) }))),
      section.rates && block('reach', heading('reach'), figure('reach'), table('rates', { nameOf })),
      section.survival && block('survival', heading('survival'), figure('survival'),
        fold('bands', table('survival', { names }))),
      ['scores', 'strength'].map((kind) => charts[kind].length > 0 && block(kind, heading(kind), figure(kind))),
      section.pairs && block('pairs', heading('pairs'), table('pairs', { names }), hint(section.all_pairs ? 'pairs' : 'next_pairs')),
      commands.length > 0 && block('again', heading('again'), commandBlock([...commands, text('lab.make_report')])),
      fold('settings', table('settings'), machines.map((one) => machine(one, names))));
  }

  #table(section, name) {
    const key = `${section} ${name}`;
    const caption = text(`lab.caption_${name === 'survival' ? 'bands' : name}`);
    if (!this.#tables.has(key)) this.#tables.set(key, new DataTable(caption, name === 'league' ? BY_MEAN : null));
    return this.#tables.get(key);
  }

  /** A figure with its legend and what it shows in words. */
  #figure(section, kind, { charts, players, number, file }) {
    const names = new URLSearchParams(players.map(({ name }) => ['name', name]));
    const address = `${dataAddress('studies', this.name)}/figure?plot=${kind}&section=${number + 1}&${names}`;
    const drawn = Object.entries(FIGURES[kind]).filter(([name]) => charts[name].length)
      .map(([name, looks]) => this.#chart(`${section} ${name}`, kind, looks, charts[name], charts.wide, players));
    return h('figure', { class: 'lab-figure stack near', dataset: { kind } }, h('div', { class: 'stack' }, drawn),
      h('ul', { class: 'lab-legend row' }, players.map((player, place) => h('li', null, playerMark(player, place)))),
      h('figcaption', { class: 'soft small', text: text(`lab.caption_${kind}`) }),
      figureButtons(text(`lab.title_${kind}`), address, `${file}-${kind}`));
  }

  #chart(key, kind, { x, y, wide, isMarked, looks }, found, isWide, players) {
    const known = this.#charts.get(key);
    if (known?.found === found) return known.chart.element;
    const axis = (one, name) => (isWide && wide === name ? { ...one, base: 10, from: undefined } : { ...one });
    const chart = known?.chart ?? new LineChart({ label: text(`lab.plot_${kind}`), x: axis(x, 'x'), y: axis(y, 'y') });
    chart.legend.remove(); // the figure has one
    this.#charts.set(key, { chart, found });
    if (kind === 'strength') { // the powers of ten around the times of all players
      const times = found.map(({ xs }) => Math.log10(xs[0]));
      chart.axes.x.from = 10 ** Math.floor(Math.min(...times) - 0.1);
      chart.axes.x.to = 10 ** Math.ceil(Math.max(...times) + 0.1);
    }
    chart.setLines(found.map(({ player, xs, ys, low, high }) => {
      const { name, colour, dashes, marker } = players[player];
      const band = low.length ? { low, high } : {};
      return { name, xs, ys, ...band, colour: colour + 1, dashes, marker: isMarked && marker, ...looks };
    }));
    return chart.element;
  }
}

/** The names of players, by their labels: a label stays where two would have the same name. */
function namesOf(labels) {
  const names = labels.map(playerName);
  const isOnce = (name) => names.indexOf(name) === names.lastIndexOf(name);
  return new Map(labels.map((label, place) => [label, isOnce(names[place]) ? names[place] : label]));
}

function noteWords({ kind, players, counts, about }, names) {
  const shown = players.map((label, place) => (
    `${names.get(label)}${counts.length ? ` (${number(counts[place])})` : ''}`));
  return text(`lab.note_${kind}`, { players: joined(shown), about });
}

function block(key, ...parts) {
  return h('div', { key, class: 'lab-block stack' }, parts);
}

function heading(kind) {
  return h('h4', { text: text(`lab.title_${kind}`) });
}

function fold(key, ...parts) {
  return h('details', { key, class: 'lab-settings' }, h('summary', { text: text(`lab.${key}`) }), h('div', { class: 'stack' }, parts));
}

function machine({ players, values }, names) {
  const lines = Object.entries(values).map(([key, value]) => [h('dt', { text: key }), h('dd', { text: value })]);
  return h('div', null, h('p', { class: 'soft small',
    text: text('lab.machine', { players: joined(players.map((label) => names.get(label) ?? label)) }) }),
  h('dl', { class: 'lab-machine' }, lines));
}
