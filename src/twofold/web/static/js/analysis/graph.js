/**
 * The graph of a game: score, what the player who judges expects, largest tile, worst moves.
 *
 * Values are drawn in the unit of the first ones; a judge may have another unit late in the game.
 */

import { gradeName, gradeSign } from '../analysis_texts.js';
import { LineChart } from '../chart.js';
import { rangeOf } from '../chart_scale.js';
import { formatShort, PROBABILITY, valueFormat } from '../figures.js';
import { moveName } from '../moves.js';
import { number, text } from '../text.js';
import { isMistake } from './judging.js';

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

  /** Draw no more. */
  close() {
    this.chart.close();
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
