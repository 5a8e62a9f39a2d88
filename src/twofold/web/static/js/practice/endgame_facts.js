/** What stands beside the board of a practice game: chances, measures, mistakes. */

import { button, fill, h } from '../dom.js';
import { formatChance, formatFit } from '../figures.js';
import { ARROWS, LETTERS, moveName } from '../moves.js';
import { number, sentence, text } from '../text.js';
import { measure } from './measures.js';

/** Mistakes that are listed, worst first. */
const MOST_LISTED = 5;

/** The chances of the four moves; rows keep their places whatever is shown. */
export class ChanceTable {
  /** @param {(letter: string) => void} onMove */
  constructor(onMove) {
    this.caption = h('p', { class: 'soft small' });
    this.rows = new Map(LETTERS.map((letter) => [letter, chanceRow(letter, onMove)]));
    this.element = h('div', { class: 'stack tight' }, this.caption,
      h('div', { class: 'chances number', role: 'group', 'aria-label': text('review.quiz_choose') },
        [...this.rows.values()].map((row) => row.element)));
  }

  /**
   * @param {string} caption what the chances are of
   * @param {(number | null)[] | null} chances null to hide them
   * @param {string} made letter of the move made there; empty for none
   * @param {string} legal letters of the moves that can be made now
   */
  show(caption, chances, made, legal) {
    this.caption.textContent = caption;
    const most = chances ? Math.max(...chances.map((chance) => chance ?? 0)) : 0;
    for (const [index, letter] of LETTERS.entries()) {
      const { element, fill: bar, value } = this.rows.get(letter);
      const chance = chances?.[index] ?? null;
      element.disabled = !legal.includes(letter);
      element.classList.toggle('is-best', chance !== null && most > 0 && chance === most);
      element.classList.toggle('is-made', letter === made);
      bar.style.transform = `scaleX(${chance ?? 0})`;
      value.textContent = chance === null ? '–' : formatChance(chance);
    }
  }
}

function chanceRow(letter, onMove) {
  const bar = h('span', { class: 'chance-fill' });
  const value = h('span', { class: 'chance-value' });
  const element = h('button', { type: 'button', class: 'bare chance-row', onclick: () => onMove(letter) },
    h('span', { class: 'analysis-arrow', 'aria-hidden': 'true', text: ARROWS[letter] }),
    h('span', { class: 'chance-name', text: moveName(letter) }),
    h('span', { class: 'chance-bar', 'aria-hidden': 'true' }, bar), value);
  return { element, fill: bar, value };
}

/** Match rate, combo, goodness of fit, and the mistakes. */
export class Measures {
  /** @param {(place: number) => void} onRetry goes back to before a mistake */
  constructor(onRetry) {
    this.onRetry = onRetry;
    this.figures = h('dl', { class: 'review-figures' });
    this.list = h('ul', { class: 'practice-mistakes' });
    this.heading = h('h3', { text: text('practice.mistakes') });
    this.element = h('section', { class: 'stack', 'aria-label': text('practice.measures') },
      this.figures, this.heading, this.list);
  }

  /**
   * @param {import('./measures.js').Judged[]} moves
   * @param {boolean} isSecret whether mistakes are not told yet
   */
  show(moves, isSecret) {
    const all = measure(moves);
    const dash = '–';
    fill(this.figures,
      figure('match', all.choices && !isSecret ? formatChance(all.matches / all.choices) : dash),
      figure('combo', isSecret ? dash : number(all.combo)),
      figure('longest', isSecret ? dash : number(all.longest)),
      figure('fit', isSecret || !all.choices ? dash : formatFit(all.fit)));
    const listed = isSecret ? [] : all.mistakes.slice(0, MOST_LISTED);
    this.heading.hidden = !listed.length;
    fill(this.list, listed.map((one) => this.#mistake(one)));
  }

  #mistake({ place, move, best, before, after }) {
    const words = text('practice.mistake', {
      number: place + 1, move: moveName(move), best: moveName(best),
      before: chanceWords(before), after: chanceWords(after),
    });
    return h('li', {}, h('span', { class: 'grow', text: words }),
      button({ icon: 'undo', label: text('practice.retry', { number: place + 1 }) },
        () => this.onRetry(place)));
  }
}

function figure(name, value) {
  return h('div', { class: 'review-figure', title: text(`practice.${name}_help`) },
    h('dt', { text: text(`practice.${name}`) }), h('dd', { class: 'number', text: value }));
}

/**
 * A chance in a sentence, which is not broken before its sign.
 *
 * @param {number} chance
 */
export function chanceWords(chance) {
  return formatChance(chance).replace(' ', '\u00a0');
}

/**
 * What the last move lost, in a sentence; empty where it was the best one.
 *
 * @param {import('./measures.js').Judged | undefined} last
 */
export function lossWords(last) {
  if (!last || last.isBest) return '';
  return sentence(text('practice.move_lost', {
    move: moveName(last.move), best: moveName(last.best),
    before: chanceWords(last.before), after: chanceWords(last.after),
  }));
}
