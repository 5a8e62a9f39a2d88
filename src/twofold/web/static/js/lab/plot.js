/** The charts of a study, with the players' lines and markers. */

import { LineChart } from '../chart.js';
import { fill, h } from '../dom.js';
import { formatDuration, formatShort } from '../figures.js';
import { fixed, number, percent, text } from '../text.js';
import { playerName } from './swatch.js';
import { headingWords } from './table_words.js';

const SHARE = { format: (value) => percent(value, value % 1 ? 1 : 0), from: 0 };
const SUMS = { label: headingWords('tile sum'), format: number };

/** Each chart of a figure: its axes, and how its lines are drawn. */
const CHARTS = {
  reach: {
    reach: {
      x: { label: headingWords('tile'), format: number, base: 2 },
      y: { ...SHARE, to: 100 },
      looks: { marked: true },
    },
  },
  survival: {
    going: { x: SUMS, y: { ...SHARE, to: 100 }, looks: { stepped: true } },
    ended: { x: SUMS, y: SHARE, looks: { marked: true } },
  },
  scores: {
    scores: { x: { label: text('lab.axis_score'), format: scoreWords }, y: SHARE, looks: { stepped: true, area: true }, wide: 'x' },
  },
  strength: {
    strength: {
      x: { label: headingWords('time a move'), format: formatDuration, base: 10 },
      y: { format: formatShort, from: 0 },
      looks: { marked: true },
      wide: 'y',
    },
  },
};

function scoreWords(score) {
  return score < 1e4 ? fixed(score, 0) : formatShort(score);
}

/** A figure with its legend and what it shows in words. */
export class PlotFigure {
  #charts = {};

  /** @param {'reach' | 'survival' | 'scores' | 'strength'} kind */
  constructor(kind) {
    this.kind = kind;
    this.place = h('div', { class: 'stack' });
    this.legend = h('ul', { class: 'lab-legend' });
    this.element = h('figure', { class: 'lab-figure', dataset: { kind } }, this.place, this.legend,
      h('figcaption', { class: 'soft small', text: text(`lab.caption_${kind}`) }));
  }

  /**
   * @param {object} charts of the section
   * @param {object[]} players of the section
   */
  show(charts, players) {
    this.element.hidden = !Object.keys(CHARTS[this.kind]).some((name) => charts[name].length);
    for (const [name, options] of Object.entries(CHARTS[this.kind])) {
      this.#charts[name] ??= this.#chart(options, charts.wide);
      const lines = charts[name].map((line) => drawn(line, players[line.player], options.looks));
      if (name === 'strength') Object.assign(this.#charts[name].axes.x, powersAround(lines));
      this.#charts[name].setLines(lines);
      this.#charts[name].element.hidden = !lines.length;
    }
    fill(this.legend, players.map((player, place) => h('li', null, playerName(player, place))));
  }

  /** Draw no more. */
  close() {
    for (const chart of Object.values(this.#charts)) chart.close();
  }

  #chart({ x, y, wide }, isWide) {
    const log = (axis, name) => (isWide && wide === name ? { ...axis, base: 10, from: undefined } : axis);
    const chart = new LineChart({ label: text(`lab.plot_${this.kind}`), x: log(x, 'x'), y: log(y, 'y') });
    chart.legend.remove(); // the figure has one
    this.place.append(chart.element);
    return chart;
  }
}

/** The powers of ten around the times of all players. */
function powersAround(lines) {
  const times = lines.map(({ xs }) => Math.log10(xs[0]));
  return { from: 10 ** Math.floor(Math.min(...times) - 0.1), to: 10 ** Math.ceil(Math.max(...times) + 0.1) };
}

/** A line in the colours and with the marker of its player. */
function drawn({ xs, ys, low, high }, player, { marked, stepped, area }) {
  return {
    name: player.name,
    xs,
    ys,
    ...(low.length && { low, high }),
    colour: player.colour + 1,
    dashes: player.dashes,
    marker: marked && player.marker,
    stepped,
    area,
  };
}
