/** What is known of the move at one position: its label, the four values, a live analysis. */

import { AnalysisView } from '../analysis_view.js';
import { fill, h } from '../dom.js';
import { LETTERS, moveName } from '../moves.js';
import { net } from '../net.js';
import { legalMoves } from '../slides.js';
import { fixed, sentence, text } from '../text.js';
import { chanceOf, isForced, shareByTable } from './judging.js';
import { badge, classOf, isMistake, labelName } from './labels.js';
import { Why } from './why.js';

/** Longest live analysis of a position, in seconds. */
const SECONDS = 20;

/** A mistake that one only passes is not explained. */
const WHY_DELAY_MS = 150;

/** Shows the move of a place. */
export class MovePanel {
  #ref = 0;

  /** What is said of the move, for screen readers. */
  words = '';

  /**
   * @param {import('./game.js').ReviewGame} game
   * @param {import('./judging.js').Judging} judging
   */
  constructor(game, judging) {
    Object.assign(this, { game, judging });
    this.heading = h('h2', { class: 'review-move-heading' });
    this.verdict = h('p', { class: 'review-verdict' });
    this.analysis = new AnalysisView();
    this.why = h('p', { class: 'review-why', 'aria-live': 'polite' });
    this.reasons = new Why(game);
    this.comment = h('blockquote', { class: 'review-comment', hidden: true });
    this.live = h('input', {
      type: 'checkbox',
      class: 'switch',
      role: 'switch',
      onchange: () => this.#turn(),
    });
    this.element = h(
      'section',
      { class: 'card review-move stack', 'aria-label': text('review.this_move') },
      h(
        'div',
        { class: 'row apart' },
        this.heading,
        h('label', { class: 'check small' }, this.live, text('review.live')),
      ),
      this.verdict,
      this.why,
      this.comment,
      this.analysis.element,
    );
    this.off = [
      net.on('analysis', (reply) => this.#analysed(reply)),
      net.on(
        'refused',
        (reply) => reply.ref === this.#ref && this.#ref && this.analysis.clear(reply.message),
      ),
    ];
    this.#turn();
  }

  /** Turn the live analysis on or off. */
  toggleLive() {
    this.live.checked = !this.live.checked;
    this.#turn();
  }

  /** @param {number} place */
  show(place) {
    const { game } = this;
    const isNew = this.place !== place;
    this.place = place;
    const end = place === game.last;
    this.heading.textContent = end
      ? text('review.end')
      : text('review.move', { move: game.first + place + 1 });
    this.#showComment(place);
    this.#showVerdict();
    if (!this.live.checked) this.#showValues();
    else if (isNew) this.#analyse();
  }

  /** Listen no more. */
  close() {
    clearTimeout(this.timer);
    this.explained = null;
    for (const off of this.off) off();
    if (this.live.checked && !this.judging.isGoing) net.send({ type: 'stop' });
  }

  #showComment(place) {
    const words = this.game.comments.get(place);
    this.comment.hidden = !words;
    this.comment.textContent = words ?? '';
  }

