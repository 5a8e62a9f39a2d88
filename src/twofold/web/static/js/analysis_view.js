/**
 * What a player thinks of a position: four bars in a fixed layout, figures, the line of best play.
 *
 * The layout never moves while an analysis improves: every part has its place from the start,
 * and only texts and lengths change. What a player never says, such as a depth, has no place.
 */

import { barText, depthText, unitText } from './analysis_texts.js';
import { h, setText } from './dom.js';
import {
  differenceFormat, formatChance, formatChanceDifference, formatDuration, formatShort, PROBABILITY,
  valueFormat,
} from './figures.js';
import { LineView } from './line_view.js';
import { ARROWS, LETTERS, moveName } from './moves.js';
import { joined, number, text } from './text.js';

const HALF_AT = 0.025; // loss at which a bar is half as long
const FACTS = ['depth', 'nodes', 'speed', 'time', 'source', 'unit', 'table', 'bar_text'];
const WIDE = ['table', 'bar_text']; // facts that are hidden where there is nothing to say
const SEARCH = ['depth', 'nodes', 'speed', 'time']; // facts that only a search has

/**
 * @typedef {object} AnalysisViewOptions
 * @property {(letter: string) => void} [onMove] called when a person picks a move; without it the
 *   moves are no buttons
 * @property {(steps: number) => void} [onLine] called with the number of steps of the line to make
 * @property {(steps: number) => void} [onPreview] called with the number of steps of the line to
 *   show, 0 for none
 * @property {boolean} [announce] whether the final result is told to screen readers
 * @property {boolean} [line] whether the line of best play is shown; true if not given
 */

/** Shows `AnalysisReply`s. */
export class AnalysisView {
  /** @param {AnalysisViewOptions} options */
  constructor(options = {}) {
    this.options = options;
    this.rows = new Map(LETTERS.map((letter) => [letter, new MoveRow(letter, options.onMove)]));
    this.facts = new Map(FACTS.map((name) => [name, h('dd', {}, '–')]));
    this.thinking = h('span', {
      class: 'analysis-thinking', hidden: true, text: text('analysis.thinking'),
    });
    this.note = h('p', { class: 'analysis-note', hidden: true });
    this.spoken = h('p', { class: 'visually-hidden', role: 'status' });
    this.line = options.line === false ? null : new LineView(options);
    this.element = this.#build();
  }

