/**
 * What a player thinks of a position, in words that players use: four moves with a grade, a bar and
 * their loss, the reason of one of them, the chance of the next large tile, the line of best play.
 *
 * Values, depth, nodes, evaluator and unit are behind "Details". No part moves while an analysis
 * improves: every part has its place from the start.
 */

import {
  barLabel, barText, depthText, gradeMark, gradeName, lossText, reasonText, tableText, unitText,
} from './analysis_texts.js';
import { figureList, hint } from './controls.js';
import { h, part, render } from './dom.js';
import { PROBABILITY, formatDuration, formatSample, formatShort, valueFormat } from './figures.js';
import { ARROWS, LETTERS, moveName } from './moves.js';
import { net } from './net.js';
import { parseStep, shapeOf } from './notation.js';
import { settings } from './settings.js';
import { fixed, fullSentence, labelledText, number, sentence, text } from './text.js';

const HALF_AT = 0.025; // loss at which a bar is half as long
const WAIT_MS = 300; // the chance of positions that are passed in less is not asked for
const MAX_STEPS = 8; // most steps shown of the line of best play
let views = 0; // for names that are used once on a page

/**
 * @typedef {object} AnalysisViewOptions
 * @property {(letter: string) => void} onMove called when a person picks a move
 * @property {(steps: number) => void} [onLine] called with the number of steps of the line to make;
 *   without it the line of best play is not shown
 * @property {(letter: string) => string|undefined} [gradeOf] the grade of a move by another judge,
 *   shown in place of that of the analysis
 */

/** Shows `AnalysisReply`s. */
export class AnalysisView {
  #reply = null;
  #isWaiting = false;
  #note = '';
  #spoken = '';
  #pointed = ''; // letter of the move whose reason is shown
  #line = { board: '', steps: [] };
  #chance = null; // as counted last, with its `board`
  #counted = ''; // rules and board of the chance that is asked for
  #name = `analysis-${++views}`;

  /** @param {AnalysisViewOptions} options */
  constructor(options = {}) {
    this.options = options;
    this.element = part(h('section', { class: 'analysis stack near', 'aria-label': text('analysis.label') }));
    this.#draw();
    net.on('state', () => this.#draw());
  }

  get #isThinking() {
    return this.#isWaiting && !net.isAway;
  }

