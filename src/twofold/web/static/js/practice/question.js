/** A position and four moves to choose from; then what each of them is worth. */

import { lossWords } from '../analysis_texts.js';
import { announce } from '../announce.js';
import { BoardView } from '../board.js';
import { button, h, part, render } from '../dom.js';
import { formatChance } from '../figures.js';
import { ARROWS, LETTERS, listenKeys, listenSwipes, moveName } from '../moves.js';
import { net } from '../net.js';
import { shapeOf, slideOf, tilesOf } from '../notation.js';
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
  #work = null; // what was done last

  /**
   * @param {HTMLElement} root
   * @param {object} context of main.js
   */
  constructor(root, context) {
    Object.assign(this, { root, context, error: '' });
    this.board = new BoardView();
    this.frame = part(h('div', { class: 'practice-board' }, this.board.element));
    listenKeys({ move: (letter) => this.#choose(letter) });
    listenSwipes(this.frame, (letter) => this.#choose(letter));
  }

  /** Show the part without a question, and get the first. */
  begin() {
    this.draw();
    this.try(() => this.next());
  }

  /** Do something, and show what has come of it, or what is wrong; without a connection once it is back. */
  async try(work) {
    this.#work = work;
    try {
      await work();
      this.error = '';
    } catch (error) {
      this.error = sentence(error.message);
      net.afterLoss(error, () => work === this.#work && this.try(work));
    }
    this.draw();
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
    const isWrong = answer && !answer.isRight && answer.made !== asked.best;
    this.board.arrows([answer && [asked.best, 'good'], isWrong && [answer.made, 'bad']].filter(Boolean));
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
    this.board.show(tilesOf(asked.board), shapeOf(asked.board));
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

function answerView(asked, { made, isRight, verdict, notes }) {
  return [
    h('p', { class: `quiz-verdict ${isRight ? 'good' : 'bad'}`, text: sentence(verdict) }),
    notes.map((note) => h('p', { text: sentence(note) })),
    worthList(asked, made, h('span', { class: 'badge', text: text('practice.yours') })),
  ];
}

/** A button for each move of a question; those with the value null are not legal. */
function choicePad(values, onPick) {
  return h('div', { key: 'pad', class: 'pad quiz-pad', role: 'group', 'aria-label': text('review.quiz_choose') },
    LETTERS.map((letter, index) => button({ text: ARROWS[letter] }, () => onPick(letter), {
      class: `quiz-move pad-${letter}`, 'aria-label': moveName(letter), disabled: values[index] === null })));
}

/** What the legal moves are worth, with a mark behind the one that was made. */
function worthList({ values, unit, best }, made, mark) {
  const most = values[LETTERS.indexOf(best)];
  const words = (letter, value) => (unit === 'chance' ? formatChance(value)
    : letter === best ? text('grade.best') : unit === 'points' ? lossWords(most, value, unit, value / most) : '');
  return h('ul', { class: 'quiz-values number' }, LETTERS.map((letter, index) => values[index] !== null
    && h('li', { class: letter === best ? 'is-best' : '' },
      h('span', { 'aria-hidden': 'true', text: ARROWS[letter] }),
      h('span', { class: 'grow', text: moveName(letter) }), letter === made && mark,
      h('span', { text: words(letter, values[index]) }))));
}
