/** What a question of a move consists of: four moves to choose from, then what each is worth. */

import { button, h } from './dom.js';
import { ARROWS, LETTERS, moveName } from './moves.js';
import { text } from './text.js';

/**
 * A button for each move.
 *
 * @param {(number | null)[]} values of up, right, down and left; null for illegal moves
 * @param {(letter: string) => void} onPick
 */
export function choicePad(values, onPick) {
  return h('div', { key: 'pad', class: 'quiz-pad', role: 'group', 'aria-label': text('review.quiz_choose') },
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
