/** What a finished game was: its place among one's own games, and where it was lost. */

import { Judging, verdictOf } from '../analysis/judging.js';
import { figureList } from '../controls.js';
import { button, h, onLeave, part, render } from '../dom.js';
import { analysisLink } from '../links.js';
import { LETTERS } from '../moves.js';
import { net } from '../net.js';
import { fixed, number, percent, text } from '../text.js';

const LEAST_GAMES = 2; // of a comparison
const MOST_MOVES = 4000; // a longer game is judged only if asked for

/** A card in the place of the help. */
export class Ending {
  #game;
  #overlay;
  #figures = null; // of one's games of the same kind under the same rules
  #known = null; // accuracy of a review before, in percent
  #judging = null; // null before it is asked
  #shown = ''; // the game, and how many of its moves were undone

  /**
   * @param {import('./live_game.js').LiveGame} game
   * @param {import('./views.js').Overlay} overlay whose link leads to the turning point
   */
  constructor(game, overlay) {
    this.#game = game;
    this.#overlay = overlay;
    this.element = part(h('section', { class: 'card stack', 'aria-labelledby': 'ending-title' }));
    onLeave(() => this.hide());
  }

  /** The game is finished. */
  show() {
    const { id, now } = this.#game;
    const shown = `${id} ${now.move_number} ${now.undos}`;
    if (shown === this.#shown) return;
    this.hide();
    Object.assign(this, { game: id, moves: now.move_number });
    [this.#shown, this.#figures, this.#known] = [shown, null, null];
    this.#draw();
    this.#compare(shown);
    if (now.move_number <= MOST_MOVES && now.kind !== 'player') this.#judge();
  }

  /** It goes on, or another one is played. */
  hide() {
    if (this.#judging?.isGoing && net.state === 'open') net.send({ type: 'stop' });
    this.#judging?.close();
    this.#judging = null;
    this.#shown = '';
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
    this.#known = known?.moves === this.#made ? known.percent : null;
    if (this.#known !== null && !this.#judging) return this.#judge(); // it was asked for before
    this.#draw();
  }

  /** How many moves were made. */
  get #made() {
    return this.moves - this.#game.state.first;
  }

  #judge() {
    const { first } = this.#game.state;
    this.#judging?.close();
    this.#judging = new Judging({ id: this.game, first, last: this.#made }, () => this.#draw());
    this.#judging.start();
    this.#draw();
  }

  /** The judgement of the move that lost most; undefined where no move lost anything, so far. */
  get #worst() {
    return this.#judging.judgements.filter(({ label }) => label !== 'best')
      .reduce((most, one) => (most && costOf(most) >= costOf(one) ? most : one), undefined);
  }

  #draw() {
    const figures = this.#figures?.games >= LEAST_GAMES ? this.#figures : null;
    render(this.element,
      h('h2', { id: 'ending-title', text: text('play.ending') }),
      figureList('facts', this.#facts(figures)),
      h('h3', { text: text('play.turning') }),
      this.#turning());
  }

  #facts(figures) {
    const { score, kind } = this.#game.now;
    const accuracy = this.#known ?? this.#judging?.accuracy;
    return [
      figures && [text('play.place'), text('play.place_of', {
        place: 1 + figures.scores.filter((one) => one > score).length, games: figures.games })],
      figures && [text('games.mean'), fixed(figures.mean, 0)],
      figures && [text('play.best_of', { kind: lowered(text(`games.kind_${kind}`)) }), number(figures.best)],
      figures?.streak > 1 && [
        text('games.streak', { goal: String(this.#game.state.rules.goal) }), number(figures.streak)],
      [text('review.accuracy'), accuracy == null ? '–' : percent(accuracy, 1)],
    ].filter(Boolean);
  }

  /** What is known of the largest loss, and where it can be seen. */
  #turning() {
    if (!this.#judging || this.#judging.error) {
      return h('div', {}, button({ text: text('play.find_turning') }, () => this.#judge()));
    }
    const { done, game: { last } } = this.#judging;
    const isDone = done === last;
    const worst = isDone && this.#worst; // before the end another move may cost more
    const href = worst && analysisLink({ game: this.game, move: worst.move_number });
    if (href) this.#overlay.pointTo(href, text('play.see_turning'));
    return h('div', { class: 'stack tight ending-turn' },
      h('p', {}, worst ? `${text('play.turning_move', { number: worst.move_number + 1 })} ${verdictOf(worst)}`
        : text(isDone ? 'play.turning_none' : 'play.turning_wait', { percent: percent((100 * done) / (last || 1)) })),
      !isDone && h('progress', { max: 1, value: done / (last || 1), 'aria-label': text('play.turning') }),
      href && h('div', { class: 'row' }, h('a', { class: 'button', href, text: text('play.see_turning') })));
  }
}

/** What a move cost: expected points, or, of a judge that expects none, the share it lost. */
function costOf({ ratio, unit, values, best }) {
  return (1 - ratio) * (unit === 'points' ? values[LETTERS.indexOf(best)] : 1);
}

const lowered = (words) => words.charAt(0).toLowerCase() + words.slice(1);
