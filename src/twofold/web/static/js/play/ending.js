/** What a finished game was: its place among one's own games, and where it was lost. */

import { verdictOf } from '../analysis/judging.js';
import { LineChart } from '../chart.js';
import { figureList } from '../controls.js';
import { button, h, part, render } from '../dom.js';
import { kindText } from '../games/words.js';
import { analysisLink } from '../links.js';
import { LETTERS } from '../moves.js';
import { net } from '../net.js';
import { fixed, number, percent, text } from '../text.js';

const LEAST_GAMES = 2; // of a comparison
const SHOWN_GAMES = 60; // in the chart
const MOST_MOVES = 4000; // a longer game is judged only if asked for

/** A card in the place of the help. */
export class Ending {
  #game;
  #overlay;
  #figures = null; // of one's games of the same kind under the same rules
  #known = null; // accuracy of a review before, in percent
  #judged = null; // `done`, `total`, `accuracy` and the `worst` judgement; null before it is asked
  #ref = 0;
  #shown = ''; // the game, and how many of its moves were undone
  #offs;

  /**
   * @param {import('./live_game.js').LiveGame} game
   * @param {import('./overlay.js').Overlay} overlay whose link leads to the turning point
   */
  constructor(game, overlay) {
    this.#game = game;
    this.#overlay = overlay;
    this.element = part(h('section', { class: 'card stack', 'aria-labelledby': 'ending-title' }));
    this.chart = new LineChart({ label: text('games.chart'), x: { format: () => '' },
      y: { from: 0, format: number } });
    this.chartPlace = part(h('div', { class: 'ending-chart' }, this.chart.element));
    this.#offs = [
      net.on('judged', (reply) => reply.ref === this.#ref && this.#onJudged(reply)),
      net.on('reviewed', (reply) => reply.ref === this.#ref && this.#draw()),
      net.on('refused', (reply) => reply.ref === this.#ref && this.#onJudged(null)),
    ];
  }

  /** The game is finished. */
  show() {
    const { id, now } = this.#game;
    const shown = `${id} ${now.move_number} ${now.undos}`;
    if (shown === this.#shown) return;
    Object.assign(this, { game: id, moves: now.move_number });
    [this.#shown, this.#figures, this.#known, this.#judged, this.#ref] = [shown, null, null, null, 0];
    this.#draw();
    this.#compare(shown);
    if (now.move_number <= MOST_MOVES && now.kind !== 'player') this.#judge();
  }

  /** It goes on, or another one is played. */
  hide() {
    if (this.#ref && net.state === 'open') net.send({ type: 'stop' });
    this.#shown = '';
    this.#ref = 0;
  }

  close() {
    this.hide();
    this.chart.close();
    for (const off of this.#offs) off();
  }

  /** @returns {Promise<object|null>} the figures of one's games like this one, as the server says */
  async figures() {
    const { now, state } = this.#game;
    const { rules } = await net.get('/api/statistics').catch(() => ({ rules: [] }));
    const kinds = rules.find((one) => one.rules === state.rules.text)?.kinds ?? [];
    return kinds.find(({ kind }) => kind === now.kind) ?? null;
  }

  async #compare(shown) {
    const [figures, accuracies] = await Promise.all(
      [this.figures(), net.get('/api/accuracies').catch(() => ({}))]);
    if (shown !== this.#shown) return;
    this.#figures = figures;
    const known = accuracies[this.game];
    this.#known = known?.moves === this.moves - this.#game.state.first ? known.percent : null;
    if (this.#known !== null && !this.#judged) return this.#judge(); // it was asked for before
    this.#draw();
  }

  #judge() {
    this.#judged = { done: 0, total: this.moves, accuracy: null, worst: null };
    this.#ref = net.send({ type: 'review', game: this.game });
    this.#draw();
  }

  #onJudged(reply) {
    if (!reply) return void this.#draw(this.#judged = { failed: true });
    const { done, total, accuracy, judgements } = reply;
    const worst = judgements.filter(({ label }) => label !== 'best')
      .reduce((most, one) => (most && costOf(most) >= costOf(one) ? most : one), this.#judged.worst);
    this.#judged = { done, total, accuracy, worst };
    if (done === total && this.#judged.worst) {
      this.#overlay.pointTo(this.#link, text('play.see_turning'));
    }
    this.#draw();
  }

  get #link() {
    return analysisLink({ game: this.game, move: this.#judged.worst.move_number || 1 });
  }

  #draw() {
    const figures = this.#figures?.games >= LEAST_GAMES ? this.#figures : null;
    if (figures) this.#drawChart(figures);
    render(this.element,
      h('h2', { id: 'ending-title', text: text('play.ending') }),
      figureList('facts', this.#facts(figures)),
      figures && this.chartPlace,
      h('h3', { text: text('play.turning') }),
      this.#turning());
  }

  #facts(figures) {
    const { score, kind } = this.#game.now;
    const accuracy = this.#known ?? this.#judged?.accuracy;
    return [
      figures && [text('play.place'), text('play.place_of', {
        place: 1 + figures.scores.filter((one) => one > score).length, games: figures.games })],
      figures && [text('games.mean'), fixed(figures.mean, 0)],
      figures && [text('play.best_of', { kind: lowered(kindText(kind)) }), number(figures.best)],
      figures?.streak > 1 && [
        text('games.streak', { goal: String(this.#game.state.rules.goal) }), number(figures.streak)],
      [text('review.accuracy'), accuracy == null ? '–' : percent(accuracy, 1)],
    ].filter(Boolean);
  }

  #drawChart({ scores, means, names }) {
    const from = Math.max(0, scores.length - SHOWN_GAMES);
    const xs = scores.slice(from).map((_, place) => from + place + 1);
    this.chart.setLines([
      { name: text('review.graph_score'), xs, ys: scores.slice(from), colour: 2, format: number },
      { name: text('games.chart_mean'), xs, ys: means.slice(from), colour: 1 },
    ]);
    const place = names.indexOf(this.game);
    if (place >= from) this.chart.setMarks([{ x: place + 1, y: scores[place], kind: 'best' }]);
  }

  /** What is known of the largest loss, and where it can be seen. */
  #turning() {
    const judged = this.#judged;
    if (!judged || judged.failed) {
      return h('div', {}, button({ text: text('play.find_turning') }, () => this.#judge()));
    }
    const { worst, done, total } = judged;
    const share = total ? done / total : 1;
    const isDone = done === total;
    return h('div', { class: 'stack tight ending-turn' },
      h('p', {}, worst ? `${text('play.turning_move', { number: worst.move_number + 1 })} ${
        verdictOf(worst)}` : text(isDone ? 'play.turning_none' : 'play.turning_wait', { percent: percent(100 * share) })),
      !isDone && h('progress', { max: 1, value: share, 'aria-label': text('play.turning') }),
      worst && h('div', { class: 'row' },
        h('a', { class: 'button', href: this.#link, text: text('play.see_turning') })));
  }
}

/** What a move cost: expected points, or, of a judge that expects none, the share it lost. */
function costOf({ ratio, unit, values, best }) {
  return (1 - ratio) * (unit === 'points' ? values[LETTERS.indexOf(best)] : 1);
}

const lowered = (words) => words.charAt(0).toLowerCase() + words.slice(1);
