/** What the games of one kind come to: figures, reach rates, scores over time. */

import { LineChart } from '../chart.js';
import { fill, h } from '../dom.js';
import { fixed, number, percent, text } from '../text.js';
import { dateText } from './words.js';

const LEAST_GAMES = 2; // of a chart

/** The figures of one kind of games under the same rules. */
export class FiguresView {
  constructor() {
    this.list = h('dl', { class: 'my-figures' });
    this.note = h('p', { class: 'soft small' });
    this.rates = h('div', { class: 'my-part' });
    this.chart = new LineChart({
      label: text('games.chart'),
      x: { label: text('games.chart_game'), format: wholeOnly },
      y: { from: 0, format: number },
      readout: (place) => this.#heading(place),
    });
    this.chartPart = h('section', { class: 'my-part', 'aria-labelledby': 'my-chart' },
      h('h2', { id: 'my-chart', text: text('games.chart') }),
      h('div', { class: 'my-chart' }, this.chart.element));
    this.element = h('div', { class: 'stack wide' }, h('div', { class: 'stack tight' },
      this.list, this.note), h('div', { class: 'my-parts' }, this.rates, this.chartPart));
  }

  /**
   * @param {object} figures a `Figures` of the server
   * @param {number} goal
   */
  show(figures, goal) {
    this.figures = figures;
    fill(this.list, figuresOf(figures, goal).map(([label, value]) => h('div', {},
      h('dt', { text: label }), h('dd', { class: 'number', text: value }))));
    this.note.textContent = noteOf(figures);
    this.#showRates(figures);
    this.#showChart(figures);
  }

  /** Draw no more. */
  close() {
    this.chart.close();
  }

  #showRates({ games, reached }) {
    this.rates.hidden = !reached.length;
    fill(this.rates, h('h2', { id: 'my-rates', text: text('games.rates') }),
      h('table', { class: 'table my-rates', 'aria-labelledby': 'my-rates' },
        h('thead', { class: 'visually-hidden' }, h('tr', {}, ['tile', 'share', 'count'].map(
          (name) => h('th', { scope: 'col', text: text(`games.rates_${name}`) })))),
        h('tbody', {}, reached.map((one) => rateRow(one, games)))));
  }

  #showChart({ scores, means }) {
    this.chartPart.hidden = scores.length < LEAST_GAMES;
    const xs = scores.map((_, place) => place + 1);
    this.chart.setLines([
      { name: text('review.graph_score'), xs, ys: scores, colour: 2, format: number },
      { name: text('games.chart_mean'), xs, ys: means, colour: 1, format: whole },
    ]);
  }

  #heading(place) {
    const date = dateText(1000 * this.figures.played[place - 1]);
    return text('games.chart_place', { game: place, date });
  }
}

function figuresOf({ games, mean, median, best, streak, longest_streak: longest }, goal) {
  const values = { goal: String(goal) };
  const points = (value) => (games ? whole(value) : '–');
  return [
    [text('games.games'), number(games)],
    [text('games.mean'), points(mean)],
    [text('games.median'), points(median)],
    [text('games.best'), points(best)],
    [text('games.streak', values), number(streak)],
    [text('games.longest_streak'), number(longest)],
  ];
}

function noteOf({ going }) {
  return going ? text('games.counted_going', { count: going }) : text('games.counted');
}

function rateRow({ tile, games: count }, games) {
  const share = count / games;
  return h('tr', {},
    h('th', { scope: 'row', class: 'number', text: String(tile) }),
    h('td', { class: 'my-share' }, h('div', { class: 'my-bar', style: { '--share': share } },
      h('span', { 'aria-hidden': 'true' })),
    h('span', { class: 'number', text: percent(100 * share, 1) })),
    h('td', { class: 'right', text: number(count) }));
}

function whole(value) {
  return fixed(value, 0);
}

/** Between two games there is none: such a tick has no number. */
function wholeOnly(value) {
  return Number.isInteger(value) ? number(value) : '';
}
