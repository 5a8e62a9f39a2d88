/** From learning curves to lines of a chart. */

import { text } from '../text.js';

const COLOURS = 6;
const REACHED = 'reached_';
const SEED = 'seed_';

/** What can be drawn; survival where games from boards measured a network. */
export const MEASURES = ['mean', 'largest', 'reached', 'survival'];

/** What it can be drawn over, and the column of it. */
export const UNITS = { games: 'games', moves: 'moves', seconds: 'seconds' };

/**
 * The tiles whose reach rates are worth showing: those that some games reached.
 *
 * @param {{columns: string[], rows: number[][]}[]} curves
 * @returns {string[]}
 */
export function tilesOf(curves) {
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
export function tellingTile(curves, tiles) {
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
export function haveSurvival(curves) {
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
export function linesOf(curves, { measure, unit, tile }) {
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
  const isKnown = curves.some(({ columns }) => columns.some((name) => name.startsWith(REACHED)));
  return measure === 'reached' && isKnown ? 'lab.none_reached' : 'lab.not_of_runs';
}

/** The look of the line at a place. */
export function lookOf(place) {
  return { colour: (place % COLOURS) + 1, dashed: place >= COLOURS };
}

function trainingLines(curves, { measure, unit, tile }) {
  const only = curves.length === 1 && measure === 'reached' ? tilesOf(curves) : null;
  const lines = only
    ? only.map((one, place) => line(curves[0], `${REACHED}${one}`, unit, place, text('lab.line_reached', { tile: one })))
    : curves.map((curve, place) => line(curve, measure === 'reached' ? `${REACHED}${tile}` : measure, unit, place,
      curves.length === 1 ? aloneName(curve, measure) : curve.name));
  // the mean scores of the games that measured the network in between
  if (curves.length === 1 && measure === 'mean') lines.push(judged(text('lab.line_evaluations'), curves[0].evaluations ?? [], unit, 1, 1));
  return lines;
}

/** The shares of the games from boards that came to the next large tile, a line each set of boards. */
function survivalLines(curves, unit) {
  const sets = curves.flatMap(({ name, survival = {} }) => Object.entries(survival)
    .map(([boards, rows]) => [curves.length === 1 ? boards : `${name}: ${boards}`, rows]));
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

function aloneName(curve, measure) {
  const count = curve.columns.filter((name) => name.startsWith(SEED)).length || 1; // runs that it is the mean of
  return count > 1 ? text('lab.line_runs', { count }) : text(`lab.measure_${measure}`);
}

function line({ columns, rows }, column, unit, place, name) {
  const [x, y] = [columns.indexOf(UNITS[unit]), columns.indexOf(column)];
  if (x < 0 || y < 0) return { name, xs: [], ys: [] };
  const factor = column.startsWith(REACHED) ? 100 : 1;
  return {
    name,
    ...band(columns, rows),
    xs: rows.map((row) => row[x]),
    ys: rows.map((row) => factor * row[y]),
    ...lookOf(place),
  };
}

/** The interval of the mean of several runs; no score is below 0. */
function band(columns, rows) {
  const [low, high] = [columns.indexOf('low'), columns.indexOf('high')];
  if (low < 0 || high < 0) return {};
  const above = (value) => (value === null ? null : Math.max(0, value));
  return { low: rows.map((row) => above(row[low])), high: rows.map((row) => row[high]) };
}
