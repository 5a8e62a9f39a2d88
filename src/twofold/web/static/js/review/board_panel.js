/** The board of a review: the position, the move made there and the best one, the controls. */

import { BoardView } from '../board.js';
import { button, fill, h, icon } from '../dom.js';
import { ARROWS, moveName } from '../moves.js';
import { settings } from '../settings.js';
import { number, text } from '../text.js';
import { ranked } from './judging.js';
import { classOf } from './labels.js';
import { RATES } from './walk.js';

/** Faster than this the tiles do not slide. */
const FASTEST_ANIMATED = 5;

/** Shows where a `Walk` is. */
export class BoardPanel {
  /**
   * @param {import('./game.js').ReviewGame} game
   * @param {import('./walk.js').Walk} walk
   */
  constructor(game, walk) {
    Object.assign(this, { game, walk });
    this.board = new BoardView({ rows: game.rows, cols: game.cols });
    this.board.setSpeed(settings.get('speed'));
    this.edges = h('div', { class: 'review-edges', 'aria-hidden': 'true' });
    this.frame = h(
      'div',
      { class: 'review-board', style: { '--rows': game.rows, '--cols': game.cols } },
      this.board.element,
      this.edges,
    );
    this.where = h('output', { class: 'review-where number' });
    this.slider = h('input', {
      type: 'range',
      min: 0,
      max: game.last,
      step: 1,
      value: 0,
      'aria-label': text('review.slider'),
      oninput: () => walk.go(Number(this.slider.value)),
    });
    this.playButton = h('button', {
      type: 'button',
      class: 'button icon-button primary',
      onclick: () => walk.toggle(),
    });
    this.rate = h(
      'select',
      {
        class: 'select review-rate',
        'aria-label': text('review.rate'),
        onchange: () => {
          walk.rate = Number(this.rate.value);
        },
      },
      RATES.map((rate) =>
        h('option', {
          value: rate,
          text: text('review.rate_each', { rate }),
          selected: rate === walk.rate,
        }),
      ),
    );
    this.element = h(
      'section',
      { class: 'review-left stack', 'aria-label': text('review.game') },
      this.frame,
      h('div', { class: 'review-slider' }, this.slider, this.where),
      this.#controls(),
    );
    this.shown = -1;
  }

  #controls() {
    const { walk } = this;
    const go = (name, label, run) => button({ icon: name, label: text(label) }, run);
    return h(
      'div',
      { class: 'review-controls' },
      h(
        'div',
        { class: 'group' },
        go('first', 'review.first', () => walk.go(0)),
        go('back', 'review.back', () => walk.by(-1)),
        this.playButton,
        go('step', 'review.forward', () => walk.by(1)),
        go('last', 'review.last', () => walk.go(this.game.last)),
      ),
      this.rate,
    );
  }

  /**
   * Show the place of the walk.
   *
   * @param {{stepped: boolean}} change
   */
  show({ stepped }) {
    const { game, walk } = this;
    const { place } = walk;
    const slow = !walk.isPlaying || walk.rate <= FASTEST_ANIMATED;
    if (stepped && slow && this.shown === place - 1) this.board.step(game.stepAt(place - 1));
    else if (this.shown !== place) this.board.show(game.tilesAt(place));
    this.shown = place;
    this.slider.value = place;
    const words = text('review.where', {
      move: game.first + place,
      last: game.first + game.last,
      score: game.scores[place],
    });
    this.slider.setAttribute('aria-valuetext', words);
    this.where.textContent = `${number(game.first + place)} / ${number(game.first + game.last)}`;
    this.#showPlaying(walk.isPlaying);
  }

  #showPlaying(playing) {
    if (this.playing === playing) return;
    this.playing = playing;
    fill(this.playButton, icon(playing ? 'pause' : 'run'));
    const label = text(playing ? 'review.pause' : 'review.play');
    this.playButton.setAttribute('aria-label', label);
    this.playButton.title = label;
  }

  /**
   * Show arrows at the edges: the move made, in the colour of its label, the best one, and
   * the second-best, which is paler.
   *
   * @param {object | undefined} judgement of the move made here; undefined where there is none
   * @param {string} move made here; empty at the end
   */
  showMoves(judgement, move) {
    const made = move && edge(move, judgement ? `label-${classOf(judgement.label)}` : '');
    const [best, second] = judgement ? ranked(judgement) : [];
    const others = [
      [best, 'is-best'],
      [second, 'is-second'],
    ].filter(([letter]) => letter && letter !== move);
    fill(this.edges, made, others.map(([letter, kind]) => edge(letter, kind)));
  }

  /** Show no arrows. */
  hideMoves() {
    fill(this.edges);
  }
}

function edge(letter, kind) {
  const rank = kind === 'is-second' ? 'review.edge_second' : 'review.edge_best';
  const isMade = !kind.startsWith('is-');
  return h('span', {
    class: `review-edge edge-${letter} ${kind}`,
    title: isMade ? moveName(letter) : text(rank, { move: moveName(letter) }),
    text: ARROWS[letter],
  });
}
