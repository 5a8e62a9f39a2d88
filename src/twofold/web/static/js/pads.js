/** Four moves: to make, to choose from as an answer, and what each is worth. */

import { button, h } from './dom.js';
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
 * @param {{values: (number | null)[], best: string}} asked
 * @param {(letter: string, value: number) => any} about what stands behind the name of a move
 */
export function worthList({ values, best }, about) {
  return h('ul', { class: 'quiz-values number' }, LETTERS.map((letter, index) => values[index] !== null
    && h('li', { class: letter === best ? 'is-best' : '' },
      h('span', { 'aria-hidden': 'true', text: ARROWS[letter] }),
      h('span', { class: 'grow', text: moveName(letter) }), about(letter, values[index]))));
}
