/** What the server says about an analysis, and grades of moves, in the language of the page. */

import { h } from './dom.js';
import { PROBABILITY, formatChance, formatShort } from './figures.js';
import { LETTERS } from './moves.js';
import { fixed, number, percent, text } from './text.js';

const SAME = 0.005; // a loss of so small a share is none that a player would feel

/**
 * A depth: `3 plies`, `7 half-moves`; empty without a search.
 *
 * @param {string} depth as in an `AnalysisReply`
 */
export function depthText(depth) {
  const [, count, unit] = /^(\d+) (pl|half-move)/.exec(depth) ?? [];
  if (!unit) return depth;
  return text(unit === 'pl' ? 'analyse.plies' : 'analysis.half_moves', { count: Number(count) });
}

/**
 * The unit of the values.
 *
 * @param {{unit: string}} reply
 */
export function unitText({ unit }) {
  if (unit === PROBABILITY) return text('analysis.probability');
  if (unit === 'points' || unit === 'discounted points') return text('analysis.points');
  if (unit === 'own unit' || unit === 'exponents') return text('analysis.own_unit');
  const tile = tileOf(unit);
  return tile ? text('analysis.chance_of', { tile: String(tile) }) : unit;
}

/**
 * What a move loses against the best one, in words: `−1.2 % chance`, `−1,200 points`, `about the
 * same`. Units of a player's own are never shown.
 *
 * @param {object} reply an `AnalysisReply`
 * @param {object} move of it
 */
export function lossText(reply, move) {
  const { best, moves, table, unit } = reply;
  if (!move.legal) return text('analysis.illegal');
  if (move.move === best) return '';
  if (!move.tried) return text('analysis.untried');
  const values = table ? table.chances : moves.map(({ value }) => value);
  const [most, value] = [best, move.move].map((letter) => values[LETTERS.indexOf(letter)]);
  if (move.ratio === null || value == null || most == null) return '';
  return lossWords(most, value, table ? 'chance' : unit, move.ratio);
}

/**
 * What a value loses against the best one, in words; empty for units of a player's own.
 *
 * @param {number} most the best value
 * @param {number} value
 * @param {string} unit `chance`, `points` or another
 * @param {number} ratio the share of the best value that it keeps
 */
export function lossWords(most, value, unit, ratio) {
  if (1 - ratio < SAME) return text('analysis.same');
  if (unit === 'chance' || tileOf(unit)) return text('analysis.loss_chance', { loss: rounded(100 * (most - value)) });
  return unit === 'points' ? text('analysis.loss_points', { loss: rounded(most - value) }) : '';
}

/**
 * A loss in two digits, which say enough: `1,200`, `0.034`.
 *
 * @param {number} value
 */
function rounded(value) {
  const digits = Math.max(0, Math.min(6, 1 - Math.floor(Math.log10(Math.abs(value) || 1))));
  return value >= 10 ? number(Number(value.toPrecision(2))) : fixed(value, digits);
}

/** The tile in the unit `chance of 2048`; 0 for other units. */
function tileOf(unit) {
  return Number(/^chance of (\d+)$/.exec(unit)?.[1] ?? 0);
}

/**
 * What the endgame table says that chooses the move: `442-512: 97.2 % to make 512`.
 *
 * @param {object} reply an `AnalysisReply`
 */
export function tableText({ table, best }) {
  if (!table) return '';
  const { name, target, chances } = table;
  const chance = formatChance(chances[LETTERS.indexOf(best)] ?? Math.max(...chances));
  return text('analysis.table_says', { name, target, chance });
}

/**
 * What stands on the evaluation bar: a chance in percent; points are too long for it.
 *
 * @param {object} reply an `AnalysisReply`
 */
export function barLabel({ bar, bar_kind: kind }) {
  return kind === 'tile' ? percent(100 * bar, 0).replace(/\s/, '') : '';
}

/**
 * What the evaluation bar says.
 *
 * @param {object} reply an `AnalysisReply`
 */
export function barText({ bar, bar_kind: kind, bar_amount: amount }) {
  if (!kind) return '';
  return text(`analysis.bar_${kind}`, {
    percent: fixed(100 * (bar ?? 0), 1),
    tile: String(amount),
    points: kind === 'points' ? fixed(amount, 2) : formatShort(amount),
  });
}

const SIGNS = { best: '★', fine: '=', inaccuracy: '?!', mistake: '?', blunder: '??' };

/**
 * A round mark with the sign of a grade; its name has to stand beside it.
 *
 * @param {string} grade
 * @returns {HTMLElement}
 */
export function gradeMark(grade) {
  return h('span', { class: `grade-mark grade-${grade}`, 'aria-hidden': 'true', text: SIGNS[grade] });
}

/** The sign of a grade. */
export const gradeSign = (grade) => SIGNS[grade];

/**
 * The name of a grade.
 *
 * @param {string} grade
 */
export function gradeName(grade) {
  return text(`grade.${grade}`);
}

/**
 * Why a move is good or bad, as part of a sentence: `takes the 2048 out of its corner`.
 *
 * @param {object} reason of a reply
 */
export function reasonText({ kind, gains, tile, count, other, line, move }) {
  return text(`reason.${kind}_${gains ? 'good' : 'bad'}`, {
    tile: String(tile), count, other,
    line: line && text(`reason.line_${line}`), move: move && text(`move.${move}`),
  });
}
