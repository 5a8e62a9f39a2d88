/** Training runs: one curve, or several in one chart, while they grow. */

import { LineChart } from '../chart.js';
import { chips, figureList, select } from '../controls.js';
import { button, h } from '../dom.js';
import { formatAgo, formatLong, formatShort } from '../figures.js';
import { dataAddress, readable } from '../links.js';
import { net } from '../net.js';
import { playerName } from '../player_names.js';
import { settings } from '../settings.js';
import { fixed, labelledText, number, percent, text } from '../text.js';
import { DataTable } from './data_table.js';
import { csvButton, faultWords, figureButtons, lineMark } from './parts.js';

const MAX_RUNS = 12;
const NONE = '–';
const SHARES = ['reached', 'survival'];

/** The runs chosen; others can be added. */
export class RunView {
  #curves = new Map();
  #charts = new Map();
  #isBusy = false;
  #runs = [];
  #table = new DataTable(text('lab.caption_runs'));

  /**
   * @param {string[]} names
   * @param {object} actions
   * @param {() => void} actions.changed called when something to draw has changed
   * @param {(names: string[]) => void} actions.onChoose
   * @param {(address: string) => void} actions.navigate
   * @param {(name: string) => boolean} actions.isComing whether a job is to write a file
   * @param {((players: string[]) => void) | null} actions.onBench null where nothing can be started
   */
  constructor(names, actions) {
    Object.assign(this, { names, actions, measure: 'mean', unit: 'games', tile: '' });
  }

