/** The daily game of one day: to be begun, to go on with, or its result. */

import { BoardView } from '../board.js';
import { figureList } from '../controls.js';
import { copyText } from '../copying.js';
import { button, h, part } from '../dom.js';
import { analysisLink } from '../links.js';
import { exponentsOf, shapeOf, tilesOf } from '../notation.js';
import { number, text } from '../text.js';
import { dayText } from './days.js';

/**
 * How far a day is: `none`, `going`, `later` (over, begun on a later day) or `done`.
 *
 * @param {object | undefined} tried a `DailyTry`
 * @returns {string}
 */
export function stateOf(tried) {
  if (!tried) return 'none';
  if (tried.game.status !== 'over') return 'going';
  return tried.later ? 'later' : 'done';
}

/**
 * The card of the day that is chosen.
 *
 * @param {object} found a `DailyGames` of the server
 * @param {string} day
 * @param {string} error why the game does not begin
 * @param {function(string): void} play begins the game of a day, or goes on with it
 */
export function dayCard({ today, tries }, day, error, play) {
  const tried = tries.find((one) => one.day === day);
  const state = stateOf(tried);
  const seed = day.replaceAll('-', '');
  return h('section', { class: 'card stack', 'aria-labelledby': 'daily-day' },
    h('div', null, h('h2', { id: 'daily-day', text: dayText(day) }),
      h('p', { class: 'soft', text: whenText(day, today, tried) })),
    tried && h('div', { key: 'try', class: 'daily-try line' }, boardOf(tried.game), facts(tried.game)),
    state === 'none' || state === 'going' ? h('div', { key: 'play', class: 'row' },
      button({ text: text(state === 'none' ? 'daily.play' : 'daily.resume') }, () => play(day), { class: 'primary' }))
      : result(day, tried.game),
    h('p', { class: 'error', role: 'alert', text: error }),
    h('p', { class: 'small soft' }, text('daily.seed', { seed }), ' ',
      h('code', { class: 'nowrap', text: `twofold play --seed ${seed}` })));
}

/** Whether the day is today, and whether it was played later. */
function whenText(day, today, tried) {
  if (tried?.later) return text('daily.later');
  if (tried && day !== today) return text('daily.on_time');
  return text(day === today ? 'daily.today' : 'daily.past');
}

function boardOf({ board }) {
  const view = new BoardView({ compact: true });
  view.show(tilesOf(board));
  return part(view.element);
}

function facts({ score, max_tile: tile, moves }) {
  return figureList('my-figures card fit', [[text('daily.score'), number(score)], [text('daily.tile'), String(tile)],
    [text('daily.moves'), number(moves)]]);
}

/** What came of it, and a way to tell others. */
function result(day, game) {
  const words = resultText(day, game);
  const copy = () => copyText(words, text('daily.copied'), text('daily.not_copied'));
  return h('div', { key: 'result', class: 'stack' },
    h('div', { class: 'row' },
      button({ text: text('daily.copy') }, copy, { class: 'primary' }),
      h('a', { class: 'button', href: analysisLink({ game: game.game }), text: text('play.review') })),
    preview(words, game));
}

/** The text to copy. */
function preview(words, { board, max_tile: tile }) {
  const [title, facts] = words.split('\n');
  return h('details', { class: 'small' }, h('summary', { text: text('daily.preview') }),
    h('p', { text: title }), h('p', { text: facts }),
    h('pre', { class: 'daily-squares', role: 'img', text: squaresOf(board),
      'aria-label': text('daily.squares', { tile: String(tile) }) }));
}

/** A square for each exponent: the tiles of the end of a game have one each. */
const SQUARES = ['⬜', '🟫', '🟫', '🟫', '🟨', '🟨', '🟧', '🟧', '🟥', '🟪', '🟦', '🟩'];

/** From 4096 on a picture for each. */
const LARGE = ['⭐', '💎', '👑', '🏆', '🚀'];

/** The text of a board as rows of squares. */
function squaresOf(board) {
  const { rows, cols } = shapeOf(board);
  const squares = exponentsOf(board).map(squareOf);
  return Array.from({ length: rows }, (_, row) => squares.slice(row * cols, (row + 1) * cols).join('')).join('\n');
}

/**
 * The text to copy.
 *
 * @param {string} day such as `2026-11-23`
 * @param {object} game a `GameInfo`
 * @returns {string}
 */
function resultText(day, { score, moves, max_tile: tile, board }) {
  const facts = text('daily.result_facts', { score, tile: String(tile), count: moves });
  return [text('daily.result_title', { day }), facts, squaresOf(board)].join('\n');
}

function squareOf(exponent) {
  return SQUARES[exponent] ?? LARGE[Math.min(exponent - SQUARES.length, LARGE.length - 1)];
}
