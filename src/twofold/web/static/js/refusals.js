/**
 * What a person reads where the server refuses: what to do, by the kind of the refusal.
 *
 * The server's own sentence says what was expected and what came; it stays as the detail.
 */

import { fullSentence, text } from './text.js';

/** Kinds that the catalogue has a sentence for: `refusal.KIND`. */
const KINDS = new Set([
  'CellOccupied', 'ConnectionLost', 'GameOver', 'IllegalMove', 'InternalError', 'InvalidBoard',
  'InvalidRecord', 'InvalidRules', 'InvalidSeed', 'NotFound', 'NothingToRedo',
  'NothingToUndo', 'ResourceError', 'StaleMove', 'TileTooLarge', 'TooLarge', 'UnsupportedRules',
]);

/** The server's sentence about a name that no player has; `shown` in Python quotes the name. */
const UNKNOWN = /^expected a player (?:\(.*\)|name .*), got '(.+?)'(?:; did you mean (.+)\?)?$/;

/** The server's sentence about a text of several games. */
const SEVERAL = /^expected one (?:game|board), got several/;

/**
 * A sentence for a refusal.
 *
 * @param {string} kind name of the error's class
 * @param {string} message of the server, shown where the catalogue has no sentence for the kind
 */
export function refusalText(kind, message) {
  if (SEVERAL.test(message)) return text('refusal.several');
  if (KINDS.has(kind)) return text(`refusal.${kind}`);
  const [, name, similar] = UNKNOWN.exec(message) ?? [];
  if (name) return text(`refusal.unknown_${similar ? 'similar' : 'player'}`, { name, similar });
  return text('refusal.other', { message: fullSentence(message) });
}

/**
 * Show an error in its place, with the server's sentence behind it.
 *
 * @param {HTMLElement} element
 * @param {Error | null} error null for none
 */
export function showRefusal(element, error) {
  element.textContent = error?.message ?? '';
  element.title = error?.detail ?? '';
}
