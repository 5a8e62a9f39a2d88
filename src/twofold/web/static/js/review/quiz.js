/** Learn from your mistakes: the positions where a mistake was made, one after the other. */

import { announce } from '../announce.js';
import { button, fill, h } from '../dom.js';
import { comparedFormat, formatChance } from '../figures.js';
import { ARROWS, LETTERS, moveName } from '../moves.js';
import { sentence, text } from '../text.js';
import { chanceOf, shareByTable } from './judging.js';
import { badge, labelPhrase } from './labels.js';
import { percent } from './move_panel.js';

/** A move that keeps so much of the best one's value is right. */
const GOOD_RATIO = 0.99;

/** Most positions of a quiz: the worst mistakes of the game. */
const MOST_POSITIONS = 30;

/** Asks positions, those that lost most more often, until each was answered without help. */
export class Quiz {
  #solved = new Set();
  #failed = new Set();

  /**
   * @param {import('./game.js').ReviewGame} game
   * @param {import('./judging.js').Judging} judging
   * @param {{onAsk: (place: number) => void, onMove: (letter: string) => void, onClose: () => void}} actions
   *   `onAsk` shows a position, `onMove` makes a right move on the board
   */
  constructor(game, judging, actions) {
    Object.assign(this, { game, judging, actions });
    const { judgements } = judging;
    const worstFirst = judging.mistakes().sort((a, b) => judgements[a].ratio - judgements[b].ratio);
    this.places = worstFirst.slice(0, MOST_POSITIONS);
    this.place = -1;
    this.count = h('p', { class: 'quiz-count number soft' });
    this.prompt = h('p', { class: 'quiz-prompt' });
    this.answer = h('div', { class: 'quiz-answer stack tight', role: 'status' });
    this.pad = h('div', {
      class: 'quiz-pad',
      role: 'group',
      'aria-label': text('review.quiz_choose'),
    });
    this.buttons = h('div', { class: 'row' });
    this.element = h(
      'section',
      { class: 'card quiz stack', 'aria-label': text('review.learn') },
      h('div', { class: 'row apart' }, h('h2', { text: text('review.learn') }), this.count),
      this.prompt,
      this.answer,
      this.pad,
      this.buttons,
    );
  }

  /** Whether a position waits for its move. */
  get isAsking() {
    return this.place >= 0 && !this.isOver;
  }

  /** Ask the next position. */
  next() {
    const left = this.places.filter((place) => !this.#solved.has(place));
    if (!left.length) return void this.#finish();
    const others = left.filter((place) => place !== this.place);
    this.place = pick(others.length ? others : left, (place) => 1 - this.#ratio(place));
    this.isOver = false;
    this.#ask();
  }

  /** @param {string} letter of the move that was chosen */
  choose(letter) {
    if (!this.isAsking) return;
    const one = this.judging.judgements[this.place];
    const value = one.values[LETTERS.indexOf(letter)];
    if (value === null)
      return void this.#say(
        h('p', { text: sentence(text('review.quiz_illegal', { move: moveName(letter) })) }),
      );
    const kept = letter === one.move ? one.ratio : this.#shareOf(one, letter, value);
    if (kept >= GOOD_RATIO) this.#right(letter, kept, one);
    else this.#wrong(letter, kept, one);
  }

  #ratio(place) {
    return this.judging.judgements[place].ratio;
  }

