/** The last figures of training runs. */

import { formatShort } from '../figures.js';
import { fixed, number, text } from '../text.js';
import { formatLong } from './time.js';

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
export function tableOf(runs, tiles) {
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
export function figuresOf(run, tiles) {
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