  #build() {
    const facts = [...this.facts].map(([name, value]) => h('div', {
      class: `analysis-fact analysis-${name}`, hidden: WIDE.includes(name),
    }, h('dt', { text: text(`analysis.${name}`) }), value));
    return h('section', { class: 'analysis', 'aria-label': text('analysis.label') },
      this.#table(), this.note, h('dl', { class: 'analysis-facts' }, facts),
      this.line?.element, this.spoken);
  }

  #table() {
    const headings = ['value', 'behind', 'reward'].map((name) => h('th', {
      scope: 'col', class: `analysis-${name}`, text: text(`analysis.${name}`),
    }));
    [this.value, this.behind, this.reward] = headings;
    const head = h('tr', null,
      h('th', { scope: 'col', class: 'analysis-move' },
        h('span', { class: 'visually-hidden', text: text('analysis.move') })),
      h('td', { class: 'analysis-state' }, this.thinking), headings);
    const rows = [...this.rows.values()].map((row) => row.element);
    this.table = h('table', { class: 'analysis-moves' }, h('thead', null, head), h('tbody', null, rows));
    return this.table;
  }

  /**
   * Show an analysis.
   *
   * @param {object} reply an `AnalysisReply`
   */
  show(reply) {
    const best = reply.moves.find((move) => move.move === reply.best);
    const values = reply.moves.map((move) => move.value);
    const format = valueFormat(values, reply.unit);
    const short = differenceFormat(values, reply.unit);
    for (const [index, move] of reply.moves.entries()) {
      this.rows.get(move.move).show(move, cells(reply, index, best, format, short));
    }
    this.#head(reply);
    this.note.hidden = true;
    this.thinking.hidden = reply.final;
    this.element.dataset.state = reply.final ? 'final' : 'thinking';
    this.#showFacts(reply);
    this.line?.show(reply.line, reply.board, reply.final);
    if (reply.final && this.options.announce) this.#announce(best, format, reply);
  }

  /** Name the columns: where a table chooses the move, its chances come first. */
  #head({ table = null, unit = '' }) {
    const value = text(unit === PROBABILITY ? 'analysis.probability' : 'analysis.value');
    const own = unit === PROBABILITY ? value : text('analysis.search');
    const isShare = table || unit === PROBABILITY;
    this.behind.title = isShare ? text('analysis.percentage_points') : '';
    this.table.classList.toggle('has-table', Boolean(table));
    setText(this.value, table ? text('analysis.chance') : value);
    setText(this.reward, table ? own : text('analysis.reward'));
  }

  #showFacts(reply) {
    const speed = reply.seconds > 0 && reply.nodes > 0 ? reply.nodes / reply.seconds : null;
    setText(this.facts.get('depth'), depthText(reply.depth) || '–');
    setText(this.facts.get('nodes'), reply.nodes ? formatShort(reply.nodes) : '–');
    setText(this.facts.get('speed'), speed ? `${formatShort(speed)}/s` : '–');
    setText(this.facts.get('time'), reply.seconds ? formatDuration(reply.seconds) : '–');
    setText(this.facts.get('source'), reply.source || '–');
    setText(this.facts.get('unit'), unitText(reply) || '–');
    setText(this.facts.get('table'), tableText(reply));
    setText(this.facts.get('bar_text'), barText(reply));
    for (const name of WIDE) {
      this.facts.get(name).parentElement.hidden = !this.facts.get(name).textContent;
    }
    for (const name of SEARCH) this.#keep(this.facts.get(name), reply);
    this.facts.get('nodes').title = reply.nodes ? number(reply.nodes) : '';
    this.facts.get('source').title = reply.player;
  }

  /** Show a fact of the search where there is one; the last reply says that there is none. */
  #keep(fact, { final }) {
    const isEmpty = fact.textContent === '–';
    if (final || !isEmpty) fact.parentElement.hidden = isEmpty;
  }

  #announce(best, format, reply) {
    const points = best?.value == null ? '' : `${format(best.value)} ${unitText(reply)}`;
    const value = joined([tableText(reply) || points, depthText(reply.depth)].filter(Boolean));
    const key = value ? 'analysis.spoken' : 'analysis.spoken_move';
    setText(this.spoken, text(key, { move: moveName(reply.best), value }));
  }

  /** Say that an analysis is under way, and keep what is shown until it comes. */
  wait() {
    this.thinking.hidden = false;
    this.element.dataset.state = 'thinking';
  }

  /**
   * Show nothing, or a sentence that says why there is nothing.
   *
   * @param {string} [note]
   */
  clear(note = '') {
    for (const row of this.rows.values()) row.clear();
    for (const value of this.facts.values()) setText(value, '–');
    this.facts.get('table').parentElement.hidden = true;
    this.#head({});
    setText(this.note, note);
    this.note.hidden = !note;
    this.thinking.hidden = true;
    this.element.dataset.state = 'empty';
    this.line?.clear();
    if (note && this.options.announce) setText(this.spoken, note);
  }
}

/** One of the four moves: arrow, bar, value, how far behind the best, reward or search's value. */
class MoveRow {
  constructor(letter, onMove) {
    const face = [
      h('span', { class: 'analysis-arrow', 'aria-hidden': 'true' }, ARROWS[letter]),
      h('span', { class: 'analysis-name' }, moveName(letter)),
    ];
    this.button = onMove ? h('button', {
      type: 'button', class: 'bare analysis-pick', disabled: true, onclick: () => onMove(letter),
    }, face) : null;
    this.fill = h('span', { class: 'analysis-fill' });
    this.value = h('td', { class: 'analysis-value' });
    this.behind = h('td', { class: 'analysis-behind' });
    this.reward = h('td', { class: 'analysis-reward' });
    const bar = h('span', { class: 'analysis-bar', 'aria-hidden': 'true' }, this.fill);
    this.element = h(
      'tr',
      {},
      h('th', { scope: 'row', class: 'analysis-move' }, ...(this.button ? [this.button] : face)),
      h('td', { class: 'analysis-track', onclick: onMove && (() => this.button.click()) }, bar),
      this.value,
      this.behind,
      this.reward,
    );
  }