  /** The share of the best value that a value keeps, between those of the best and the made move. */
  #shareOf(one, letter, value) {
    if (one.table) return shareByTable(one, letter);
    const best = one.values[LETTERS.indexOf(one.best)];
    const made = one.values[LETTERS.indexOf(one.move)];
    return 1 - ((1 - one.ratio) * (best - value)) / (best - made);
  }

  #ask() {
    const one = this.judging.judgements[this.place];
    this.actions.onAsk(this.place);
    fill(
      this.prompt,
      text('review.quiz_prompt', {
        number: this.game.first + this.place + 1,
        move: moveName(one.move),
        what: labelPhrase(one.label),
      }),
    );
    fill(this.answer);
    this.pad.hidden = false;
    fill(
      this.pad,
      LETTERS.map((letter, index) =>
        button({ text: ARROWS[letter] }, () => this.choose(letter), {
          class: `quiz-move pad-${letter}`,
          'aria-label': moveName(letter),
          disabled: one.values[index] === null,
        }),
      ),
    );
    fill(
      this.buttons,
      button({ text: text('review.quiz_show') }, () => this.#show()),
      button({ text: text('review.quiz_skip') }, () => this.next()),
      this.#closeButton(),
    );
    this.#count();
    announce(this.prompt.textContent);
  }

  #right(letter, kept, one) {
    this.#solved.add(this.place);
    const key = letter === one.best ? 'review.quiz_best' : 'review.quiz_good';
    this.#end(
      'good',
      text(key, { move: moveName(letter), kept: percent(kept), best: moveName(one.best) }),
      one,
    );
    this.actions.onMove(letter);
  }

  #wrong(letter, kept, one) {
    this.#failed.add(this.place);
    const key = letter === one.move ? 'review.quiz_again' : 'review.quiz_wrong';
    this.#say(
      h('p', {
        class: 'quiz-verdict bad',
        text: sentence(text(key, { move: moveName(letter), kept: percent(Math.max(0, kept)) })),
      }),
    );
  }

  #show() {
    const one = this.judging.judgements[this.place];
    this.#failed.add(this.place);
    this.#end('', text('review.quiz_was', { best: moveName(one.best) }), one);
    this.actions.onMove(one.best);
  }

  #end(kind, words, one) {
    this.isOver = true;
    this.pad.hidden = true;
    this.#say(h('p', { class: `quiz-verdict ${kind}`, text: sentence(words) }), this.#values(one));
    const next = button({ icon: 'step', text: text('review.quiz_next') }, () => this.next(), {
      class: 'primary',
    });
    fill(this.buttons, next, this.#closeButton());
    this.#count();
    next.focus({ preventScroll: true });
  }

  #values(one) {
    const best = one.values[LETTERS.indexOf(one.best)];
    const format = comparedFormat(one.values, best, one.unit);
    return h(
      'ul',
      { class: 'quiz-values number' },
      LETTERS.map(
        (letter, index) =>
          one.values[index] !== null &&
          h(
            'li',
            { class: letter === one.best ? 'is-best' : letter === one.move ? 'is-made' : '' },
            h('span', { 'aria-hidden': 'true', text: ARROWS[letter] }),
            h('span', { class: 'grow', text: moveName(letter) }),
            one.table ? formatChance(chanceOf(one, letter) ?? 0) : format(one.values[index]),
            letter === one.move && badge(one.label),
          ),
      ),
    );
  }

  #say(...children) {
    fill(this.answer, children);
  }

  #count() {
    this.count.textContent = text('review.quiz_count', {
      solved: this.#solved.size,
      total: this.places.length,
    });
  }

  #finish() {
    this.place = -1;
    this.#count();
    fill(
      this.prompt,
      text('review.quiz_done', {
        count: this.places.length,
        first: this.places.length - this.#failed.size,
      }),
    );
    fill(this.answer);
    fill(this.pad);
    fill(this.buttons, this.#closeButton());
    announce(this.prompt.textContent);
  }

  #closeButton() {
    return button({ text: text('review.quiz_close') }, this.actions.onClose);
  }
}

/** One of some values by chance, those of more weight more often. */
function pick(values, weightOf) {
  const weights = values.map(weightOf);
  let left = Math.random() * weights.reduce((sum, weight) => sum + weight, 0);
  const found = weights.findIndex((weight) => (left -= weight) <= 0);
  return values[found < 0 ? values.length - 1 : found];
}
