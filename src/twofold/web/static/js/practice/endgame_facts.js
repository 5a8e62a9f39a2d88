/** What stands beside the board of a practice game: chances, measures, mistakes. */

import { figureList } from '../controls.js';
import { button, h } from '../dom.js';
import { formatChance, formatFit } from '../figures.js';
import { ARROWS, LETTERS, moveName } from '../moves.js';
import { number, sentence, text } from '../text.js';

/** Mistakes that are listed, worst first. */
const MOST_LISTED = 5;

/** A move that keeps so much of the best chance is as good as it, for what a table can tell. */
const EQUAL = 1 - 3e-10;

const NONE = '–';

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
 * The chances of the four moves; rows keep their places whatever is shown.
 *
 * @param {string} caption what the chances are of
 * @param {(number | null)[] | null} chances null to hide them
 * @param {string} made letter of the move made there; empty for none
 * @param {string} legal letters of the moves that can be made now
 * @param {(letter: string) => void} onMove
 */
export function chanceTable(caption, chances, made, legal, onMove) {
  const most = Math.max(...(chances ?? []).map((chance) => chance ?? 0));
  const row = (letter, index) => {
    const chance = chances?.[index] ?? null;
    const isBest = chance !== null && most > 0 && chance === most;
    return h('button', { type: 'button', disabled: !legal.includes(letter), onclick: () => onMove(letter),
      class: `bare chance-row ${isBest ? 'is-best' : ''} ${letter === made ? 'is-made' : ''}` },
    h('span', { class: 'analysis-arrow', 'aria-hidden': 'true', text: ARROWS[letter] }),
    h('span', { text: moveName(letter) }),
    h('span', { class: 'chance-bar', 'aria-hidden': 'true' },
      h('span', { class: 'chance-fill', style: { transform: `scaleX(${chance ?? 0})` } })),
    h('span', { class: 'chance-value', text: chance === null ? NONE : formatChance(chance) }));
  };
  return h('div', { class: 'stack tight' }, h('p', { class: 'soft small', text: caption }),
    h('div', { class: 'chances number', role: 'group', 'aria-label': text('review.quiz_choose') }, LETTERS.map(row)));
}

/**
 * What all moves say together. Moves without a choice do not count for the match rate.
 *
 * @param {Judged[]} moves
 */
export function measure(moves) {
  const choices = moves.filter((one) => !one.isForced);
  const runs = choices.reduce((all, one) => [...all, one.isBest ? (all.at(-1) ?? 0) + 1 : 0], []);
  const mistakes = choices.filter((one) => !one.isBest).sort((a, b) => b.lost - a.lost);
  const fit = moves.reduce((product, one) => product * (one.isBest ? 1 : one.after / one.before), 1);
  return { choices: choices.length, matches: choices.length - mistakes.length, combo: runs.at(-1) ?? 0,
    longest: Math.max(0, ...runs), fit, mistakes };
}

/**
 * Match rate, combo, goodness of fit, and the mistakes.
 *
 * @param {Judged[]} moves
 * @param {boolean} isSecret whether they are not told yet
 * @param {(place: number) => void} onRetry goes back to before a mistake
 */
export function measuresView(moves, isSecret, onRetry) {
  const { choices, matches, mistakes, combo, longest, fit } = measure(moves);
  const listed = isSecret ? [] : mistakes.slice(0, MOST_LISTED);
  const figures = {
    match: choices ? formatChance(matches / choices) : NONE, combo: number(combo),
    longest: number(longest), fit: choices ? formatFit(fit) : NONE,
  };
  return h('section', { class: 'stack', 'aria-label': text('practice.measures') },
    figureList('review-figures fit', Object.entries(figures).map(([name, value]) => [text(`practice.${name}`),
      isSecret ? NONE : value, { class: 'review-figure', title: text(`practice.${name}_help`) }])),
    listed.length > 0 && h('h3', { text: text('practice.mistakes') }),
    h('ul', { class: 'practice-mistakes stack near' }, listed.map((one) => h('li', { key: one.place, class: 'line' },
      h('span', { class: 'grow', text: text('practice.mistake', { number: one.place + 1, ...lossOf(one) }) }),
      button({ icon: 'undo', label: text('practice.retry', { number: one.place + 1 }) }, () => onRetry(one.place))))));
}

/** A chance in a sentence, which is not broken before its sign. */
export function chanceWords(chance) {
  return formatChance(chance).replace(' ', '\u00a0');
}

/**
 * What the last move lost, in a sentence; empty where it was the best one.
 *
 * @param {Judged | undefined} last
 */
export function lossWords(last) {
  return last && !last.isBest ? sentence(text('practice.move_lost', lossOf(last))) : '';
}

function lossOf({ move, best, before, after }) {
  return { move: moveName(move), best: moveName(best), before: chanceWords(before), after: chanceWords(after) };
}
