/** A position and four moves to choose from; then what each of them is worth. */

import { announce } from '../announce.js';
import { BoardView } from '../board.js';
import { h, part, render } from '../dom.js';
import { listenKeys } from '../keys.js';
import { LETTERS } from '../moves.js';
import { shapeOf, tilesOf } from '../notation.js';
import { choicePad, worthList } from '../pads.js';
import { settings } from '../settings.js';
import { slideOf } from '../slides.js';
import { listenSwipes } from '../swipe.js';
import { sentence, text } from '../text.js';

/**
 * @typedef {object} Asked
 * @property {string} board
 * @property {(number | null)[]} values of up, right, down and left; null for illegal moves
 * @property {string} unit of the values: `chance`, `points` or a player's own
 * @property {string} best letter of the best move
 */

/**
 * A part of the page that asks one position at a time. It has `next`, which gets a position,
 * `answer`, which gets the letter of the move that was chosen, and `draw`, which calls `show`.
 */
export class AskingPart {
  #shown = null;
  #isOpen = false;

  /**
   * @param {HTMLElement} root
   * @param {object} context of main.js
   */
  constructor(root, context) {
    Object.assign(this, { root, context, error: '' });
    this.board = new BoardView();
    this.board.setSpeed(settings.get('speed'));
    this.frame = part(h('div', { class: 'practice-board' }, this.board.element));
    this.offs = [
      listenKeys({ move: (letter) => this.#choose(letter) }),
      listenSwipes(this.frame, (letter) => this.#choose(letter)),
      settings.on('speed', (speed) => this.board.setSpeed(speed)),
    ];
  }

  /** Show the part without a question, and get the first. */
  begin() {
    this.draw();
    this.try(() => this.next());
  }

  /** Leave. */
  close() {
    this.isClosed = true;
    for (const off of this.offs) off();
  }

  /** Do something, and show what has come of it, or what is wrong. */
  async try(work) {
    try {
      await work();
      this.error = '';
    } catch (error) {
      this.error = sentence(error.message);
    }
    if (!this.isClosed) this.draw();
  }

  /**
   * Show a question, or its answer.
   *
   * @param {any} head what stands above it
   * @param {object} [question]
   * @param {string} question.title
   * @param {string} question.facts
   * @param {Asked} [question.asked]
   * @param {{made: string, isRight: boolean, verdict: string, notes: string[]}} [question.answer]
   * @param {any} [question.buttons] of the answer
   */
  show(head, { title, facts, asked, answer, buttons } = {}) {
    this.#isOpen = Boolean(asked) && !answer;
    if (asked && asked !== this.#shown) this.#showBoard(asked);
    this.board.arrows(answer ? marksOf(asked, answer) : []);
    render(this.root, head, h('p', { class: 'error', role: 'alert', text: this.error }),
      title !== undefined && h('div', { class: 'practice-columns' }, this.frame,
        h('section', { class: 'card stack question' },
          h('div', { class: 'stack tight' }, h('h2', { text: title }), h('p', { class: 'soft small', text: facts })),
          this.#isOpen && h('p', { class: 'quiz-prompt', text: text('practice.your_move') }),
          h('div', { class: 'stack tight', role: 'status' }, answer && answerView(asked, answer)),
          this.#isOpen && choicePad(asked.values, (letter) => this.#choose(letter)),
          h('div', { key: 'buttons', class: 'row' }, answer && buttons))));
  }

  #showBoard(asked) {
    this.#shown = asked;
    const { rows, cols } = shapeOf(asked.board);
    if (rows !== this.board.rows || cols !== this.board.cols) this.board.resize(rows, cols);
    this.board.show(tilesOf(asked.board));
    this.board.updateGrid();
    if (this.#isOpen) announce(text('practice.your_move'));
  }

  async #choose(letter) {
    if (!this.#isOpen || this.#shown.values[LETTERS.indexOf(letter)] === null) return;
    if (!slideOf(this.#shown.board, letter).changed) return;
    this.#isOpen = false;
    await this.try(() => this.answer(letter));
    this.root.querySelector('.question .primary')?.focus({ preventScroll: true });
  }
}

function marksOf({ best }, { made, isRight }) {
  return isRight || made === best ? [[best, 'good']] : [[best, 'good'], [made, 'bad']];
}

function answerView(asked, { made, isRight, verdict, notes }) {
  return [
    h('p', { class: `quiz-verdict ${isRight ? 'good' : 'bad'}`, text: sentence(verdict) }),
    notes.map((note) => h('p', { text: sentence(note) })),
    worthList(asked, made, h('span', { class: 'badge', text: text('practice.yours') })),
  ];
}
