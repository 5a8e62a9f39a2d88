/** What a loss of the connection has meant, in words. */

import { text } from '../text.js';

/**
 * @param {import('./loss.js').Found} found
 * @returns {string} empty where nothing was lost
 */
export function lossText({ dropped, isBehind, isStopped }) {
  return [
    dropped && text('play.dropped', { count: dropped }),
    isBehind && text('play.behind'),
    isStopped && text('play.stopped'),
  ].filter(Boolean).join(' ');
}
