/** Four moves: to make, to choose from as an answer, and what each is worth. */

import { lossWords } from './analysis_texts.js';
import { button, h } from './dom.js';
import { formatChance } from './figures.js';
import { ARROWS, ICONS, LETTERS, moveName } from './moves.js';
import { text } from './text.js';

/**
 * The D-pad: a button for each move.
 *
 * @param {function(string): void} onMove gets the letter
 */
export function movePad(onMove) {
  return h('div', { class: 'pad' }, LETTERS.map((letter) => button({ icon: ICONS[letter], label: moveName(letter) },
    () => onMove(letter), { class: `pad-${letter}` })));
}

/**
 * A button for each move of a question.
 *
 * @param {(number | null)[]} values of up, right, down and left; null for illegal moves
 * @param {(letter: string) => void} onPick
 */
export function choicePad(values, onPick) {
  return h('div', { key: 'pad', class: 'pad quiz-pad', role: 'group', 'aria-label': text('review.quiz_choose') },
    LETTERS.map((letter, index) => button({ text: ARROWS[letter] }, () => onPick(letter), {
      class: `quiz-move pad-${letter}`, 'aria-label': moveName(letter), disabled: values[index] === null })));
}

/**
 * What the legal moves are worth.
 *
 * @param {object} asked
 * @param {(number | null)[]} asked.values of up, right, down and left; null for illegal moves
 * @param {string} asked.unit of the values: `chance`, `points` or a player's own
 * @param {string} asked.best letter of the best move
 * @param {string} made letter of the move that was made
 * @param {any} mark that stands behind it
 */
export function worthList({ values, unit, best }, made, mark) {
  const most = values[LETTERS.indexOf(best)];
  const words = (letter, value) => (unit === 'chance' ? formatChance(value)
    : letter === best ? text('grade.best') : unit === 'points' ? lossWords(most, value, unit, value / most) : '');
  return h('ul', { class: 'quiz-values number' }, LETTERS.map((letter, index) => values[index] !== null
    && h('li', { class: letter === best ? 'is-best' : '' },
      h('span', { 'aria-hidden': 'true', text: ARROWS[letter] }),
      h('span', { class: 'grow', text: moveName(letter) }), letter === made && mark,
      h('span', { text: words(letter, values[index]) }))));
}