  /** @param {{runs: object[]}} files as the server lists them now */
  async update({ runs }) {
    this.#runs = runs;
    if (this.#isBusy) return;
    this.#isBusy = true;
    await Promise.all(this.names.slice(0, MAX_RUNS).map((name) => this.#load(name)));
    this.#isBusy = false;
    this.actions.changed();
  }

  /** Fetch a curve that has changed. */
  async #load(name) {
    const listed = this.#runs.find((run) => run.name === name);
    if (!listed && this.actions.isComing(name)) return;
    const { changed = 'none', error: fault } = listed ?? {};
    if (this.#curves.get(name)?.stamp === changed) return;
    const keep = (curve) => this.#curves.set(name, { stamp: changed, rows: [], columns: [], ...curve });
    if (fault) return void keep({ error: fault });
    try {
      keep(await net.get(dataAddress('runs', name)));
    } catch (error) {
      if (error.kind !== 'ConnectionLost') keep({ error: error.message });
    }
  }

  #set(how) {
    Object.assign(this, how);
    this.actions.changed();
  }

  /** @returns {HTMLElement} the page of the runs */
  view() {
    const { names } = this;
    const curves = names.map((name) => this.#curves.get(name)).filter(Boolean);
    const runs = names.map((name) => this.#runs.find((run) => run.name === name)).filter((run) => run && !run.error);
    const tiles = tilesOf(curves);
    if (!tiles.includes(this.tile)) this.tile = tellingTile(curves, tiles) ?? '';
    if (this.measure === 'survival' && !haveSurvival(curves) && curves.length === names.length) this.measure = 'mean';
    const lines = linesOf(curves, this);
    return h('article', { key: 'runs', class: 'lab-run stack wide' },
      h('header', { class: 'lab-head stack tight' },
        h('h2', { text: names.length === 1 ? names[0] : text('lab.runs_count', { count: names.length }) }),
        this.#status(curves, runs), runs.length === 1 && names.length === 1 && this.#uses(runs[0])),
      !(curves.length && curves.every(({ error }) => error)) && h('div', { class: 'card lab-curves stack' }, this.#controls(curves, tiles),
        h('div', { class: lines.length ? 'lab-chart' : 'lab-chart lab-empty', dataset: { empty: text(whyEmpty(curves, this.measure)) } },
          this.#chart(lines, curves)),
        h('p', { class: 'soft small', text: this.#explain(curves) }),
        lines.length > 0 && this.#files(),
        names.length === 1 && curves[0]?.rows.length > 0 && csvButton(text('lab.curve'),
          () => ({ name: names[0].replace(/\.csv$/, ''), rows: [curves[0].columns, ...curves[0].rows] })),
        this.#others()),
      runs.length === 1 && figureList('lab-figures card fit', columnsOf(tiles).map(([name, value, format]) => (
        [name, shown(value(runs[0]), format)]))),
      runs.length > 1 && this.#table.show(tableOf(runs, tiles), 'runs',
        { nameOf: (place) => lineMark(runs[place].name, lookOf(names.indexOf(runs[place].name))) }));
  }

  #status(curves, [run]) {
    const failed = curves.find((curve) => curve.error);
    if (failed) return h('p', { class: 'error', text: faultWords(failed.error) });
    const parts = run ? [text('lab.written', { when: formatAgo(run.changed) })] : [];
    if (this.names.length === 1 && run?.network) parts.unshift(text('lab.network', { name: run.network }));
    return h('p', { class: 'soft', text: parts.join(' · ') });
  }

  /** What can be done with the network, which is a player. */
  #uses({ player, network }) {
    const spec = player || (network && `ntuple:net=${network}`);
    if (!spec) return null;
    const { navigate, onBench } = this.actions;
    const hint = () => {
      settings.set('player', spec);
      settings.set('hints', true);
      navigate('/');
    };
    const watch = `/watch?${readable(new URLSearchParams([['player', spec], ['player', 'fast']]))}`;
    return h('div', { class: 'row' },
      button({ icon: 'watch', text: text('lab.watch_it') }, () => navigate(watch)),
      button({ icon: 'hint', text: text('lab.hint_it') }, hint),
      onBench && button({ icon: 'lab', text: text('lab.bench_it') }, () => onBench([spec, 'fast', 'greedy'])),
      h('p', { class: 'soft small', text: text('lab.looks_ahead', { name: playerName(spec) }) }));
  }

  #controls(curves, tiles) {
    const offered = MEASURES.filter((measure) => measure !== 'survival' || haveSurvival(curves));
    const hasTile = this.measure === 'reached' && this.names.length > 1 && tiles.length > 0;
    return h('div', { class: 'lab-controls row' },
      measureChips('measure', offered, this.measure, (measure) => this.#set({ measure })),
      hasTile && h('label', { key: 'tile', class: 'lab-tile stack near' }, h('span', { class: 'label', text: text('games.column_tile') }),
        select(tiles.map((tile) => [tile, tile]), this.tile, (tile) => this.#set({ tile }))),
      measureChips('over', Object.keys(UNITS), this.unit, (unit) => this.#set({ unit }), 'unit'));
  }

  /** The other runs, to be compared. */
  #others() {
    const known = this.#runs.filter((run) => !run.error).map((run) => run.name);
    const toggle = ({ target }, name) => {
      const names = target.checked ? [...this.names, name] : this.names.filter((one) => one !== name);
      if (names.length) this.actions.onChoose(names);
      else target.checked = true;
    };
    return known.length > 1 && h('fieldset', { class: 'field lab-others' }, h('legend', { text: text('lab.compare') }),
      h('div', { class: 'row' }, known.map((name) => h('label', { key: name, class: 'chip' },
        h('input', { type: 'checkbox', value: name, checked: this.names.includes(name), onchange: (event) => toggle(event, name) }),
        name))));
  }

  #chart(lines, curves) {
    const { measure, unit, tile } = this;
    const key = `${measure} ${unit}`;
    if (!this.#charts.has(key)) {
      const y = SHARES.includes(measure) ? { format: (value) => percent(value), from: 0, to: 100 } : { from: 0 };
      const x = { label: text(`lab.unit_${unit}`), format: unit === 'seconds' ? formatLong : undefined, from: 0 };
      this.#charts.set(key, { chart: new LineChart({ label: text(`lab.chart_${measure}`), x, y }), drawn: '' });
    }
    const known = this.#charts.get(key);
    const drawn = JSON.stringify([this.names, curves.map(({ stamp }) => stamp), tile]);
    if (drawn !== known.drawn) known.chart.setLines(lines);
    known.drawn = drawn;
    return known.chart.element;
  }

  /** The chart as a file, where the command draws one: a figure has one tile. */
  #files() {
    const { names, measure, unit, tile } = this;
    if (measure !== 'mean' && !(measure === 'reached' && names.length > 1)) return null;
    const asked = new URLSearchParams(names.map((name) => ['run', name]));
    asked.set('axis', unit);
    if (measure === 'reached') asked.set('tile', tile);
    const name = names.length === 1 ? names[0].replace(/\.csv$/, '') : 'curves';
    return figureButtons(text(`lab.measure_${measure}`), `/api/curves?${asked}`, name);
  }

  /** What a point of each line is. */
  #explain(curves) {
    const isJudged = this.measure === 'mean' && curves.length === 1 && curves[0].evaluations?.length;
    return [
      this.measure === 'survival' ? explainSurvival(curves) : text(`lab.caption_${this.measure}`),
      isJudged && text('lab.caption_evaluations'),
    ].filter(Boolean).join(' ');
  }
}

/** The name of the boards stands here where there is one file, as the chart has no legend then. */
function explainSurvival(curves) {
  const sets = [...new Set(curves.flatMap(({ survival = {} }) => Object.keys(survival)))];
  const boards = sets.length === 1 ? sets[0] : text('lab.boards_of_file');
  return text('lab.caption_survival_runs', { boards });
}

function measureChips(label, values, chosen, onPick, name = label) {
  return chips(text(`lab.${label}`), `lab-${name}`, values.map((value) => [value, text(`lab.${name}_${value}`)]), chosen, onPick);
}

/** Columns: the key of their name, the value in a run, how it is written. */
const COLUMNS = [
  ['games', (run) => run.games, number],
  ['moves', (run) => run.moves, formatShort],
  ['speed', (run) => run.moves_per_second, formatShort],
  ['time', (run) => run.seconds, formatLong],
  ['mean', (run) => run.mean, (value) => number(Math.round(value))],
  ['largest', (run) => run.largest, number],
];

/** The table of several runs. */
function tableOf(runs, tiles) {
  const columns = columnsOf(tiles);
  return {
    header: [text('lab.run'), ...columns.map(([name]) => name)],
    rows: runs.map((run) => [run.name, ...columns.map(([, value, format]) => shown(value(run), format))]),
    keys: runs.map((run) => [run.name, ...columns.map(([, value]) => value(run) ?? null)]),
    names: 1,
    isRaw: true,
  };
}

function columnsOf(tiles) {
  const rates = tiles.map((tile) => [text('lab.column_reached', { tile }),
    (run) => run.reached[tile], (value) => fixed(100 * value, 1)]);
  return [...COLUMNS.map(([key, ...rest]) => [text(`lab.column_${key}`), ...rest]), ...rates];
}

function shown(value, format) {
  return value === null || value === undefined ? NONE : format(value);
}

// ---- from learning curves to lines of the chart

const COLOURS = 6;
const REACHED = 'reached_';

/** What can be drawn; survival where games from boards measured a network. */
const MEASURES = ['mean', 'largest', 'reached', 'survival'];

/** What it can be drawn over, and the column of it. */
const UNITS = { games: 'games', moves: 'moves', seconds: 'seconds' };

/**
 * The tiles whose reach rates are worth showing: those that some games reached.
 *
 * @param {{columns: string[], rows: number[][]}[]} curves
 * @returns {string[]}
 */
function tilesOf(curves) {
  const tiles = new Set(curves.flatMap(({ columns, rows }) => columns
    .filter((name, place) => name.startsWith(REACHED) && rows.some((row) => row[place] > 0))
    .map((name) => name.slice(REACHED.length))));
  return [...tiles].sort((a, b) => a - b);
}

/**
 * The tile that tells the curves apart best, by their last points.
 *
 * @param {{columns: string[], rows: number[][]}[]} curves
 * @param {string[]} tiles
 * @returns {string}
 */
function tellingTile(curves, tiles) {
  const spread = (tile) => {
    const rates = curves.filter(({ rows }) => rows.length)
      .map(({ columns, rows }) => rows[rows.length - 1][columns.indexOf(`${REACHED}${tile}`)] ?? 0);
    return Math.max(...rates) - Math.min(...rates);
  };
  return tiles.reduce((best, tile) => (spread(tile) > spread(best) ? tile : best), tiles[0]);
}

/**
 * Whether games from boards measured one of the networks.
 *
 * @param {{survival?: Object<string, number[][]>}[]} curves
 * @returns {boolean}
 */
function haveSurvival(curves) {
  return curves.some(({ survival = {} }) => Object.values(survival).some((rows) => rows.length));
}

/**
 * The lines of a chart, the longest first, for the cursor goes by it.
 *
 * @param {{name: string, columns: string[], rows: number[][], evaluations: number[][],
 *   survival: Object<string, number[][]>}[]} curves
 * @param {{measure: string, unit: string, tile: string}} choice
 * @returns {import('../chart.js').Line[]}
 */
function linesOf(curves, { measure, unit, tile }) {
  const lines = measure === 'survival' ? survivalLines(curves, unit) : trainingLines(curves, { measure, unit, tile });
  const end = ({ xs }) => xs[xs.length - 1] ?? 0;
  return lines.filter((one) => one.xs.length).sort((a, b) => end(b) - end(a));
}

/**
 * The text that says why there is no line.
 *
 * @param {{columns: string[], rows: number[][]}[]} curves
 * @param {string} measure one of `MEASURES`
 */
export function whyEmpty(curves, measure) {
  if (!curves.some(({ rows }) => rows.length)) return 'lab.no_points';
  return measure === 'reached' ? 'lab.none_reached' : 'lab.no_points';
}

/** The look of the line at a place. */
function lookOf(place) {
  return { colour: (place % COLOURS) + 1, dashed: place >= COLOURS };
}

function trainingLines(curves, { measure, unit, tile }) {
  const only = curves.length === 1 && measure === 'reached' ? tilesOf(curves) : null;
  const lines = only
    ? only.map((one, place) => line(curves[0], `${REACHED}${one}`, unit, place, text('lab.line_reached', { tile: one })))
    : curves.map((curve, place) => line(curve, measure === 'reached' ? `${REACHED}${tile}` : measure, unit, place,
      curves.length === 1 ? text(`lab.measure_${measure}`) : curve.name));
  // the mean scores of the games that measured the network in between
  if (curves.length === 1 && measure === 'mean') lines.push(judged(text('lab.line_evaluations'), curves[0].evaluations ?? [], unit, 1, 1));
  return lines;
}

/** The shares of the games from boards that came to the next large tile, a line each set of boards. */
function survivalLines(curves, unit) {
  const sets = curves.flatMap(({ name, survival = {} }) => Object.entries(survival)
    .map(([boards, rows]) => [curves.length === 1 ? boards : labelledText(name, boards), rows]));
  return sets.map(([name, rows], place) => judged(name, rows, unit, place, 100));
}

function judged(name, rows, unit, place, factor) {
  const x = ['games', 'moves', 'seconds'].indexOf(UNITS[unit]);
  return {
    name,
    xs: rows.map((row) => row[x]),
    ys: rows.map((row) => factor * row[3]),
    ...lookOf(place),
  };
}

function line({ columns, rows }, column, unit, place, name) {
  const [x, y] = [columns.indexOf(UNITS[unit]), columns.indexOf(column)];
  if (x < 0 || y < 0) return { name, xs: [], ys: [] };
  const factor = column.startsWith(REACHED) ? 100 : 1;
  return {
    name,
    xs: rows.map((row) => row[x]),
    ys: rows.map((row) => factor * row[y]),
    ...lookOf(place),
  };
}
