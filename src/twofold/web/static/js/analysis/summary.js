/** What a game was like: accuracy, parts, how many moves have each grade; the rest in details. */

import { gradeMark, gradeName, gradeSign } from '../analysis_texts.js';
import { LineChart, rangeOf } from '../chart.js';
import { button, h, icon } from '../dom.js';
import { PROBABILITY, formatFit, formatShort, valueFormat } from '../figures.js';
import { moveName } from '../moves.js';
import { number, percent, sentence, text } from '../text.js';
import { GRADES, isForced, isMistake } from './judging.js';

/** Games with a smaller tile are not divided: as `LEAST_TILE` of the server. */
const LEAST_TILE = 64;

const sum = (values) => values.reduce((all, one) => all + one, 0);

const isBest = (one) => one.grade === 'best';

/**
 * The figures.
 *
 * @param {import('./judging.js').Judging} judging
 * @param {(move: number) => void} onGo called with the move number at which a phase begins
 * @returns {Array} for `render`
 */
export function figures(judging, onGo) {
  const judged = judging.judgements.filter(Boolean);
  const choices = judged.filter((one) => !isForced(one));
  const share = (value) => (choices.length ? percent(value, 1) : '–');
  const mean = (value) => sum(choices.map(value)) / choices.length;
  const fit = () => formatFit(choices.reduce((all, one) => all * one.ratio, 1));
  return [
    figure('accuracy', share(judging.accuracy)),
    judged.length > 0 && !choices.length
      && h('p', { class: 'small soft', text: text('review.no_choice') }),
    parts(judging, onGo),
    h('details', { class: 'review-more' }, h('summary', { text: text('analyse.details') }),
      h('div', { class: 'review-figures fit' },
        figure('match', share(100 * mean((one) => Number(isBest(one))))),
        figure('kept_share', share(100 * mean((one) => one.ratio))),
        figure('run', judged.length ? number(longestRun(judged)) : '–'),
        figure('fit', choices.length ? fit() : '–'))),
  ];
}

function figure(name, value) {
  return h('dl', { class: `review-figure figure-${name}`, title: text(`review.${name}_help`) },
    h('dt', { text: text(`review.${name}`) }), h('dd', { class: 'number', text: value }));
}

