/** A position and four moves to choose from; then what each of them is worth. */

import { lossWords } from '../analysis_texts.js';
import { announce } from '../announce.js';
import { BoardView } from '../board.js';
import { button, fill, h } from '../dom.js';
import { formatChance } from '../figures.js';
import { listenKeys } from '../keys.js';
import { ARROWS, LETTERS, moveName } from '../moves.js';
import { shapeOf, tilesOf } from '../notation.js';
import { settings } from '../settings.js';
import { listenSwipes } from '../swipe.js';
import { sentence, text } from '../text.js';
import { slideOf } from './boards.js';

/**
 * @typedef {object} Asked
 * @property {string} board
 * @property {(number | null)[]} values of up, right, down and left; null for illegal moves
 * @property {string} unit of the values: `chance`, `points` or a player's own
 * @property {string} best letter of the best move
 */

/** Asks one position at a time. */
export class Question {
  #asked = null;
  #isOpen = false;
  #offs = [];

  /** @param {(letter: string) => void} onMove called once for each position */
  constructor(onMove) {
    this.onMove = onMove;
    this.board = new BoardView();
    this.board.setSpeed(settings.get('speed'));
    this.frame = h('div', { class: 'practice-board' }, this.board.element);
    this.title = h('h2');
    this.facts = h('p', { class: 'soft small' });
    this.prompt = h('p', { class: 'quiz-prompt' });
    this.said = h('div', { class: 'stack tight', role: 'status' });
    this.pad = h('div', { class: 'quiz-pad', role: 'group', 'aria-label': text('review.quiz_choose') });
    this.buttons = h('div', { class: 'row' });
    this.element = h('div', { class: 'practice-columns' }, this.frame,
      h('section', { class: 'card stack question' },
        h('div', { class: 'stack tight' }, this.title, this.facts),
        this.prompt, this.said, this.pad, this.buttons));
    this.#offs = [
      listenKeys({ move: (letter) => this.#choose(letter) }),
      listenSwipes(this.frame, (letter) => this.#choose(letter)),
      settings.on('speed', (speed) => this.board.setSpeed(speed)),
    ];
  }

  /** Listen no more. */
  close() {
    for (const off of this.#offs) off();
  }

  /**
   * Ask a position.
   *
   * @param {Asked} asked
   * @param {string} prompt
   */
  ask(asked, prompt) {
    this.#show(asked);
    this.#isOpen = true;
    this.prompt.textContent = prompt;
    fill(this.said);
    fill(this.pad, LETTERS.map((letter, index) =>
      button({ text: ARROWS[letter] }, () => this.#choose(letter), {
        class: `quiz-move pad-${letter}`,
        'aria-label': moveName(letter),
        disabled: asked.values[index] === null,
      })));
    this.pad.hidden = false;
    announce(prompt);
  }

  /**
   * Show what the moves are worth.
   *
   * @param {Asked} asked
   * @param {{made: string, isRight: boolean, verdict: string, notes?: string[]}} answer
   */
  answer(asked, { made, isRight, verdict, notes = [] }) {
    if (asked !== this.#asked) this.#show(asked);
    this.#isOpen = false;
    this.pad.hidden = true;
    this.prompt.textContent = '';
    const marks = [[asked.best, 'good']];
    if (made && !isRight && made !== asked.best) marks.push([made, 'bad']);
    this.board.arrows(marks);
    fill(this.said,
      h('p', { class: `quiz-verdict ${isRight ? 'good' : 'bad'}`, text: sentence(verdict) }),
      notes.map((note) => h('p', { text: sentence(note) })),
      valueList(asked, made));
  }

  #show(asked) {
    this.#asked = asked;
    const { rows, cols } = shapeOf(asked.board);
    if (rows !== this.board.rows || cols !== this.board.cols) this.board.resize(rows, cols);
    this.board.arrow('');
    this.board.show(tilesOf(asked.board));
    this.board.updateGrid();
  }

  #choose(letter) {
    if (!this.#isOpen || this.#asked.values[LETTERS.indexOf(letter)] === null) return;
    if (!slideOf(this.#asked.board, letter).changed) return;
    this.#isOpen = false;
    this.onMove(letter);
  }
}

/**
 * The values of the moves, the best and the made one marked.
 *
 * @param {Asked} asked
 * @param {string} made letter of the move made; empty for none
 * @returns {HTMLElement}
 */
function valueList({ values, unit, best }, made) {
  const most = values[LETTERS.indexOf(best)];
  const words = (letter, value) => {
    if (unit === 'chance') return formatChance(value);
    if (letter === best) return text('grade.best');
    return unit === 'points' ? lossWords(most, value, unit, value / most) : '';
  };
  return h('ul', { class: 'quiz-values number' }, LETTERS.map((letter, index) =>
    values[index] !== null && h('li', { class: letter === best ? 'is-best' : '' },
      h('span', { 'aria-hidden': 'true', text: ARROWS[letter] }),
      h('span', { class: 'grow', text: moveName(letter) }),
      letter === made && h('span', { class: 'badge', text: text('practice.yours') }),
      h('span', { text: words(letter, values[index]) }))));
}
