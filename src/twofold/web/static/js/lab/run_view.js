/** Training runs: one curve, or several in one chart, while they grow. */

import { LineChart } from '../chart.js';
import { fill, h } from '../dom.js';
import { formatShort } from '../figures.js';
import { net } from '../net.js';
import { fixed, number, percent, text } from '../text.js';
import { dataAddress } from './choice.js';
import { csvButton } from './csv.js';
import { haveSurvival, linesOf, MEASURES, tellingTile, tilesOf, UNITS, whyEmpty } from './curves.js';
import { DataTable } from './data_table.js';
import { faultWords } from './faults.js';
import { lineName } from './swatch.js';
import { formatAgo, formatLong } from './time.js';

const MAX_RUNS = 12;
const COLOURS = 6;

/** Shows the runs chosen, and lets others be added. */
export class RunView {
  #curves = new Map();
  #isBusy = false;
  #runs = [];

  /**
   * @param {string[]} names
   * @param {(names: string[]) => void} onChoose
   */
  constructor(names, onChoose) {
    Object.assign(this, { names, onChoose, measure: 'mean', unit: 'games', tile: '' });
    this.title = h('h2');
    this.status = h('p', { class: 'soft' });
    this.place = h('div', { class: 'lab-chart' });
    this.caption = h('p', { class: 'soft small' });
    this.tile_field = h('label', { class: 'lab-tile' }, h('span', { class: 'label', text: text('games.column_tile') }));
    this.others = h('fieldset', { class: 'field lab-others' });
    this.figures = h('dl', { class: 'lab-figures', hidden: true });
    this.table = new DataTable(text('lab.caption_runs'), (place) => this.#name(place));
    this.csv = csvButton(text('lab.curve'), () => this.#curveRows());
    this.csv.hidden = true;
    this.element = h('article', { class: 'lab-run' },
      h('header', { class: 'lab-head' }, this.title, this.status),
      h('div', { class: 'card lab-curves' }, this.#controls(), this.place, this.caption, this.csv, this.others),
      this.figures, this.table.element);
    this.#newChart();
    this.#head();
  }

  close() {
    this.chart.close();
    this.isClosed = true;
  }

  /** @param {string[]} names of the runs to show */
  choose(names) {
    this.names = names;
    this.#head();
    this.#draw();
  }

  /** @param {{runs: object[]}} files as the server lists them now */
  async update({ runs }) {
    this.#runs = runs;
    this.#say();
    this.#offer();
    if (this.#isBusy) return;
    this.#isBusy = true;
    const results = await Promise.all(this.names.slice(0, MAX_RUNS).map((name) => this.#load(name)));
    this.#isBusy = false;
    if (results.some(Boolean) && !this.isClosed) this.#draw();
  }

  /** Fetch a curve that has changed; whether it was. */
  async #load(name) {
    const { changed = 'none', error: fault } = this.#runs.find((run) => run.name === name) ?? {};
    if (this.#curves.get(name)?.stamp === changed) return false;
    if (fault) {
      this.#curves.set(name, { stamp: changed, rows: [], columns: [], error: fault });
      return true;
    }
    try {
      this.#curves.set(name, { stamp: changed, ...(await net.get(dataAddress('runs', name))) });
    } catch (error) {
      if (error.kind === 'ConnectionLost') return false;
      this.#curves.set(name, { stamp: changed, rows: [], columns: [], error: error.message });
    }
    return true;
  }

  // ---- controls

  #controls() {
    const change = (key) => (value) => { this[key] = value; this.#newChart(); this.#draw(); };
    this.measures = chips(text('lab.measure'), 'measure', MEASURES, this.measure, change('measure'));
    return h('div', { class: 'lab-controls' },
      this.measures, this.tile_field,
      chips(text('lab.over'), 'unit', Object.keys(UNITS), this.unit, change('unit')));
  }

  /** Survival is offered where it was measured. */
  #offerSurvival(curves) {
    const isKnown = haveSurvival(curves);
    const dot = (value) => this.measures.querySelector(`input[value="${value}"]`);
    dot('survival').closest('label').hidden = !isKnown;
    if (isKnown || this.measure !== 'survival' || curves.length < this.names.length) return;
    this.measure = 'mean';
    dot('mean').checked = true;
    this.#newChart();
  }

  #offerTiles(curves) {
    const tiles = tilesOf(curves);
    const isWanted = this.measure === 'reached' && this.names.length > 1 && tiles.length > 0;
    this.tile_field.hidden = !isWanted;
    if (!isWanted) return;
    if (!tiles.includes(this.tile)) this.tile = tellingTile(curves, tiles);
    const select = h('select', { class: 'select', onchange: () => { this.tile = select.value; this.#draw(); } },
      tiles.map((tile) => h('option', { value: tile, selected: tile === this.tile, text: tile })));
    const isFocused = this.tile_field.contains(document.activeElement);
    fill(this.tile_field, h('span', { class: 'label', text: text('games.column_tile') }), select);
    if (isFocused) select.focus();
  }

  /** The other runs, to be compared. */
  #offer() {
    const known = this.#runs.filter((run) => !run.error).map((run) => run.name);
    this.others.hidden = known.length < 2;
    const shown = JSON.stringify([known, this.names]);
    if (shown === this.offered) return;
    this.offered = shown;
    const focused = this.others.contains(document.activeElement) ? document.activeElement.value : null;
    const box = (name) => h('input', { type: 'checkbox', value: name, checked: this.names.includes(name),
      onchange: (event) => this.#toggle(name, event.target.checked) });
    fill(this.others, h('legend', { text: text('lab.compare') }),
      h('div', { class: 'chips' }, known.map((name) => h('label', { class: 'chip' }, box(name), name))));
    if (focused !== null) this.others.querySelector(`input[value="${CSS.escape(focused)}"]`)?.focus();
  }

  #toggle(name, isWanted) {
    const names = isWanted ? [...this.names, name] : this.names.filter((one) => one !== name);
    if (names.length) this.onChoose(names);
    else this.others.querySelector(`input[value="${CSS.escape(name)}"]`).checked = true;
  }

  // ---- what is shown

  #head() {
    this.title.textContent = this.names.length === 1 ? this.names[0] : text('lab.runs_count', { count: this.names.length });
    this.offered = '';
  }

  #say() {
    const [run] = this.#runs.filter((one) => this.names.includes(one.name));
    if (!run || run.error) return;
    const parts = [text('lab.written', { when: formatAgo(run.changed) })];
    if (this.names.length === 1 && run.network) parts.unshift(text('lab.network', { name: run.network }));
    this.status.textContent = parts.join(' · ');
  }

  #newChart() {
    this.chart?.close();
    const isShare = ['reached', 'survival'].includes(this.measure);
    this.chart = new LineChart({
      label: text(`lab.chart_${this.measure}`),
      x: { label: text(`lab.unit_${this.unit}`), format: this.unit === 'seconds' ? formatLong : undefined, from: 0 },
      y: isShare ? { format: (value) => percent(value), from: 0, to: 100 } : { from: 0 },
    });
    fill(this.place, this.chart.element);
  }

  /** What a point of each line is. */
  #explain(curves, lines) {
    const judged = this.measure === 'mean' && curves.length === 1 && curves[0].evaluations?.length;
    const own = this.measure === 'survival' ? explainSurvival(curves) : text(`lab.caption_${this.measure}`);
    const words = [own];
    if (judged) words.push(text('lab.caption_evaluations'));
    if (lines.some((line) => line.low)) words.push(text('lab.caption_runs_band'));
    this.caption.textContent = words.join(' ');
  }

  #draw() {
    const curves = this.names.map((name) => this.#curves.get(name)).filter(Boolean);
    const failed = curves.find((curve) => curve.error);
    this.#offerSurvival(curves);
    this.#offerTiles(curves);
    const lines = linesOf(curves, this);
    this.#explain(curves, lines);
    this.chart.setLines(lines);
    if (failed) this.status.textContent = faultWords(failed.error);
    this.status.classList.toggle('error', Boolean(failed));
    this.place.classList.toggle('lab-empty', !lines.length);
    this.place.dataset.empty = text(whyEmpty(curves, this.measure));
    this.#tell(curves);
  }

  /** The curve that is shown alone. */
  #curveRows() {
    const [name] = this.names;
    const { columns, rows } = this.#curves.get(name);
    return { name: name.replace(/\.csv$/, ''), rows: [columns, ...rows] };
  }

  #name(place) {
    const number = this.names.indexOf(this.shown[place]);
    return lineName(this.shown[place], (number % COLOURS) + 1, number >= COLOURS);
  }