  #showVerdict() {
    const one = this.judging.judgements[this.place];
    const by = this.game.isHelped(this.place) ? `${text('review.autoplay')} ` : '';
    const words = by + this.#verdict(one);
    fill(this.verdict, one && badge(one.label), one && h('strong', { text: labelOf(one) }), words);
    this.words = this.heading.textContent + text('all.full_stop') + (one ? labelOf(one) : '') + words;
    this.#showWhy(one);
  }

  /** What a mistake gives up; it is asked for once one stays at it. */
  async #showWhy(one) {
    const { place } = this;
    if (one && this.explained === one) return;
    this.explained = one;
    this.why.textContent = '';
    if (!one || !isMistake(one.label)) return;
    await new Promise((resolve) => setTimeout(resolve, WHY_DELAY_MS));
    if (this.explained !== one) return;
    const words = await this.reasons.of(place, one);
    if (this.explained === one) this.why.textContent = words;
  }

  /** What there is to say of the move, without its label. */
  #verdict(one) {
    const { game, place } = this;
    if (place === game.last) return text(this.#isOver ? 'analyse.over' : 'review.unfinished');
    if (!one) {
      const score = text('play.game_score', { score: game.scores[place] });
      return sentence(text('review.not_judged', { move: moveName(game.moves[place]), score }));
    }
    const values = {
      move: moveName(one.move),
      best: moveName(one.best),
      kept: percent(one.ratio),
      target: one.table?.target,
      table: one.table?.name,
    };
    return sentence(text(verdictKey(one), values));
  }

  /** Whether no move is left at the end of the game. */
  get #isOver() {
    const { game } = this;
    return legalMoves(game.tilesAt(game.last), game.rows, game.cols) === '';
  }

  /** The values that the judgement has, as a finished analysis shows them. */
  #showValues() {
    const one = this.judging.judgements[this.place];
    if (!one) {
      this.analysis.clear(this.place === this.game.last ? '' : text('review.no_values'));
    } else {
      this.analysis.show(asAnalysis(one, this.game, this.place));
    }
    this.#markMade();
  }

  #markMade() {
    const made = this.game.moves[this.place];
    const label = this.judging.judgements[this.place]?.label ?? '';
    for (const letter of LETTERS) {
      const row = this.analysis.rows.get(letter).element;
      row.classList.toggle('is-made', letter === made);
      if (letter === made) row.dataset.label = classOf(label);
    }
  }

  #turn() {
    const on = this.live.checked;
    this.element.classList.toggle('is-live', on);
    this.#ref = 0;
    if (this.place === undefined) return;
    if (on) this.#analyse();
    else {
      if (!this.judging.isGoing) net.send({ type: 'stop' });
      this.#showValues();
    }
  }

  /** Ask once one stays at a position, and not for each that one passes. */
  #analyse() {
    clearTimeout(this.timer);
    this.#ref = 0;
    this.#markMade();
    if (this.place === this.game.last) {
      this.analysis.clear();
      return;
    }
    this.analysis.wait();
    this.timer = setTimeout(() => {
      const { game, place } = this;
      this.#ref = net.send({
        type: 'analyse',
        board: game.boards[place],
        rules: game.rules,
        score: String(game.scores[place]),
        player: this.judging.reviewed?.player ?? this.judging.player,
        seconds: SECONDS,
      });
    }, 150);
  }

  #analysed(reply) {
    if (reply.ref !== this.#ref || !this.#ref) return;
    this.analysis.show(reply);
    this.#markMade();
  }
}

function labelOf(one) {
  return sentence(labelName(one.label)) + text('all.full_stop');
}

function verdictKey(one) {
  if (isForced(one)) return 'review.verdict_forced';
  if (one.label === 'perfect') return 'review.verdict_perfect';
  return chanceOf(one, one.move) === null ? 'review.verdict' : 'review.verdict_chance';
}

/**
 * A share in percent, with the digits that tell it from 100.
 *
 * @param {number} ratio
 */
export function percent(ratio) {
  const value = 100 * ratio;
  if (ratio >= 1) return '100';
  return value > 99.9 ? `${fixed(99.9, 1)}+` : fixed(value, 1);
}

/** The judgement as a finished analysis has it. */
function asAnalysis(one, game, place) {
  const best = one.values[LETTERS.indexOf(one.best)];
  return {
    board: game.boards[place],
    final: true,
    best: one.best,
    unit: one.unit,
    player: '',
    depth: '',
    nodes: 0,
    seconds: 0,
    source: '',
    line: [],
    bar: null,
    bar_kind: '',
    table: one.table,
    moves: LETTERS.map((move, index) => {
      const value = one.values[index];
      const legal = value !== null;
      return {
        move,
        legal,
        value,
        ratio: legal ? (one.table ? shareByTable(one, move) : shareOf(value, best)) : null,
        reward: legal ? game.slideAt(place, move).reward : 0,
        depth: 0,
        nodes: 0,
        tried: true,
      };
    }),
  };
}

/** The share of the best value that a value has, 0 to 1; of losses, the other way round. */
function shareOf(value, best) {
  if (value === best) return 1;
  const share = best > 0 ? value / best : best / value;
  return Number.isFinite(share) ? Math.max(0, Math.min(1, share)) : 0;
}