/** The most perfect moves in a row. */
function longestRun(judged) {
  let [longest, run] = [0, 0];
  for (const one of judged) {
    run = isBest(one) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** Own moves and those of autoplay, and the phases; blank until all is judged, so that nothing moves. */
function parts({ game, reviewed }, onGo) {
  const blank = [part('–', { accuracy: null, moves: 0 })];
  const isShared = reviewed ? reviewed.own : game.ownMoves > 0 && game.ownMoves < game.last;
  const phases = reviewed?.phases ?? [];
  const isDivided = reviewed ? phases.length > 1 : game.largestAt(game.last) >= LEAST_TILE;
  const goTo = ({ after, before, start }) => h('button', { type: 'button', class: 'review-part-go bare', onclick: () => onGo(start),
    text: text(`review.phase_${before ? 'before' : after ? 'after' : 'whole'}`, { after: String(after), before: String(before) }) });
  const makers = () => ['own', 'helped'].map((name) => part(text(`review.part_${name}`), reviewed[name]));
  return (isShared || isDivided) && h('div', { class: 'review-parts' },
    isShared && list('review.parts_makers', reviewed ? makers() : blank),
    isDivided && list('review.parts_phases', reviewed
      ? phases.map((phase) => part(goTo(phase), phase)) : blank));
}

function list(key, children) {
  return h('div', { class: 'review-part-list' },
    h('span', { class: 'small soft', text: text(key) }), h('dl', null, children));
}

function part(name, { moves, accuracy }) {
  const words = accuracy === null ? text('review.no_choice') : text('review.moves', { count: moves });
  return h('div', { class: 'review-part', title: words }, h('dt', null, name),
    h('dd', { class: 'number', text: accuracy === null ? '–' : percent(accuracy, 1) }));
}

/**
 * How many of the person's moves have each grade, and what one can do about them.
 *
 * @param {import('./judging.js').Judging} judging
 * @param {(wanted: (grade: string) => boolean) => void} onNext
 * @returns {Array} for `render`
 */
export function grades(judging, onNext) {
  const { game, judgements, done, error, isGoing } = judging;
  const own = judgements.filter((_, place) => !game.isHelped(place));
  const countOf = (wanted) => own.filter(({ grade }) => grade === wanted).length;
  const total = Math.max(1, own.length);
  return [
    h('div', { class: 'stack tight review-busy', hidden: !isGoing },
      h('p', { class: 'small soft', text: text('review.progress', { done, total: game.last }) }),
      h('progress', { max: 1, value: done / Math.max(1, game.last),
        'aria-label': text('review.progress_label') })),
    h('p', { class: 'error', role: 'alert', text: sentence(error) }),
    game.ownMoves > 0 && game.ownMoves < game.last
      && h('p', { class: 'small soft', text: text('review.labels_own') }),
    h('div', { class: 'label-bar', 'aria-hidden': 'true' }, GRADES.map((grade) => countOf(grade) > 0
      && h('span', { key: grade, class: `grade-${grade}`, style: { flexGrow: countOf(grade) } }))),
    h('ul', { class: 'label-list fit' }, GRADES.map((grade) => h('li', null,
      h('button', { type: 'button', class: 'bare label-row', disabled: !countOf(grade),
        onclick: () => onNext((one) => one === grade) },
      gradeMark(grade), h('span', { class: 'grow', text: sentence(gradeName(grade)) }),
      h('span', { class: 'label-count number', text: number(countOf(grade)) }),
      h('span', { class: 'label-share number soft', text: percent((100 * countOf(grade)) / total, 1) }))))),
    h('div', { class: 'row' },
      judging.hasMistakes && h('a', { class: 'button primary', href: `/practice?part=mistakes&game=${game.id}`,
        title: text('review.learn') }, icon('review'), h('span', { text: text('review.learn_short') })),
      button({ icon: 'step', text: text('review.next') }, () => onNext(isMistake),
        { disabled: !judging.hasMistakes })),
  ];
}

/** The moves that lost most are marked: one for so many pixels at most. */
const PIXELS_A_MARK = 36;

/** Above and below the values, as a share of their range. */
const MARGIN = 0.1;

/** From here on values are written without decimals. */
const IN_FULL = 1000;

/** What the values of a unit are; else they are values. */
const VALUES = { points: 'expected', [PROBABILITY]: 'probability' };

/** The graph; its `element` is as wide as its place. */
export class Graph {
  /**
   * @param {import('./tree.js').Game} game
   * @param {import('./judging.js').Judging} judging
   * @param {(place: number) => void} onPick
   */
  constructor(game, judging, onPick) {
    this.game = game;
    this.judging = judging;
    this.chart = new LineChart({
      label: text('review.graph'),
      x: { format: (move) => number(Math.round(move)) },
      y: { from: 0 },
      right: { base: 2, from: 2, format: formatTile },
      onPick: (move) => onPick(move - game.first),
      readout: (move) => this.#heading(move),
    });
    this.element = this.chart.element;
    this.moves = Float64Array.from({ length: game.last + 1 }, (_, place) => game.first + place);
    this.largest = this.moves.map((_, place) => game.largestAt(place));
    this.draw();
  }

  /** Draw what is known. */
  draw() {
    const { game, judging, moves } = this;
    const { unit } = judging.judgements.find(Boolean) ?? {};
    const inPoints = unit === 'points';
    const tile = { name: text('review.graph_tile'), xs: moves, ys: this.largest, right: true, stepped: true, colour: 2,
      dashed: true, format: formatTile };
    const score = { name: text('review.graph_score'), xs: moves, ys: game.scores, area: true, colour: 3, format: number };
    if (!judging.done) {
      this.chart.axes.y = { from: 0 };
      this.chart.setLines([score, tile]);
      return;
    }
    const ys = this.#values(unit);
    const range = rangeOf([ys]) ?? [0, 1];
    this.chart.axes.y = axisOf(unit, range);
    const isRounded = inPoints || range[1] >= IN_FULL;
    const value = { name: text(`review.graph_${VALUES[unit] ?? 'value'}`), xs: moves, ys, colour: 1,
      format: isRounded ? (one) => number(Math.round(one)) : valueFormat(range, unit) };
    this.chart.setLines(inPoints ? [value, score, tile] : [value, tile]);
    this.chart.setMarks(this.#marks(ys, inPoints));
  }

  /** @param {number} place where one is */
  setPlace(place) {
    this.chart.setCursor(this.game.first + place);
  }

  /** Value of the best move at each place in a unit, points with the points so far. */
  #values(unit) {
    return Float64Array.from(this.moves, (_, place) => {
      const one = this.judging.judgements[place];
      if (one?.unit !== unit) return NaN;
      const best = Math.max(...one.values.map((value) => value ?? -Infinity));
      return unit === 'points' ? best + this.game.scores[place] : best;
    });
  }

  #marks(ys, inPoints) {
    const { judgements } = this.judging;
    const worst = judgements
      .flatMap((one, place) => (isMistake(one.grade) ? [place] : []))
      .sort((a, b) => judgements[a].ratio - judgements[b].ratio)
      .slice(0, Math.round(this.chart.width / PIXELS_A_MARK));
    return worst
      .sort((a, b) => judgements[b].ratio - judgements[a].ratio)
      .map((place) => ({
        x: this.moves[place],
        y: Number.isNaN(ys[place]) && inPoints ? this.game.scores[place] : ys[place],
        kind: `grade-${judgements[place].grade}`,
        symbol: gradeSign(judgements[place].grade),
      }));
  }

  #heading(move) {
    const one = this.judging.judgements[move - this.game.first];
    const place = text('review.move', { move: move + 1 });
    return one
      ? text('review.graph_move', { place, name: moveName(one.move), label: gradeName(one.grade) })
      : place;
  }
}

/** The axis of the values: from 0 on, or their range and a margin where 0 may be far away. */
function axisOf(unit, [least, most]) {
  if (unit === 'points') return { from: 0 };
  if (unit === PROBABILITY) return { from: 0, to: 1, format: valueFormat([], unit) };
  const margin = MARGIN * (most - least || 1);
  return { from: least - margin, to: most + margin };
}

function formatTile(tile) {
  return tile < 1e6 ? String(Math.round(tile)) : formatShort(tile);
}
