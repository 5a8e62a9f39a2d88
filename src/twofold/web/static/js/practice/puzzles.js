/** Puzzles: the one of the day, and others one after the other, with a rating and a streak. */

import { reasonText } from '../analysis_texts.js';
import { copyText, dayPicker, hint } from '../controls.js';
import { button, h } from '../dom.js';
import { dayName } from '../games/words.js';
import { analysisLink } from '../links.js';
import { LETTERS, moveName } from '../moves.js';
import { net } from '../net.js';
import { text } from '../text.js';
import { AskingPart } from './question.js';

/** One position a day, one move. */
export class PuzzlePart extends AskingPart {
  /** Show the puzzle of the address, or of today. */
  async next() {
    this.days = await net.get('/api/puzzles');
    await this.#load(this.context.params.get('day') || this.days.today);
  }

  /** @param {string} letter of the move that was chosen */
  async answer(letter) {
    this.days = await net.post(`/api/puzzles/${this.day}`, { move: letter });
  }

  /** Show where one is. */
  draw() {
    const { day = '', puzzle } = this;
    const { today = '', first = '', streak = 0, answers = {} } = this.days ?? {};
    const given = answers[day];
    this.show(
      h('div', { class: 'row apart' },
        dayPicker({ day, first, today }, (picked) => this.#go(picked)),
        streakView(streak && text('practice.streak', { count: streak }))),
      {
        title: day && text(day === today ? 'practice.puzzle_today' : 'practice.puzzle_of', { day: dayName(day) }),
        facts: puzzle && text('practice.puzzle_number', { count: puzzle.number }),
        asked: puzzle,
        answer: given && answerOf(puzzle, given.move),
        buttons: given && [button({ icon: 'copy', text: text('daily.copy') }, () => this.#copy(given)),
          analyseLink(puzzle)],
      });
  }

  async #load(day) {
    const puzzle = await net.get(`/api/puzzles/${day}`);
    Object.assign(this, { day, puzzle: { ...puzzle, unit: 'points' } });
  }

  #go(day) {
    window.history.replaceState(null, '', `/practice?part=puzzle&day=${day}`);
    return this.try(() => this.#load(day));
  }

  #copy({ right }) {
    const { streak } = this.days;
    const key = right ? 'practice.result_right' : 'practice.result_wrong';
    const words = text(key, { number: this.puzzle.number, day: this.day });
    const line = streak ? `${words} · ${text('practice.streak', { count: streak })}` : words;
    copyText(line, text('practice.copied', { line }), line);
  }
}

/** Puzzles without an end. */
export class StreamPart extends AskingPart {
  async next() {
    const { puzzle, rating, progress } = await net.get('/api/puzzle');
    Object.assign(this, { rating, progress, made: '', puzzle: { ...puzzle, unit: 'points' } });
  }

  /** @param {string} letter of the move that was chosen */
  async answer(letter) {
    this.progress = await net.post('/api/puzzle', { number: this.puzzle.number, move: letter });
    this.made = letter;
  }

  /** Show where one is. */
  draw() {
    const { puzzle, made, rating, progress } = this;
    this.show(h('div', { class: 'row apart practice-progress' }, progress && this.#progress()), {
      title: puzzle ? text('practice.puzzle_number', { count: puzzle.number }) : '',
      facts: puzzle && text('practice.puzzle_rating', { rating: String(Math.round(rating)) }),
      asked: puzzle,
      answer: made && answerOf(puzzle, made),
      buttons: made && [button({ icon: 'step', text: text('practice.next_puzzle') },
        () => this.try(() => this.next()), { class: 'primary' }), analyseLink(puzzle)],
    });
  }

  #progress() {
    const { rating, change, streak, longest, solved, tried } = this.progress;
    const points = Math.round(change);
    return [
      h('p', null, h('span', { text: text('practice.rating') }), ' ',
        h('strong', { class: 'number', text: String(Math.round(rating)) }),
        this.made && h('span', { class: `number ${points < 0 ? 'bad' : 'good'}`,
          text: points < 0 ? ` −${-points}` : ` +${points}` }),
        hint('rating', text('practice.rating'), text('practice.rating_help'))),
      streakView(streak && text('practice.right_in_row', { count: streak })),
      h('p', { class: 'soft small', text: tried ? text('practice.solved_of', { solved, count: tried, longest }) : '' }),
    ];
  }
}

function streakView(words) {
  return h('p', { class: 'practice-streak number', text: words || '' });
}

function analyseLink({ board }) {
  return h('a', { class: 'button', href: analysisLink({ board }) }, text('practice.analyse'));
}

/** What is said after a move of a puzzle: why the best one is better, and what the others do. */
function answerOf(puzzle, made) {
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
