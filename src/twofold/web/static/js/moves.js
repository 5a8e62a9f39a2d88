/** The four moves: letters, names, arrows and keys. */

import { text } from './text.js';

/** Letters in the order of every list of moves: up, right, down, left. */
export const LETTERS = ['u', 'r', 'd', 'l'];

/** Arrow of each letter. */
export const ARROWS = { u: '↑', r: '→', d: '↓', l: '←' };

/** Icon of each letter. */
export const ICONS = { u: 'up', l: 'left', d: 'down', r: 'right' };

const KEYS = {
  ArrowUp: 'u', ArrowRight: 'r', ArrowDown: 'd', ArrowLeft: 'l',
  w: 'u', d: 'r', s: 'd', a: 'l',
  k: 'u', l: 'r', j: 'd', h: 'l',
};

/**
 * Name of a move in words, such as `up`.
 *
 * @param {string} letter
 * @returns {string}
 */
export function moveName(letter) {
  return text(`move.${letter}`);
}

/**
 * What a key means, whatever layout the keyboard has: a letter in lower case or the key's name.
 *
 * @param {KeyboardEvent} event
 * @returns {string} on layouts without Latin letters, the letter at that place
 */
export function keyOf(event) {
  if (event.key.length > 1) return event.key;
  const isLatin = event.key.charCodeAt(0) < 128;
  if (!isLatin && event.code.startsWith('Key')) return event.code.slice(3).toLowerCase();
  return event.key.toLowerCase();
}

/**
 * The move that a key makes.
 *
 * @param {KeyboardEvent} event
 * @returns {string} a letter; empty for other keys and while Ctrl, Alt or Meta is held
 */
export function moveOfKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return '';
  return KEYS[keyOf(event)] ?? '';
}