  /**
   * @param {object} move of the reply
   * @param {{isBest: boolean, length: number, value: string, behind: string, reward: string}} cells
   */
  show(move, { isBest, length, value, behind, reward }) {
    this.element.classList.toggle('is-best', isBest);
    this.element.classList.toggle('is-illegal', !move.legal);
    if (this.button) this.button.disabled = !move.legal;
    this.fill.style.transform = `scaleX(${length.toFixed(4)})`;
    setText(this.value, value);
    setText(this.behind, behind);
    setText(this.reward, reward);
  }

  clear() {
    this.element.classList.remove('is-best', 'is-illegal');
    if (this.button) this.button.disabled = true;
    this.fill.style.transform = 'scaleX(0)';
    for (const cell of [this.value, this.behind, this.reward]) setText(cell, '');
  }
}

/**
 * How long a bar is. A probability is drawn as it is. Moves whose values differ by some percent are
 * worlds apart, so that the length falls fast: half of it is left at 0.975, where a move begins to be
 * called a mistake.
 */
function barLength(move, isBest, { table, unit }) {
  if (unit === PROBABILITY && !table) return move.value ?? 0;
  const ratio = move.ratio ?? (isBest && move.value == null ? 1 : null);
  if (ratio === null) return 0;
  return 1 / (1 + (1 - Math.max(0, Math.min(1, ratio))) / HALF_AT);
}

/** The texts of a move. Where a table chooses, chances are compared, beside the search's values. */
function cells(reply, index, best, format, short) {
  const move = reply.moves[index];
  const isBest = move === best;
  const length = barLength(move, isBest, reply);
  const value = move.value == null ? '–' : format(move.value);
  if (reply.table) {
    const chance = reply.table.chances[index];
    const most = reply.table.chances[reply.moves.indexOf(best)];
    const behind = behindText(move, isBest, most - chance, formatChanceDifference);
    return { isBest, length, value: chance === null ? '–' : formatChance(chance),
      behind: move.legal && chance === null ? '' : behind, reward: move.legal ? value : '' };
  }
  const behind = behindText(move, isBest, differenceOf(move, best, reply.unit), short);
  return { isBest, length, value, behind, reward: move.legal && move.reward ? `+${number(move.reward)}` : '' };
}

/** How much less a move is worth than the best one, in the unit; of probabilities in whole percent. */
function differenceOf(move, best, unit) {
  if (move.value == null || best?.value == null) return null;
  if (unit !== PROBABILITY) return best.value - move.value;
  return (Math.round(100 * best.value) - Math.round(100 * move.value)) / 100;
}

/** What the endgame table says that chooses the move: `442-512: 97.2 % to make 512`. */
function tableText(reply) {
  if (!reply.table) return '';
  const { name, target, chances } = reply.table;
  const chance = formatChance(chances[LETTERS.indexOf(reply.best)] ?? Math.max(...chances));
  return text('analysis.table_says', { name, target, chance });
}

/** How far a move is behind the best one, in the unit of what is compared; null if not known. */
function behindText(move, isBest, difference, format) {
  if (!move.legal) return text('analysis.illegal');
  if (isBest) return text('analysis.best');
  if (difference === null) return '';
  if (!move.tried) return text('analysis.untried');
  if (difference === 0) return '=';
  const written = format(Math.abs(difference));
  return /[1-9]/.test(written) ? `${difference > 0 ? '−' : '+'}${written}` : '≈';
}
