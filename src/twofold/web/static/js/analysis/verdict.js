/** What is said of a move: by its judgement, or by the values of an analysis. */

import { reasonText } from '../grades.js';
import { LETTERS, moveName } from '../moves.js';
import { fixed, sentence, text } from '../text.js';
import { chanceOf, isForced, shareByTable } from './judging.js';

/**
 * A share in percent, with the digits that tell it from 100.
 *
 * @param {number} ratio
 */
export function percent(ratio) {
  const value = 100 * ratio;
  if (ratio >= 1) return '100';
  return value > 99.9 ? `${fixed(99.9, 1)}+` : fixed(value, 1);
}

/**
 * What there is to say of a judged move: its chance where a table knows it, else its reason.
 *
 * @param {object} judgement
 */
export function verdictOf(judgement) {
  if (judgement.reason && !judgement.table) {
    const reason = `${sentence(moveName(judgement.move))}: ${reasonText(judgement.reason)}.`;
    return `${reason} ${text('review.edge_best', { move: moveName(judgement.best) })}.`;
  }
  const { move, best, ratio, table } = judgement;
  const values = { move: moveName(move), best: moveName(best), kept: percent(ratio),
    target: table?.target, table: table?.name };
  return sentence(text(verdictKey(judgement), values));
}

function verdictKey(judgement) {
  if (isForced(judgement)) return 'review.verdict_forced';
  if (judgement.grade === 'best') return 'review.verdict_perfect';
  return chanceOf(judgement, judgement.move) === null ? 'review.verdict' : 'review.verdict_chance';
}

/**
 * The sentence on a move that was tried, by the values that are shown; empty where they do not say.
 *
 * @param {object} reply an `AnalysisReply`
 * @param {string} letter
 */
export function verdictBy(reply, letter) {
  const { ratio } = reply.moves.find(({ move }) => move === letter);
  if (letter === reply.best) return sentence(text('review.verdict_perfect', { move: moveName(letter) }));
  if (ratio === null) return '';
  const values = { move: moveName(letter), best: moveName(reply.best), kept: percent(ratio) };
  return sentence(text('review.verdict', values));
}

/**
 * The letters of the legal moves in an analysis, the best first.
 *
 * @param {object} reply an `AnalysisReply`
 */
export function rankedIn({ moves, best }) {
  return moves.filter(({ legal }) => legal)
    .sort((a, b) => (b.move === best) - (a.move === best)
      || (b.ratio ?? b.value ?? 0) - (a.ratio ?? a.value ?? 0))
    .map(({ move }) => move);
}

/**
 * A judgement as a finished analysis has it.
 *
 * @param {object} judgement
 * @param {import('./tree.js').Position} position
 * @param {string} rules
 */
export function asAnalysis(judgement, position, rules) {
  const { values, best, unit, table } = judgement;
  const top = values[LETTERS.indexOf(best)];
  const moves = LETTERS.map((move, index) => {
    const value = values[index];
    const legal = value !== null;
    const ratio = table ? shareByTable(judgement, move) : shareOf(value, top);
    const reward = legal ? position.slide(move).reward : 0;
    const isMade = move === judgement.move;
    return { move, legal, value, ratio: legal ? ratio : null, reward, depth: 0, nodes: 0, tried: true,
      label: isMade ? judgement.grade : '', reason: isMade ? judgement.reason : null };
  });
  return { board: position.board, rules, final: true, best, unit, table, moves, player: '', depth: '',
    nodes: 0, seconds: 0, source: '', line: [], bar: null, bar_kind: '' };
}

/** The share of the best value that a value has, 0 to 1; of losses, the other way round. */
function shareOf(value, best) {
  if (value === best) return 1;
  const share = best > 0 ? value / best : best / value;
  return Number.isFinite(share) ? Math.max(0, Math.min(1, share)) : 0;
}
