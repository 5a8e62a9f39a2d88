/** The puzzle of the day: one position, one move. */

import { copyText } from '../copying.js';
import { dayAfter, dayName } from '../daily/days.js';
import { button, fill, h } from '../dom.js';
import { reasonText } from '../grades.js';
import { analysisLink } from '../links.js';
import { LETTERS, moveName } from '../moves.js';
import { net } from '../net.js';
import { sentence, text } from '../text.js';
import { Question } from './question.js';

/** The part of the page. */
export class PuzzlePart {
  /**
   * @param {HTMLElement} root
   * @param {object} context of main.js
   */
  constructor(root, { params }) {
    this.day = params.get('day') ?? '';
    this.question = new Question((letter) => this.#answer(letter));
    this.streak = h('p', { class: 'practice-streak number' });
    this.error = h('p', { class: 'error', role: 'alert' });
    this.date = h('input', {
      type: 'date', class: 'input practice-date', 'aria-label': text('practice.day'),
      onchange: () => this.date.value && this.#go(this.date.value),
    });
    this.before = button({ icon: 'left', label: text('practice.day_before') },
      () => this.#go(dayAfter(this.day, -1)));
    this.after = button({ icon: 'right', label: text('practice.day_after') },
      () => this.#go(dayAfter(this.day, 1)));
    root.append(
      h('div', { class: 'row apart' },
        h('div', { class: 'row' }, this.before, this.date, this.after), this.streak),
      this.error, this.question.element);
    this.#load();
  }

  /** Leave. */
  close() {
    this.isClosed = true;
    this.question.close();
  }

  async #load() {
    await this.#try(async () => {
      this.days = await net.get('/api/puzzles');
      await this.#show(this.day || this.days.today);
    });
  }

  async #go(day) {
    window.history.replaceState(null, '', `/practice?part=puzzle&day=${day}`);
    await this.#try(() => this.#show(day));
  }

  async #try(work) {
    try {
      await work();
      this.error.textContent = '';
    } catch (error) {
      this.error.textContent = sentence(error.message);
    }
  }

  async #show(day) {
    const puzzle = await net.get(`/api/puzzles/${day}`);
    if (this.isClosed) return;
    Object.assign(this, { day, puzzle: { ...puzzle, unit: 'points' } });
    const { today, first } = this.days;
    Object.assign(this.date, { value: day, min: first, max: today });
    this.before.disabled = day <= first;
    this.after.disabled = day >= today;
    this.question.title.textContent = text(
      day === today ? 'practice.puzzle_today' : 'practice.puzzle_of', { day: dayName(day) });
    this.question.facts.textContent = text('practice.puzzle_number', { count: puzzle.number });
    this.#showStreak();
    const given = this.days.answers[day];
    if (given) return void this.#showAnswer(given);
    fill(this.question.buttons);
    this.question.ask(this.puzzle, text('practice.your_move'));
  }

  #showStreak() {
    const { streak } = this.days;
    this.streak.textContent = streak ? text('practice.streak', { count: streak }) : '';
  }

  async #answer(letter) {
    await this.#try(async () => {
      this.days = await net.post(`/api/puzzles/${this.day}`, { move: letter });
      if (this.isClosed) return;
      this.#showStreak();
      this.#showAnswer(this.days.answers[this.day]);
    });
  }

  #showAnswer({ move, right }) {
    const { puzzle } = this;
    this.question.answer(puzzle, answerOf(puzzle, move));
    fill(this.question.buttons,
      button({ icon: 'copy', text: text('daily.copy') }, () => this.#copy(right)),
      h('a', { class: 'button', href: analysisLink({ board: puzzle.board }) },
        text('practice.analyse')));
  }

  #copy(right) {
    const { streak } = this.days;
    const key = right ? 'practice.result_right' : 'practice.result_wrong';
    const words = text(key, { number: this.puzzle.number, day: this.day });
    const line = streak ? `${words} · ${text('practice.streak', { count: streak })}` : words;
    copyText(line, text('practice.copied', { line }), line);
  }
}

/**
 * What is said after a move of a puzzle: why the best one is better, and what the others do.
 *
 * @param {object} puzzle
 * @param {string} made letter of the move
 */
export function answerOf(puzzle, made) {
  const { best, values, tempting } = puzzle;
  const lossOf = (letter) => values[LETTERS.indexOf(best)] - values[LETTERS.indexOf(letter)];
  const said = (key, letter) => text(key, {
    move: moveName(letter), reason: reasonText(puzzle.reasons[LETTERS.indexOf(letter)]),
  });
  const isRight = made === best;
  const [bait] = [...tempting].sort((one, other) => lossOf(one) - lossOf(other));
  return {
    made, isRight,
    verdict: said(isRight ? 'practice.puzzle_right' : 'practice.puzzle_wrong', best),
    notes: [
      !isRight && said('practice.puzzle_made', made),
      bait && !tempting.includes(best) && text('practice.puzzle_bait', { move: moveName(bait) }),
    ].filter(Boolean),
  };
}
