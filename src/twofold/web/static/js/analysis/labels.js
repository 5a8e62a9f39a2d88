/** Labels of moves: their signs, classes and names, from the best to the worst. */

import { h } from '../dom.js';
import { text } from '../text.js';

/** Labels in order, with the sign that stands for each: as chess players write them. */
const SIGNS = {
  perfect: '★',
  excellent: '!',
  good: '=',
  inaccuracy: '?!',
  mistake: '?',
  blunder: '??',
  'severe blunder': '✕',
};

/** Labels from the best to the worst. */
export const LABELS = Object.keys(SIGNS);

const MISTAKES = new Set(['mistake', 'blunder', 'severe blunder']);

/**
 * Whether moves of a label are mistakes.
 *
 * @param {string} label
 */
export function isMistake(label) {
  return MISTAKES.has(label);
}

/**
 * Whether moves of a label have a mark in the list of moves.
 *
 * @param {string} label
 */
export function isMarked(label) {
  return isMistake(label) || label === 'inaccuracy';
}

/**
 * The sign of a label.
 *
 * @param {string} label
 */
export function signOf(label) {
  return SIGNS[label] ?? '';
}

/**
 * The name of a label as people read it.
 *
 * @param {string} label
 */
export function labelName(label) {
  return text(`review.label_${kindOf(label)}`);
}

/**
 * What a move of a label was, as in a sentence: `a severe blunder`.
 *
 * @param {string} label
 */
export function labelPhrase(label) {
  return text(`review.was_${kindOf(label)}`);
}

/**
 * The last part of the class names of a label: `severe-blunder` as in `label-severe-blunder`.
 *
 * @param {string} label
 */
export function classOf(label) {
  return label.replace(' ', '-');
}

/**
 * A round badge with the sign of a label; its name has to stand beside it.
 *
 * @param {string} label
 * @returns {HTMLElement}
 */
export function badge(label) {
  return h('span', {
    class: `label-badge label-${classOf(label)}`,
    'aria-hidden': 'true',
    text: signOf(label),
  });
}

function kindOf(label) {
  return label.replace(' ', '_');
}
