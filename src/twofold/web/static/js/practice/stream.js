/** Puzzles one after the other, with a rating and a streak. */

import { button, h, render } from '../dom.js';
import { hint } from '../hint.js';
import { analysisLink } from '../links.js';
import { net } from '../net.js';
import { sentence, text } from '../text.js';
import { answerOf } from './puzzle.js';
import { Question } from './question.js';

/** The part of the page. */
export class StreamPart {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.question = new Question((letter) => this.#try(() => this.#answer(letter)));
    this.progress = h('div', { class: 'row apart practice-progress' });
    this.error = h('p', { class: 'error', role: 'alert' });
    root.append(this.progress, this.error, this.question.element);
    this.#try(() => this.#next());
  }

  /** Leave. */
  close() {
    this.isClosed = true;
    this.question.close();
  }

  async #try(work) {
    try {
      await work();
      this.error.textContent = '';
    } catch (error) {
      this.error.textContent = sentence(error.message);
    }
  }

  async #next() {
    const { puzzle, rating, progress } = await net.get('/api/puzzle');
    if (this.isClosed) return;
    this.puzzle = { ...puzzle, unit: 'points' };
    this.#showProgress(progress, false);
    const { question } = this;
    question.title.textContent = text('practice.puzzle_number', { count: puzzle.number });
    question.facts.textContent = text('practice.puzzle_rating', { rating: String(Math.round(rating)) });
    render(question.buttons);
    question.ask(this.puzzle, text('practice.your_move'));
  }

  async #answer(letter) {
    const { puzzle, question } = this;
    const progress = await net.post('/api/puzzle', { number: puzzle.number, move: letter });
    if (this.isClosed) return;
    this.#showProgress(progress, true);
    question.answer(puzzle, answerOf(puzzle, letter));
    const next = button({ icon: 'step', text: text('practice.next_puzzle') },
      () => this.#try(() => this.#next()), { class: 'primary' });
    render(question.buttons, next,
      h('a', { class: 'button', href: analysisLink({ board: puzzle.board }) }, text('practice.analyse')));
    question.buttons.querySelector('button').focus({ preventScroll: true });
  }

  #showProgress({ rating, change, streak, longest, solved, tried }, isNew) {
    const points = Math.round(change);
    render(this.progress,
      h('p', null, h('span', { text: text('practice.rating') }), ' ',
        h('strong', { class: 'number', text: String(Math.round(rating)) }),
        isNew && h('span', { class: `number ${points < 0 ? 'bad' : 'good'}`, text: ` ${signed(points)}` }),
        hint('rating', text('practice.rating'), text('practice.rating_help'))),
      h('p', { class: 'practice-streak number', text: streak ? text('practice.right_in_row', { count: streak }) : '' }),
      h('p', { class: 'soft small', text: tried ? text('practice.solved_of', { solved, count: tried, longest }) : '' }));
  }
}

function signed(points) {
  return points < 0 ? `−${-points}` : `+${points}`;
}
