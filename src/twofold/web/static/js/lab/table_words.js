/** Headings and cells of the server's tables, which are English, in the language of the page. */

import { group, point, text } from '../text.js';

const HEADINGS = {
  '95 % interval': 'interval',
  best: 'best',
  ended: 'ended',
  'ended, %': 'ended_share',
  'first asked for': 'asked',
  games: 'games',
  'going on, %': 'going',
  'in % of B': 'relative',
  'mean score': 'mean',
  median: 'median',
  'median, 99 %': 'spread',
  'moves/s': 'speed',
  player: 'player',
  'reached or given, %': 'reached_given',
  'reached, % of games': 'reached_games',
  signature: 'signature',
  spec: 'spec',
  tile: 'tile',
  'tile sum': 'sum',
  'time a move': 'time_a_move',
  'won, equal, lost': 'results',
};

const NUMBER = /\d+(?:,\d{3})*(?:\.\d+)?/g;

/**
 * Whether a heading has words in the language of the page.
 *
 * @param {string} title
 */
export function isKnown(title) {
  return Object.hasOwn(HEADINGS, title);
}

/**
 * A heading; one that is not known, such as `A` or a tile, stays.
 *
 * @param {string} title
 */
export function headingWords(title) {
  return isKnown(title) ? text(`lab.column_${HEADINGS[title]}`) : title;
}

/**
 * A cell of figures: `4,575.5 to 5,035`.
 *
 * @param {string} cell
 */
export function cellWords(cell) {
  const [low, high] = cell.split(' to ').map(numberWords);
  return high === undefined ? low : text('lab.from_to', { low, high });
}

function numberWords(words) {
  return words.replace(NUMBER, (found) => found.replace(/[,.]/g, (sign) => (sign === ',' ? group : point)));
}
