/** The judgements of a game, as they come in from the server, and what is said of a move by them. */

import { reasonText } from '../analysis_texts.js';
import { h } from '../dom.js';
import { PROBABILITY } from '../figures.js';
import { LETTERS, moveName } from '../moves.js';
import { net } from '../net.js';
import { takesLimits } from '../player_picker.js';
import { fixed, labelledText, sentence, text } from '../text.js';

/** Grades from the best to the worst. */
export const GRADES = ['best', 'fine', 'inaccuracy', 'mistake', 'blunder'];

/** How long the hand rests before the judgements from a place on are asked for, and the live analysis there. */
const REST_MS = 300;
const LIVE_REST_MS = 120;

/** Judgements of this time are shown together. */
const CHANGE_MS = 60;

const MISTAKES = new Set(['mistake', 'blunder']);

/** Whether moves of a grade are mistakes. */
export const isMistake = (grade) => MISTAKES.has(grade);

/** Texts on the values of a judge that are not points, by unit. */
const UNITS = {
  'discounted points': 'discounted',
  'points, then own unit': 'two_units',
  [PROBABILITY]: 'probabilities',
};

/** Asks for a review and keeps what is answered. */
export class Judging {
  #ref = 0;

  /** Judgements by place; undefined where none has come yet. */
  judgements = [];

  /** How many there are so far. */
  done = 0;

  /** Accuracy of those, in percent, and once all are judged of the person's own; null if none had an alternative. */
  accuracy = null;

  /** The `reviewed` message; null before it has come. */
  reviewed = null;

  /** What the server refused, in words; empty if nothing. */
  error = '';

  /** The player that judges; empty before the server has said. */
  judge = '';

  /** The place that one looks at: the moves from there on are judged first. */
  place = 0;

  /**
   * @param {import('./tree.js').Game} game
   * @param {() => void} onChange called a few times a second at most
   */
  constructor(game, onChange) {
    Object.assign(this, { game, onChange });
    const mine = (take) => (reply) => {
      if (!this.#ref || reply.ref !== this.#ref) return;
      take(reply);
      this.timer ??= setTimeout(() => {
        this.timer = null;
        onChange();
      }, CHANGE_MS);
    };
    net.on('judged', mine((reply) => this.#judged(reply)));
    net.on('reviewed', mine((reply) => {
      this.reviewed = reply;
      this.accuracy = reply.own?.accuracy ?? this.accuracy;
    }));
    net.on('refused', mine(({ message }) => { this.error = message; }));
    net.on('state', ({ state }) => state === 'open' && this.resume());
  }

  /** Whether judgements are still to come. */
  get isGoing() {
    return this.#ref !== 0 && this.reviewed === null && !this.error;
  }

  /**
   * Let a player judge the game.
   *
   * @param {string} [player] spec; empty for the server's own choice
   * @param {number | null} [ply] depth; null for the server's own choice
   */
  start(player = '', ply = null) {
    Object.assign(this, { player, ply, judgements: [], done: 0, reviewed: null, error: '', judge: '' });
    this.#ask();
  }

  /** Ask again where the connection was lost on the way; what was judged is sent at once. */
  resume() {
    if (this.isGoing) this.#ask();
  }

  /** @param {number} place that one looks at now */
  look(place) {
    this.place = place;
    clearTimeout(this.rest);
    if (!this.isGoing || this.judgements[place] || place >= this.game.last) return;
    this.rest = setTimeout(() => this.resume(), REST_MS);
  }

  /** Take no more judgements. */
  close() {
    clearTimeout(this.timer);
    clearTimeout(this.rest);
    this.#ref = 0;
  }

  /**
   * The place of the next own move of some grades, going round at the end.
   *
   * @param {number} place where to look from
   * @param {1 | -1} direction
   * @param {(grade: string) => boolean} wanted
   * @returns {number} -1 if there is none
   */
  find(place, direction, wanted = isMistake) {
    const count = this.game.last;
    for (let step = 1; step <= count; step += 1) {
      const there = (((place + direction * step) % count) + count) % count;
      const one = this.judgements[there];
      if (one && wanted(one.grade) && !this.game.isHelped(there)) return there;
    }
    return -1;
  }

  /** Whether the person has made mistakes. */
  get hasMistakes() {
    return this.judgements.some((one, place) => isMistake(one.grade) && !this.game.isHelped(place));
  }

  #ask() {
    const { game, player, ply, place } = this;
    this.#ref = net.send({ type: 'review', game: game.id, player, ply, start: game.first + place });
  }

  #judged({ judgements, done, accuracy, player }) {
    for (const one of judgements) {
      this.judgements[one.move_number - this.game.first] = { ...one, grade: one.label };
    }
    Object.assign(this, { done, accuracy, judge: player });
  }
}

/**
 * Whether a move was the only legal one.
 *
 * @param {object} judgement
 */
export function isForced(judgement) {
  return judgement.values.filter((value) => value !== null).length === 1;
}

/**
 * Who judged, and what one has to know about it.
 *
 * @param {Judging} judging
 * @param {(spec: string) => string} nameOf
 * @returns {Array} for `render`
 */
export function judgeNotes({ reviewed, player, judge }, nameOf) {
  const note = (key, isShown = true) => isShown && h('p', { class: 'small soft', text: text(key) });
  return [
    h('details', { class: 'judged-by' },
      h('summary', { title: judge, text: judge ? text('review.judged_by', { player: nameOf(judge) }) : text('review.judge') }),
      note('review.how'), note('review.deeper', takesLimits(player || judge))),
    note(`review.${UNITS[reviewed?.unit] ?? 'own_unit'}`, reviewed && reviewed.unit !== 'points'),
    note('review.lacks_tables', Boolean(reviewed?.lacks_tables)),
  ];
}

/** A share in percent, with the digits that tell it from 100. */
function percent(ratio) {
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
    const reason = sentence(labelledText(moveName(judgement.move), reasonText(judgement.reason)));
    const best = text('review.edge_best', { move: moveName(judgement.best) });
    const words = judgement.move === judgement.best ? [reason] : [reason, best];
    return words.map((one) => one + text('all.full_stop')).join('').trim();
  }
  const { move, best, ratio, table } = judgement;
  const values = { move: moveName(move), best: moveName(best), kept: percent(ratio),
    target: table?.target, table: table?.name };
  return sentence(text(verdictKey(judgement), values));
}

