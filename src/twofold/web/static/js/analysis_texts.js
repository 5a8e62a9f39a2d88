/** What the server says about an analysis in its own words, in the language of the page. */

import { formatShort, PROBABILITY } from './figures.js';
import { fixed, number, text } from './text.js';

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
  const tile = /^chance of (\d+)$/.exec(unit)?.[1];
  return tile ? text('analysis.chance_of', { tile: number(Number(tile)) }) : unit;
}

/**
 * What stands on the evaluation bar: a chance in percent, or how many more points are expected.
 *
 * @param {object} reply an `AnalysisReply`
 */
export function barLabel({ bar, bar_kind: kind, bar_amount: amount }) {
  if (kind === 'about' || kind === 'points') return formatShort(amount).replace(' ', '');
  return `${fixed(100 * (bar ?? 0), 0)}%`;
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
    tile: number(amount),
    points: kind === 'points' ? fixed(amount, 2) : number(amount),
  });
}
