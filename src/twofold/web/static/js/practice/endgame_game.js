/** A practice game: the server is asked with all moves so far, and answers with the positions. */

import { figureList } from '../controls.js';
import { button, h } from '../dom.js';
import { formatChance, formatFit } from '../figures.js';
import { ARROWS, LETTERS, moveName } from '../moves.js';
import { net } from '../net.js';
import { slideOf } from '../notation.js';
import { number, sentence, text } from '../text.js';

/** The moves of one practice game, and what the table says of them. */
export class EndgameGame {
  #queue = Promise.resolve();
  #run = 0; // counts the games, so that what belongs to one that was left is dropped

  moves = '';
  positions = [];

  /**
   * @param {{start: () => void, sending: (letter: string) => void, moved: () => void,
   *   back: () => void, failed: (error: Error) => void}} watcher
   */
  constructor(watcher) {
    this.watcher = watcher;
  }

  /** The position now; undefined before the first one. */
  get now() {
    return this.positions.at(-1);
  }

  /** Whether a move can be made. */
  get isGoing() {
    return this.now?.status === 'going';
  }

  /** What the moves were worth. */
  get judged() {
    return [...this.moves].map((move, place) => judged(this.positions[place].chances, move, place));
  }

  /**
   * Begin, or go on where `moves` lead to.
   *
   * @param {{table: string, seed: string, board?: string, moves?: string}} options
   */
  async begin({ table, seed, board = '', moves = '' }) {
    this.#run += 1;
    const run = this.#run;
    const reply = await net.post('/api/practice/endgame', { table, seed, board, moves, known: 0 });
    if (run !== this.#run) return;
    Object.assign(this, {
      table: reply.table, target: reply.target, seed, given: board, moves, positions: reply.positions,
    });
    this.watcher.start();
  }

  /** @param {string} letter of a move, which is made after those on their way */
  move(letter) {
    const run = this.#run;
    this.#queue = this.#queue.then(() => run === this.#run && this.#move(letter, run))
      .catch((error) => this.watcher.failed(error));
  }

  /** Take the last move back. */
  undo() {
    this.cut(this.moves.length - 1);
  }

  /** @param {number} place of the position to go back to */
  cut(place) {
    if (place < 0 || place >= this.moves.length) return;
    this.#run += 1;
    this.moves = this.moves.slice(0, place);
    this.positions = this.positions.slice(0, place + 1);
    this.watcher.back();
  }

  /** The whole game as the server reads it. */
  get body() {
    const { table, seed, given, moves } = this;
    return { table, seed, board: given, moves };
  }

  async #move(letter, run) {
    if (!this.isGoing || !slideOf(this.now.board, letter).changed) return;
    this.watcher.sending(letter);
    const moves = this.moves + letter;
    const reply = await net.post('/api/practice/endgame', { ...this.body, moves, known: moves.length });
    if (run !== this.#run) return;
    this.moves = moves;
    this.positions.push(...reply.positions);
    this.watcher.moved();
    if (judged(this.positions.at(-2).chances, letter, 0).isBest) return;
    net.post('/api/practice/mistake', this.body).catch((error) => this.watcher.failed(error)); // into the notebook
  }
}

/** A seed of 64 bits, as text. */
export function randomSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return String((BigInt(high) << 32n) | BigInt(low));
}

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

/**
 * What the last move lost, in a sentence; empty where it was the best one.
 *
 * @param {Judged | undefined} last
 */
export function lossWords(last) {
  return last && !last.isBest ? sentence(text('practice.move_lost', lossOf(last))) : '';
}

function lossOf({ move, best, before, after }) {
  return { move: moveName(move), best: moveName(best), before: formatChance(before), after: formatChance(after) };
}
