/** What else there is to do today: the daily game, a puzzle, the last game, a lesson. */

import { h, icon } from '../dom.js';
import { text } from '../text.js';

/**
 * Links in a strip under the board.
 *
 * @param {{daily: object|null, last: object|null}} found the daily games and the game to go on with,
 *   as the server says; null while not known
 * @returns {HTMLElement}
 */
export function todayView({ daily, last }) {
  return h('nav', { class: 'today', 'aria-label': text('play.offers') },
    offer('daily', '/daily', text('nav.daily'), dailyText(daily)),
    offer('dice', '/practice#day', text('practice.puzzle_today'), text('play.offer_puzzle')),
    last ? offer('play', `/?game=${last.game}`, text('play.offer_last'),
      text('play.game_score', { score: last.score }))
      : offer('games', '/games', text('nav.games'), text('play.offer_games')),
    offer('help', '/learn', text('nav.learn'), text('play.offer_lesson')));
}

function offer(name, href, title, note) {
  return h('a', { class: 'today-link', href, key: name }, icon(name),
    h('span', {}, h('strong', { text: title }), h('small', { class: 'soft', text: note })));
}

function dailyText(daily) {
  const game = daily?.tries.find(({ day }) => day === daily.today)?.game;
  if (!game) return text('play.offer_today');
  const isOver = game.status === 'over' || game.status === 'stopped';
  return text(isOver ? 'play.game_score' : 'play.offer_going', { score: game.score });
}