  /**
   * Show an analysis.
   *
   * @param {object} reply an `AnalysisReply`
   */
  show(reply) {
    if (reply.board !== this.#reply?.board) this.#forget();
    this.#reply = reply;
    this.#isWaiting = !reply.final;
    this.#note = '';
    // a line that is being pointed at stays until the board changes
    const isHeld = reply.board === this.#line.board && this.element.querySelector('.line-steps')?.matches(':hover, :focus-within');
    if (!isHeld) this.#line = { board: reply.board, steps: reply.line };
    if (!exactChance(reply)) this.#count(reply);
    if (reply.final) this.#spoken = spokenText(reply);
    this.#draw();
  }

  /** Say that an analysis is under way, and keep what is shown until it comes. */
  wait() {
    [this.#isWaiting, this.#note] = [true, ''];
    this.#draw();
  }

  /**
   * Show nothing, or a sentence that says why there is nothing.
   *
   * @param {string} [note]
   */
  clear(note = '') {
    this.#forget();
    this.#line = { board: '', steps: [] };
    [this.#reply, this.#chance, this.#isWaiting, this.#note] = [null, null, false, note];
    if (note) this.#spoken = note;
    this.#draw();
  }

  #forget() {
    [this.#counted, this.#pointed] = ['', ''];
  }

  /** Count the chance of the next large tile until it is known well, or until another position comes. */
  async #count({ board, rules }) {
    const key = `${rules} ${board}`;
    if (key === this.#counted) return;
    this.#counted = key;
    await new Promise((done) => { setTimeout(done, WAIT_MS); });
    let body = { board, rules };
    while (key === this.#counted && this.element.isConnected) {
      const found = await net.post('/api/chance', body).catch(console.info); // the page says itself that the connection is lost
      if (!found || key !== this.#counted) return;
      const { games, reached, done } = found;
      if (games) this.#chance = { ...found, share: reached / games, board };
      this.#draw();
      if (done) return;
      body = { board, rules, games, reached };
    }
  }

  #draw() {
    const reply = this.#reply;
    this.element.dataset.state = this.#isThinking ? 'thinking' : reply ? 'final' : 'empty';
    render(this.element,
      h('table', { class: 'analysis-moves table', 'aria-label': text('analysis.moves') },
        h('tbody', null, LETTERS.map((letter, index) => this.#row(letter, reply, reply?.moves[index])))),
      this.#note ? h('p', { key: 'note', class: 'analysis-note soft', text: this.#note })
        : this.#reason(reply),
      this.#chanceLine(reply),
      this.options.onLine && this.#lineView(reply),
      this.#details(reply),
      h('p', { key: 'spoken', class: 'visually-hidden', role: 'status', text: this.#spoken }));
  }

  #row(letter, reply, move) {
    const isBest = reply?.best === letter;
    const isLegal = Boolean(move?.legal);
    const point = (now) => () => {
      if (this.#pointed === now) return;
      this.#pointed = now;
      this.#draw();
    };
    const { onMove } = this.options;
    const label = (reply && this.options.gradeOf?.(letter)) || (isBest ? 'best' : move?.label);
    return h('tr', { key: letter, 'data-grade': label || null,
      class: isBest ? 'is-best' : move && !isLegal ? 'is-illegal' : null,
      onpointerenter: point(isLegal ? letter : ''), onpointerleave: point('') },
    h('th', { scope: 'row', class: 'analysis-move' }, h('button', {
      type: 'button', class: 'bare analysis-pick line', disabled: !isLegal, onclick: () => onMove(letter),
      onfocus: point(letter), onblur: point(''),
    }, h('span', { class: 'analysis-arrow', 'aria-hidden': 'true' }, ARROWS[letter]),
    h('span', { class: 'analysis-name' }, moveName(letter)))),
    h('td', { class: 'analysis-label' }, label && [gradeMark(label), h('span', { text: gradeName(label) })]),
    h('td', { class: 'analysis-track', onclick: () => isLegal && onMove(letter) },
      h('span', { class: 'analysis-bar', 'aria-hidden': 'true' }, h('span', { class: 'analysis-fill',
        style: { transform: `scaleX(${barLength(move, isBest, reply).toFixed(4)})` } }))),
    h('td', { class: 'analysis-behind', text: reply ? lossText(reply, move) : '' }));
  }

  /** Why the move that is pointed at, or the best one is good or bad. */
  #reason(reply) {
    const letter = this.#pointed || reply?.best;
    const reason = reply?.moves[LETTERS.indexOf(letter)].reason;
    return h('p', { key: 'reason', class: 'analysis-reason' }, reason && [
      h('strong', { text: sentence(labelledText(moveName(letter), '')) }), reasonText(reason) + text('all.full_stop'),
    ]);
  }

  #chanceLine(reply) {
    const found = reply && (exactChance(reply) ?? this.#chance);
    const isOld = Boolean(found?.board && found.board !== reply.board);
    const term = text(found && !found.games ? 'chance.of_best' : 'chance.of', { tile: String(found?.tile) });
    return h('p', { key: 'chance', class: `analysis-chance line ${isOld ? 'is-old' : ''}` },
      found ? [
        h('span', { text: term }), ' ',
        h('strong', { class: 'number', title: intervalText(found), 
          text: formatSample(found.share, (found.high ?? 0) - (found.low ?? 0)) }),
        hint(this.#name, term, chanceWords(found)),
      ] : reply && h('span', { text: text('chance.counting') }));
  }

  /** The line of best play: steps to play, each the arrow of the move, then where the new tile appears. */
  #lineView(reply) {
    const { board, steps } = this.#line;
    const { rows, cols } = shapeOf(board);
    return h('div', { key: 'line', class: 'analysis-line', hidden: !this.#isThinking && !steps.length },
      h('p', { class: 'soft small', text: text('analysis.line') }),
      h('ol', { class: 'line-steps row', 'aria-label': text('analysis.line') }, steps.slice(0, MAX_STEPS).map((step, index) => {
        const { move, cell, tile } = parseStep(step);
        const words = cell === null ? moveName(move) : text('analysis.step',
          { move: moveName(move), tile, row: Math.floor(cell / cols) + 1, col: (cell % cols) + 1 });
        return h('li', { class: 'line' }, h('button', { type: 'button', class: 'line-step', title: words, onclick: () => this.options.onLine(index + 1) },
          h('span', { class: 'line-arrow', 'aria-hidden': 'true' }, ARROWS[move]),
          cell !== null && spawnMark(cell, tile, rows, cols), h('span', { class: 'visually-hidden', text: words })));
      })));
  }

  #details(reply) {
    const format = reply ? valueFormat(reply.moves.map((move) => move.value), reply.unit) : String;
    const speed = reply?.seconds > 0 && reply.nodes > 0 ? reply.nodes / reply.seconds : null;
    const facts = {
      depth: depthText(reply?.depth ?? ''),
      nodes: reply?.nodes && formatShort(reply.nodes),
      speed: speed && `${formatShort(speed)}/s`,
      time: reply?.seconds && formatDuration(reply.seconds),
      source: reply?.source,
      player: reply?.player,
      unit: reply && unitText(reply),
      table: reply && tableText(reply),
      bar_text: reply && barText(reply),
    };
    return h('details', { key: 'details', class: 'analysis-details', open: settings.get('details'),
      ontoggle: ({ target }) => settings.set('details', target.open) },
    h('summary', null, text('analysis.details'), h('span', { class: 'analysis-thinking soft', hidden: !this.#isThinking,
      text: text('analysis.thinking') })),
    h('table', { class: 'analysis-values table' }, h('thead', null, h('tr', null, ['move', 'value', 'reward'].map((name) =>
      h('th', { scope: 'col', text: text(name === 'value' && reply?.unit === PROBABILITY
        ? 'analysis.probability' : `analysis.${name}`) })))),
    h('tbody', null, LETTERS.map((letter, index) => h('tr', { key: letter }, valueCells(letter, reply?.moves[index], format))))),
    figureList('analysis-facts', Object.entries(facts).filter(([, value]) => value).map(([name, value]) => (
      [text(`analysis.${name}`), value, { class: `analysis-fact analysis-${name}` }]))));
  }
}

function valueCells(letter, move, format) {
  return [
    h('th', { scope: 'row', text: moveName(letter) }),
    h('td', { class: 'analysis-value', text: move?.value == null ? '–' : format(move.value) }),
    h('td', { class: 'analysis-reward', text: move?.reward ? `+${number(move.reward)}` : '' }),
  ];
}

/**
 * How long a bar is. A probability is drawn as it is. Moves whose values differ by some percent are
 * worlds apart, so that the length falls fast: half of it is left at 0.975, where a move begins to be
 * called a mistake.
 */
function barLength(move, isBest, reply) {
  if (!move) return 0;
  if (reply.unit === PROBABILITY && !reply.table) return move.value ?? 0;
  const ratio = move.ratio ?? (isBest && move.value == null ? 1 : null);
  if (ratio === null) return 0;
  return 1 / (1 + (1 - Math.max(0, Math.min(1, ratio))) / HALF_AT);
}

/** The chance that an endgame table or a solved game knows; null where games have to be played. */
function exactChance({ best, table, bar, bar_kind: kind, bar_amount: tile }) {
  if (table) {
    const share = table.chances[LETTERS.indexOf(best)] ?? Math.max(...table.chances);
    return { tile: table.target, share, table: table.name };
  }
  return kind === 'tile' ? { tile, share: bar } : null;
}

function intervalText({ low, high }) {
  if (high === undefined) return '';
  return text('chance.interval', { low: fixed(100 * low, 1), high: fixed(100 * high, 1) });
}

function chanceWords(found) {
  const { table, games, reached, tile } = found;
  if (!games) return table ? text('chance.by_table', { table }) : text('chance.exact');
  const words = text('chance.by_games', { games, reached, tile: String(tile) });
  return [words, intervalText(found)].map(fullSentence).join(' ');
}

function spokenText(reply) {
  const move = reply.moves[LETTERS.indexOf(reply.best)];
  const value = move.reason ? reasonText(move.reason) : '';
  return text(value ? 'analysis.spoken' : 'analysis.spoken_move', { move: moveName(reply.best), value });
}

/** A bar that fills from the bottom. */
export class EvalBar {
  constructor() {
    this.element = part(h('div', { role: 'meter', 'aria-label': text('analysis.bar'), 'aria-valuemin': 0, 'aria-valuemax': 100 }));
    this.show(null);
  }

  /** @param {object | null} reply an `AnalysisReply`; null, or one without a value, leaves the bar empty */
  show(reply) {
    const bar = reply?.bar ?? null;
    const percent = Math.round(100 * Math.max(0, Math.min(1, bar ?? 0)));
    const words = bar === null ? text('analysis.no_bar') : barText(reply);
    this.element.className = `eval-bar ${bar === null ? 'is-empty' : percent < 50 ? 'is-low' : ''}`;
    Object.assign(this.element, { title: words, ariaValueNow: String(percent), ariaValueText: words });
    render(this.element, h('span', { class: 'eval-track' },
      h('span', { class: 'eval-fill', style: { transform: `scaleY(${percent / 100})` } }),
      h('span', { class: 'eval-middle' }), h('span', { class: 'eval-label', text: bar === null ? '' : barLabel(reply) })));
  }
}

/** A small picture of the board with the new tile in its place. */
function spawnMark(cell, tile, rows, cols) {
  const style = { width: `${100 / cols}%`, height: `${100 / rows}%`, left: `${((cell % cols) * 100) / cols}%`,
    top: `${(Math.floor(cell / cols) * 100) / rows}%` };
  return h('span', { class: 'line-spawn line', 'aria-hidden': 'true' }, h('span', { text: String(tile) }),
    h('span', { class: 'line-place' }, h('span', { class: `line-dot line-dot-${tile === 2 ? 'two' : 'more'}`, style })));
}