function verdictKey(judgement) {
  if (isForced(judgement)) return 'review.verdict_forced';
  if (judgement.grade === 'best') return 'review.verdict_perfect';
  const chance = judgement.table?.chances[LETTERS.indexOf(judgement.move)] ?? null; // where a table knows it
  return chance === null ? 'review.verdict' : 'review.verdict_chance';
}

/**
 * The sentence on a move that was tried, by the values that are shown; empty where they do not say.
 *
 * @param {object} reply an `AnalysisReply`
 * @param {string} letter
 */
export function verdictBy(reply, letter) {
  const { ratio, reason } = reply.moves.find(({ move }) => move === letter);
  const grade = letter === reply.best ? 'best' : '';
  return grade || ratio !== null
    ? verdictOf({ ...reply, move: letter, ratio, reason, grade, values: reply.moves.map(({ value }) => value) }) : '';
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
  const { values, shares, best, unit, table } = judgement;
  const moves = LETTERS.map((move, index) => {
    const value = values[index];
    const legal = value !== null;
    const reward = legal ? position.slide(move).reward : 0;
    const isMade = move === judgement.move;
    return { move, legal, value, ratio: shares[index], reward, depth: 0, nodes: 0, tried: true,
      label: isMade ? judgement.grade : '', reason: isMade ? judgement.reason : null };
  });
  return { board: position.board, rules, final: true, best, unit, table, moves, player: '', depth: '',
    nodes: 0, seconds: 0, source: '', line: [], bar: null, bar_kind: '' };
}

/** The live analysis of a position: asked when the hand rests; the last question counts. */
export class Live {
  #ref = 0;
  #timer = null;
  #question = null;

  /**
   * @param {object} events
   * @param {(reply: object) => void} events.show called with each `AnalysisReply`
   * @param {(reply: object) => void} events.outcomes called with each `OutcomesReply`
   * @param {(message: string) => void} events.refuse called with a sentence
   */
  constructor({ show, outcomes, refuse }) {
    const mine = (run) => (reply) => reply.ref && reply.ref === this.#ref && run(reply);
    net.on('analysis', mine(show));
    net.on('outcomes', mine(outcomes));
    net.on('refused', mine(({ message }) => refuse(message)));
    net.on('state', ({ state }) => state === 'open' && this.#question && this.#send());
  }

  /** @param {object} question an `AnalyseRequest` but for its type; the same one is asked once */
  ask(question) {
    if (JSON.stringify(question) === JSON.stringify(this.#question)) return;
    this.#ref = 0;
    this.#question = question;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), LIVE_REST_MS);
  }

  #send() {
    clearTimeout(this.#timer);
    this.#ref = net.send({ type: 'analyse', outcomes: true, ...this.#question });
  }

  /**
   * Ask no more.
   *
   * @param {boolean} [isAlone] whether no review is under way, which would end, too
   */
  stop(isAlone = true) {
    clearTimeout(this.#timer);
    if (this.#ref && isAlone) net.send({ type: 'stop' });
    this.#ref = 0;
    this.#question = null;
  }
}