  /** The last figures of each run, which are those of the list. */
  #tell(curves) {
    const runs = this.names.map((name) => this.#runs.find((run) => run.name === name))
      .filter((run) => run && !run.error);
    const tiles = tilesOf(curves);
    this.shown = runs.map((run) => run.name);
    this.figures.hidden = runs.length !== 1;
    this.table.element.hidden = runs.length < 2;
    if (runs.length === 1) fill(this.figures, figuresOf(runs[0], tiles).map(figure));
    if (runs.length > 1) this.table.show(tableOf(runs, tiles), text('lab.runs'));
    this.csv.hidden = this.names.length > 1 || !curves[0]?.rows.length;
  }
}

/** What a point is; the name of the boards where there is one file, as the chart has no legend then. */
function explainSurvival(curves) {
  const sets = [...new Set(curves.flatMap(({ survival = {} }) => Object.keys(survival)))];
  const boards = sets.length === 1 ? sets[0] : text('lab.boards_of_file');
  return text('lab.caption_survival_runs', { boards });
}

function figure([name, words]) {
  return h('div', null, h('dt', { text: name }), h('dd', { text: words }));
}

/** Radios as chips. */
function chips(label, name, values, chosen, onChange) {
  const dot = (value) => h('input', { type: 'radio', name: `lab-${name}`, value, checked: value === chosen,
    onchange: () => onChange(value) });
  const chip = (value) => h('label', { class: 'chip' }, dot(value), text(`lab.${name}_${value}`));
  return h('fieldset', { class: 'field' }, h('legend', { text: label }), h('div', { class: 'chips' }, values.map(chip)));
}

