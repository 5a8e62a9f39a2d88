/** Why a file cannot be read, as a person says it. */

import { text } from '../text.js';

/**
 * @param {string} words as the server says it: `expected X, got 'name': the reason`
 * @returns {string} a sentence with the reason alone
 */
export function faultWords(words) {
  const [, reason] = /^expected [^:]*: (.+)$/s.exec(words) ?? [null, words];
  return text('lab.unreadable', { reason });
}
