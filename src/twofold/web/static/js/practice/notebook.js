/** The notebook of mistakes: positions that went wrong, asked until they are solved. */

import { button, h } from '../dom.js';
import { formatChance } from '../figures.js';
import { analysisLink } from '../links.js';
import { LETTERS, moveName } from '../moves.js';
import { net } from '../net.js';
import { number, text } from '../text.js';
import { AskingPart } from './question.js';

/** A move that keeps so much of the best one's value is right. */
const GOOD_SHARE = 0.99;

/** Units of values that have sentences of their own. */
const UNITS = new Set(['chance', 'points']);

/** The part of the page. */
export class NotebookPart extends AskingPart {
  async next() {
    const { position, counts } = await net.post('/api/notebook/next',
      { after: this.mistake?.id ?? '', game: this.context.params.get('game') ?? '' });
    Object.assign(this, { mistake: position, asked: position, counts, made: '' });
  }

  /** @param {string} letter of the move that was chosen */
  async answer(letter) {
    const { position, counts } = await net.post('/api/notebook/answer', { id: this.asked.id, move: letter });
    Object.assign(this, { mistake: position, counts, made: letter });
  }

  /** Show where one is. */
  draw() {
    const { asked, counts, made } = this;
    if (!asked) return void this.show(counts && emptyView(counts));
    this.show(null, {
      title: text('practice.notebook'),
      facts: `${text('practice.open', { count: counts.open })} · ${text('practice.solved', { count: counts.solved })}`,
      asked,
      answer: made && this.#answered(made),
      buttons: made && this.#buttons(),
    });
  }

  #answered(made) {
    const { asked, mistake: { best } } = this;
    const isRight = (asked.shares[LETTERS.indexOf(made)] ?? 0) >= GOOD_SHARE;
    const verdict = made === best ? text('review.quiz_best', { move: moveName(made) })
      : isRight ? text('practice.is_good', { move: moveName(made), best: moveName(best) })
        : this.#lossWords('practice.is_wrong', made);
    const before = asked.move === made ? [] : [this.#lossWords('practice.you_played', asked.move)];
    return { made, isRight, verdict, notes: [...before, this.#progress(isRight)] };
  }

  /** A sentence on what a move loses, in the unit of the values. */
  #lossWords(key, letter) {
    const { best, shares, values, unit } = this.mistake;
    const at = LETTERS.indexOf(letter);
    return text(`${key}_${UNITS.has(unit) ? unit : 'value'}`, {
      move: moveName(letter),
      best: moveName(best),
      share: formatChance(1 - (shares[at] ?? 0)),
      lost: number(Math.round(values[LETTERS.indexOf(best)] - values[at])),
    });
  }

  #progress(isRight) {
    if (!isRight) return text('practice.comes_again');
    const left = this.counts.row - this.mistake.row;
    return left > 0 ? text('practice.once_more', { count: left }) : text('practice.is_solved');
  }

  #buttons() {
    const { board, source } = this.mistake;
    return [
      button({ icon: 'step', text: text('review.quiz_next') }, () => this.try(() => this.next()), { class: 'primary' }),
      h('a', { class: 'button', href: sourceOf(source) },
        text(source.kind === 'game' ? 'practice.see_game' : 'practice.see_endgame')),
      h('a', { class: 'button', href: analysisLink({ board }) }, text('practice.analyse')),
      button({ text: text('practice.drop') }, () => this.try(async () => {
        await net.post('/api/notebook/answer', { id: this.mistake.id, move: null });
        await this.next();
      }), { class: 'quiet' }),
    ];
  }

}

function emptyView({ solved }) {
  return h('section', { class: 'card stack' },
    h('h2', { text: text(solved ? 'practice.all_solved' : 'practice.no_mistakes') }),
    h('p', { text: text('practice.notebook_about') }),
    h('div', { class: 'row' }, h('a', { class: 'button primary', href: '/analyse' }, text('review.title'))));
}

/** The address of the place where a mistake was made. */
function sourceOf({ kind, game, move_number: move, table, seed, first }) {
  return kind === 'game'
    ? analysisLink({ game, move })
    : `/practice?${new URLSearchParams({ part: 'endgames', table, seed, ...(first && { board: first }) })}`;
}
