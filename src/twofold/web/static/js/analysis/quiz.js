/** Learn from your mistakes: the positions where a mistake was made, one after the other. */

import { gradeMark } from '../analysis_texts.js';
import { announce } from '../announce.js';
import { button, h, part, render } from '../dom.js';
import { LETTERS, moveName } from '../moves.js';
import { choicePad, worthList } from '../pads.js';
import { sentence, text } from '../text.js';
import { percent } from './judging.js';

/** A move that keeps so much of the best one's value is right. */
const GOOD_RATIO = 0.99;

/** Most positions of a quiz: the worst mistakes of the game. */
const MOST_POSITIONS = 30;

/** Asks positions, those that lost most more often, until each was answered. */
export class Quiz {
  #solved = new Set();
  #failed = new Set();
  #said = []; // what was answered
  #isOver = false; // whether the position is answered

  /**
   * @param {import('./judging.js').Judging} judging
   * @param {{onAsk: (place: number) => void, onMove: (letter: string) => void, onClose: () => void}} actions
   *   `onAsk` shows a position, `onMove` makes a right move on the board
   */
  constructor(judging, actions) {
    Object.assign(this, { judging, actions });
    const { judgements } = judging;
    const worstFirst = judging.mistakes().sort((a, b) => judgements[a].ratio - judgements[b].ratio);
    this.places = worstFirst.slice(0, MOST_POSITIONS);
    this.place = -1;
    this.element = part(h('section', { class: 'card quiz stack', 'aria-label': text('review.learn') }));
    this.answer = h('div', { class: 'quiz-answer stack tight', role: 'status' });
  }

  /** Whether a position is to be answered. */
  get isAsking() {
    return this.place >= 0 && !this.#isOver;
  }

  get #judgement() {
    return this.judging.judgements[this.place];
  }

  /** Ask the next position. */
  next() {
    const left = this.places.filter((place) => !this.#solved.has(place));
    const others = left.filter((place) => place !== this.place);
    const { judgements } = this.judging;
    this.place = pick(others.length ? others : left, (place) => 1 - judgements[place].ratio) ?? -1;
    this.#isOver = false;
    this.#say();
    if (left.length) this.actions.onAsk(this.place);
    announce(this.#prompt);
  }

  /** @param {string} letter of the move that was chosen */
  choose(letter) {
    if (!this.isAsking) return;
    const one = this.#judgement;
    const ratio = one.shares[LETTERS.indexOf(letter)];
    const move = moveName(letter);
    if (ratio === null) {
      return void this.#say(h('p', { text: sentence(text('review.quiz_illegal', { move })) }));
    }
    const kept = percent(ratio);
    if (ratio >= GOOD_RATIO) {
      this.#solved.add(this.place);
      const key = letter === one.best ? 'review.quiz_best' : 'review.quiz_good';
      this.#end('good', text(key, { move, kept, best: moveName(one.best) }), letter);
    } else {
      this.#failed.add(this.place);
      const key = letter === one.move ? 'review.quiz_again' : 'review.quiz_wrong';
      this.#say(h('p', { class: 'quiz-verdict bad', text: sentence(text(key, { move, kept })) }));
    }
  }

  #showAnswer() {
    const { best } = this.#judgement;
    this.#failed.add(this.place);
    this.#end('', text('review.quiz_was', { best: moveName(best) }), best);
  }

  #end(kind, words, letter) {
    this.#isOver = true;
    this.#say(h('p', { class: `quiz-verdict ${kind}`, text: sentence(words) }), values(this.#judgement));
    this.actions.onMove(letter);
    this.element.querySelector('.primary').focus({ preventScroll: true });
  }

  #say(...words) {
    this.#said = words;
    this.#show();
  }

  get #prompt() {
    if (this.place < 0) {
      const [count, failed] = [this.places.length, this.#failed.size];
      return text('review.quiz_done', { count, first: count - failed });
    }
    const one = this.#judgement;
    return text('review.quiz_prompt',
      { number: one.move_number + 1, move: moveName(one.move), what: text(`review.was_${one.grade}`) });
  }

  #show() {
    render(this.answer, this.#said);
    render(this.element,
      h('div', { key: 'head', class: 'row apart' }, h('h2', { text: text('review.learn') }),
        h('p', { class: 'quiz-count number soft nowrap', text: text('review.quiz_count',
          { solved: this.#solved.size, total: this.places.length }) })),
      h('p', { class: 'quiz-prompt', text: this.#prompt }),
      part(this.answer),
      this.isAsking && choicePad(this.#judgement.values, (letter) => this.choose(letter)),
      h('div', { key: 'buttons', class: 'row' },
        this.isAsking && [
          button({ text: text('review.quiz_show') }, () => this.#showAnswer()),
          button({ text: text('review.quiz_skip') }, () => this.next())],
        this.#isOver && button({ icon: 'step', text: text('review.quiz_next') }, () => this.next(),
          { class: 'primary', key: 'next' }),
        button({ text: text('review.quiz_close') }, this.actions.onClose, { key: 'close' })));
  }
}

/** The values of the four moves of an answered position; chances where a table knows them. */
function values(one) {
  const chances = one.table && one.values.map((value, index) => (value === null ? null : one.table.chances[index] ?? 0));
  return worthList(chances ? { ...one, values: chances, unit: 'chance' } : one, one.move, gradeMark(one.grade));
}

/** One of some values by chance, those of more weight more often. */
function pick(values, weightOf) {
  const weights = values.map(weightOf);
  let left = Math.random() * weights.reduce((sum, weight) => sum + weight, 0);
  const found = weights.findIndex((weight) => (left -= weight) <= 0);
  return values[found < 0 ? values.length - 1 : found];
}