const NONE = '–';

/** Columns: the key of their name, the value in a run, how it is written. */
const COLUMNS = [
  ['games', (run) => run.games, number],
  ['moves', (run) => ofOne(run, run.moves), formatShort],
  ['speed', (run) => ofOne(run, run.moves_per_second), formatShort],
  ['time', (run) => ofOne(run, run.seconds), formatLong],
  ['mean', (run) => run.mean, (value) => number(Math.round(value))],
  ['largest', (run) => run.largest, number],
];

/**
 * @param {object[]} runs as the server lists them
 * @param {string[]} tiles whose reach rates are shown
 * @returns {import('./data_table.js').TableInfo}
 */
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

/**
 * @param {object} run as the server lists it
 * @param {string[]} tiles
 * @returns {[string, string][]} names and figures
 */
function figuresOf(run, tiles) {
  return columnsOf(tiles).map(([name, value, format]) => [name, shown(value(run), format)]);
}

/** A figure that is not known of the mean of several runs. */
function ofOne(run, value) {
  return run.runs > 1 ? null : value;
}

function columnsOf(tiles) {
  const rates = tiles.map((tile) => [text('lab.column_reached', { tile }),
    (run) => run.reached[tile], (value) => fixed(100 * value, 1)]);
  return [...COLUMNS.map(([key, ...rest]) => [text(`lab.column_${key}`), ...rest]), ...rates];
}

function shown(value, format) {
  return value === null || value === undefined ? NONE : format(value);
}
