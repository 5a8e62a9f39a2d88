/** How well a practice game was played, from the chances of all moves. */

import { LETTERS } from '../moves.js';

/** A move that keeps so much of the best chance is as good as it, for what a table can tell. */
const EQUAL = 1 - 3e-10;

/**
 * @typedef {object} Judged one move
 * @property {number} place of the position it was made in
 * @property {string} move
 * @property {string} best the best move
 * @property {number} before chance after the best move
 * @property {number} after chance after the move made
 * @property {number} lost chance that it lost
 * @property {boolean} isBest
 * @property {boolean} isForced whether it was the only legal move
 */

/**
 * What a move was worth.
 *
 * @param {(number | null)[]} chances of the four moves
 * @param {string} move
 * @param {number} place
 * @returns {Judged}
 */
export function judged(chances, move, place) {
  const before = Math.max(...chances.map((chance) => chance ?? 0));
  const after = chances[LETTERS.indexOf(move)] ?? 0;
  const isBest = after >= before * EQUAL;
  const best = isBest ? move : LETTERS[chances.indexOf(before)];
  const isForced = chances.filter((chance) => chance !== null).length === 1;
  return { place, move, best, before, after, lost: isBest ? 0 : before - after, isBest, isForced };
}

/**
 * What all moves say together. Moves without a choice do not count for the match rate.
 *
 * @param {Judged[]} moves
 */
export function measure(moves) {
  const choices = moves.filter((one) => !one.isForced);
  const runs = choices.reduce((all, one) => [...all, one.isBest ? (all.at(-1) ?? 0) + 1 : 0], []);
  const mistakes = choices.filter((one) => !one.isBest);
  return {
    choices: choices.length,
    matches: choices.length - mistakes.length,
    combo: runs.at(-1) ?? 0,
    longest: Math.max(0, ...runs),
    fit: moves.reduce((product, one) => product * (one.isBest ? 1 : one.after / one.before), 1),
    mistakes: mistakes.sort((a, b) => b.lost - a.lost),
  };
}
