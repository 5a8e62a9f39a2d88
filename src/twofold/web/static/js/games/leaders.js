/** The leaderboard: one's best games under the same rules. */

import { h, icon } from '../dom.js';
import { scrollBox } from '../lab/scroll_box.js';
import { number, text } from '../text.js';
import { dateText, kindText } from './words.js';

const COLUMNS = ['place', 'score', 'tile', 'moves', 'undos', 'kind', 'date', 'links'];
const RIGHT = new Set(['place', 'score', 'tile', 'moves', 'undos']);

/**
 * A table of the best games.
 *
 * @param {object[]} games `GameInfo`s, the best first
 * @param {number} best score that Play shows: at least that of the first game
 * @returns {HTMLElement}
 */
export function leaderTable(games, best) {
  const heads = COLUMNS.map((name) => h('th', { scope: 'col', class: RIGHT.has(name) ? 'right' : '' },
    name === 'links' ? h('span', { class: 'visually-hidden', text: text('games.column_links') })
      : text(`games.column_${name}`)));
  const table = h('table', { class: 'table my-leaders' },
    h('thead', {}, h('tr', {}, heads)),
    h('tbody', {}, games.map((game, place) => leaderRow(game, place + 1))));
  return h('section', { class: 'my-part', 'aria-labelledby': 'my-leaders' },
    h('h2', { id: 'my-leaders', text: text('games.leaders') }),
    h('p', { class: 'soft small', text: text('games.leaders_note') }),
    best > games[0].score && h('p', { class: 'small', text: text('games.record', { score: best }) }),
    scrollBox(text('games.leaders'), table));
}

function leaderRow(game, place) {
  const { score, max_tile: tile, moves, undos, date } = game;
  const figure = (value) => h('td', { class: 'right', text: value });
  return h('tr', {},
    figure(number(place)),
    h('th', { scope: 'row', class: 'right', text: number(score) }),
    figure(String(tile)), figure(number(moves)), figure(number(undos)),
    h('td', { text: kindText(game.kind) }),
    h('td', { class: 'nowrap', text: dateText(date) }),
    h('td', {}, h('span', { class: 'row my-links' }, links(game))));
}

/** To its review; to the game itself, where it goes on. */
function links({ game, score, status }) {
  const goesOn = status === 'going' || status === 'won';
  const link = (name, href, words) => h('a', { class: 'button icon-button quiet', href,
    title: text(words), 'aria-label': text(`${words}_of`, { score }) }, icon(name));
  return [link('review', `/review?game=${game}`, 'games.review'),
    goesOn && link('play', `/?game=${game}`, 'games.open')];
}
