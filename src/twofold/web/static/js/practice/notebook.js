/** The notebook of mistakes: positions that went wrong, asked until they are solved. */

import { button, fill, h } from '../dom.js';
import { formatChance } from '../figures.js';
import { analysisLink } from '../links.js';
import { LETTERS, moveName } from '../moves.js';
import { net } from '../net.js';
import { number, sentence, text } from '../text.js';
import { Question } from './question.js';

/** A move that keeps so much of the best one's value is right. */
const GOOD_SHARE = 0.99;

/** Units of values that have sentences of their own. */
const UNITS = new Set(['chance', 'points']);

/** The part of the page. */
export class NotebookPart {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.question = new Question((letter) => this.#answer(letter));
    this.question.title.textContent = text('practice.notebook');
    this.error = h('p', { class: 'error', role: 'alert' });
    this.empty = h('section', { class: 'card stack', hidden: true });
    this.question.element.hidden = true;
    root.append(this.error, this.empty, this.question.element);
    this.#next();
  }

  /** Leave. */
  close() {
    this.isClosed = true;
    this.question.close();
  }

  async #next() {
    const reply = await this.#post('next', { after: this.mistake?.id ?? '' });
    if (!reply) return;
    this.#showCounts(reply.counts);
    this.mistake = reply.position;
    this.question.element.hidden = !this.mistake;
    this.empty.hidden = Boolean(this.mistake);
    if (!this.mistake) return void this.#showEmpty(reply.counts);
    fill(this.question.buttons);
    this.question.ask(this.mistake, text('practice.your_move'));
  }

  async #post(what, body) {
    try {
      const reply = await net.post(`/api/notebook/${what}`, body);
      this.error.textContent = '';
      return this.isClosed ? null : reply;
    } catch (error) {
      this.error.textContent = sentence(error.message);
      return null;
    }
  }

  #showCounts({ open, solved }) {
    this.question.facts.textContent =
      [text('practice.open', { count: open }), text('practice.solved', { count: solved })].join(' · ');
  }

  #showEmpty({ solved }) {
    fill(this.empty,
      h('h2', { text: text(solved ? 'practice.all_solved' : 'practice.no_mistakes') }),
      h('p', { text: text('practice.notebook_about') }),
      h('div', { class: 'row' },
        h('a', { class: 'button primary', href: '/analyse' }, text('review.title'))));
  }

  async #answer(letter) {
    const asked = this.mistake;
    const reply = await this.#post('answer', { id: asked.id, move: letter });
    if (!reply) return;
    this.mistake = reply.position;
    this.#showCounts(reply.counts);
    const isRight = (asked.shares[LETTERS.indexOf(letter)] ?? 0) >= GOOD_SHARE;
    this.question.answer(asked, {
      made: letter, isRight,
      verdict: this.#verdict(letter, isRight),
      notes: [...this.#madeBefore(asked, letter), this.#progress(isRight, reply.counts)],
    });
    this.#showButtons();
  }

  #verdict(letter, isRight) {
    const { best } = this.mistake;
    if (letter === best) return text('review.quiz_best', { move: moveName(letter) });
    if (isRight) return text('practice.is_good', { move: moveName(letter), best: moveName(best) });
    return this.#lossWords('practice.is_wrong', letter);
  }

  /** What the move made then lost; nothing where it was made again. */
  #madeBefore({ move }, letter) {
    return move === letter ? [] : [this.#lossWords('practice.you_played', move)];
  }

  /** A sentence on what a move loses, in the unit of the values. */
  #lossWords(key, letter) {
    const { best, shares, values, unit } = this.mistake;
    const at = LETTERS.indexOf(letter);
    const kind = UNITS.has(unit) ? unit : 'value';
    return text(`${key}_${kind}`, {
      move: moveName(letter),
      best: moveName(best),
      share: formatChance(1 - (shares[at] ?? 0)),
      lost: number(Math.round(values[LETTERS.indexOf(best)] - values[at])),
    });
  }

  #progress(isRight, counts) {
    if (!isRight) return text('practice.comes_again');
    const left = counts.row - this.mistake.row;
    return left > 0 ? text('practice.once_more', { count: left }) : text('practice.is_solved');
  }

  #showButtons() {
    const next = button({ icon: 'step', text: text('review.quiz_next') }, () => this.#next(),
      { class: 'primary' });
    fill(this.question.buttons, next,
      h('a', { class: 'button', href: sourceOf(this.mistake.source) },
        text(this.mistake.source.kind === 'game' ? 'practice.see_game' : 'practice.see_endgame')),
      h('a', { class: 'button', href: analysisLink({ board: this.mistake.board }) },
        text('practice.analyse')),
      button({ text: text('practice.drop') }, () => this.#drop(), { class: 'quiet' }));
    next.focus({ preventScroll: true });
  }

  async #drop() {
    if (await this.#post('answer', { id: this.mistake.id, move: null })) this.#next();
  }
}

/** The address of the place where a mistake was made. */
function sourceOf({ kind, game, move_number: move, table, seed, first }) {
  return kind === 'game'
    ? analysisLink({ game, move })
    : `/practice?${new URLSearchParams({ part: 'endgames', table, seed, ...(first && { board: first }) })}`;
}
