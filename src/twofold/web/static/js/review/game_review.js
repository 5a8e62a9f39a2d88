/** One game on the Review page: its parts, and the keys that move through it. */

import { announce } from '../announce.js';
import { fill, h } from '../dom.js';
import { listenKeys, releaseFocusAfterPointer } from '../keys.js';
import { net } from '../net.js';
import { listenSwipes } from '../swipe.js';
import { text } from '../text.js';
import { toast } from '../toast.js';
import { BoardPanel } from './board_panel.js';
import { Graph } from './graph.js';
import { reviewHead } from './head.js';
import { JudgeForm } from './judge_form.js';
import { Judging } from './judging.js';
import { isMistake } from './labels.js';
import { MovePanel } from './move_panel.js';
import { Quiz } from './quiz.js';
import { Summary } from './summary.js';
import { Walk } from './walk.js';

const JUMP = 10;

/** Everything about one game. */
export class GameReview {
  /**
   * @param {import('./game.js').ReviewGame} game
   * @param {object} context of main.js
   */
  constructor(game, context) {
    Object.assign(this, { game, context });
    this.walk = new Walk(game.last, (change) => this.#moved(change));
    this.judging = new Judging(game, () => this.#judged());
    this.board = new BoardPanel(game, this.walk);
    this.graph = new Graph(game, this.judging, (place) => this.#go(place));
    this.summary = new Summary(this.judging, {
      onNext: (wanted) => this.#next(1, wanted),
      onLearn: () => this.learn(),
      onGo: (move) => this.#go(move - game.first),
    });
    this.form = new JudgeForm(game, (player, ply) => this.#judge(player, ply));
    this.move = new MovePanel(game, this.judging);
    this.summary.element.append(this.form.element);
    const graph = h(
      'section',
      { class: 'review-graph card', 'aria-label': text('review.graph') },
      this.graph.element,
    );
    this.side = h('div', { class: 'review-side' });
    this.element = h(
      'div',
      { class: 'review stack' },
      reviewHead(game, () => this.#playOn(), () => this.#share()),
      h('div', { class: 'review-columns' }, this.board.element, this.side, graph),
    );
    this.#showSide();
    this.off = [
      this.#listenKeys(),
      releaseFocusAfterPointer(this.element),
      listenSwipes(this.board.frame, (letter) => this.#swiped(letter)),
    ];
  }

  /** Show the first position and ask for the judgements. */
  start() {
    this.context.title(text('review.page_title', { score: this.game.score }));
    this.#moved({ stepped: false });
    const { params } = this.context;
    const ply = Number(params.get('ply')) || null;
    if (this.game.last > 0) this.judging.start(params.get('judge') ?? '', ply);
    this.form.choose(this.judging.player, this.judging.ply);
    this.walk.go(Number(params.get('move') ?? 0) - this.game.first);
    this.#judged();
  }

  /** End it. */
  close() {
    this.walk.pause();
    for (const part of [this.move, this.judging, this.graph, this.form]) part.close();
    for (const off of this.off) off();
  }

  /** Begin the quiz. */
  learn() {
    if (this.quiz) return;
    this.walk.pause();
    this.quiz = new Quiz(this.game, this.judging, {
      onAsk: (place) => {
        this.walk.go(place);
        this.#moved({ stepped: false });
      },
      onMove: (letter) => this.#showChosen(letter),
      onClose: () => this.#endQuiz(),
    });
    this.#showSide();
    this.element.classList.add('is-quiz');
    this.quiz.next();
    const { top, bottom } = this.board.frame.getBoundingClientRect();
    if (top < 0 || bottom > window.innerHeight) this.board.frame.scrollIntoView({ block: 'start' });
  }

  #endQuiz() {
    this.quiz = null;
    this.element.classList.remove('is-quiz');
    this.#showSide();
    this.board.shown = -1;
    this.#moved({ stepped: false });
  }

  #showSide() {
    fill(
      this.side,
      this.quiz ? this.quiz.element : [this.summary.head, this.move.element, this.summary.element],
    );
  }

  /** The chosen move of the quiz on the board, without the new tile. */
  #showChosen(letter) {
    this.board.board.show(this.game.slideAt(this.walk.place, letter).tiles);
    this.board.shown = -1;
    this.board.showMoves(
      this.judging.judgements[this.walk.place],
      this.game.moves[this.walk.place],
    );
  }

  // ---- moving through the game

  #moved(change) {
    const { place } = this.walk;
    this.board.show(change);
    this.graph.setPlace(place);
    this.#showMove(place);
    if (!this.quiz && !this.walk.isPlaying && this.told !== place) announce(this.move.words);
    this.told = place;
  }

  #showMove(place) {
    if (this.quiz) {
      this.board.hideMoves();
      return;
    }
    this.board.showMoves(this.judging.judgements[place], this.game.moves[place] ?? '');
    this.move.show(place);
  }

  #go(place) {
    if (!this.quiz) this.walk.go(place);
  }

  #by(steps) {
    if (!this.quiz) this.walk.by(steps);
  }

  #next(direction, wanted = isMistake) {
    if (this.quiz) return;
    const place = this.judging.find(this.walk.place, direction, wanted);
    if (place >= 0) this.walk.go(place);
    else toast(text(this.judging.isGoing ? 'review.none_yet' : 'review.none'));
  }

  #listenKeys() {
    const inReview = (run) => () => {
      if (!this.quiz) run();
    };
    // Keys that are moves in the quiz and commands outside of it.
    const both = (letter, run) => () => (this.quiz ? this.quiz.choose(letter) : run());
    return listenKeys({
      move: (letter) => this.quiz?.choose(letter),
      commands: {
        ArrowLeft: both('l', () => this.#by(-1)),
        ArrowRight: both('r', () => this.#by(1)),
        PageUp: () => this.#by(-JUMP),
        PageDown: () => this.#by(JUMP),
        Home: () => this.#go(0),
        End: () => this.#go(this.game.last),
        n: () => (this.quiz ? this.quiz.isAsking || this.quiz.next() : this.#next(1)),
        p: () => this.#next(-1),
        Space: inReview(() => this.walk.toggle()),
        a: both('l', () => this.move.toggleLive()),
        l: both('r', () => !this.summary.learn.disabled && this.learn()),
      },
    });
  }

  #swiped(letter) {
    if (this.quiz) this.quiz.choose(letter);
    else if (letter === 'l') this.#by(1);
    else if (letter === 'r') this.#by(-1);
  }

  // ---- judgements

  #judge(player, ply) {
    this.judging.start(player, ply);
    this.#judged();
  }

  #judged() {
    this.summary.show();
    this.form.show(this.judging.reviewed);
    this.#showMove(this.walk.place);
    this.graph.draw();
    this.graph.setPlace(this.walk.place);
  }

  async #share() {
    this.walk.pause();
    const { shareReviewed } = await import('../sharing/sources.js');
    shareReviewed(this.game, this.walk.place);
  }

  async #playOn() {
    this.walk.pause();
    try {
      const message = {
        type: 'new',
        source: this.game.id,
        move_number: this.game.first + this.walk.place,
        keep: true,
      };
      const state = await net.ask(message);
      this.context.navigate(`/?game=${state.game}`);
    } catch (error) {
      toast(error.message);
    }
  }
}
