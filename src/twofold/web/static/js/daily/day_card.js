/** The daily game of one day: to be begun, to go on with, or its result. */

import { BoardView } from '../board.js';
import { copyText } from '../copying.js';
import { button, fill, h } from '../dom.js';
import { analysisLink } from '../links.js';
import { exponentsOf, shapeOf, tilesOf } from '../notation.js';
import { number, text } from '../text.js';
import { stateOf } from './calendar.js';
import { dayText } from './days.js';

/** The card of the day that is chosen. */
export class DayCard {
  /** @param {function(string): Promise<void>} play begins the game of a day, or goes on with it */
  constructor(play) {
    this.play = play;
    this.element = h('section', { class: 'card stack', 'aria-labelledby': 'daily-day' });
  }

  /**
   * @param {object} found a `DailyGames` of the server
   * @param {string} day
   */
  show({ today, tries }, day) {
    const tried = tries.find((one) => one.day === day);
    const state = stateOf(tried);
    this.error = h('p', { class: 'error', role: 'alert' });
    fill(this.element,
      h('div', {}, h('h2', { id: 'daily-day', text: dayText(day) }),
        h('p', { class: 'soft', text: whenText(day, today, tried) })),
      tried && h('div', { class: 'daily-try' }, boardOf(tried.game), facts(tried.game)),
      state === 'none' || state === 'going' ? this.#playButton(day, state) : result(day, tried.game),
      this.error, seedNote(day));
  }

  #playButton(day, state) {
    const run = () => this.play(day).catch((error) => { this.error.textContent = error.message; });
    return h('div', { class: 'row' },
      button({ text: text(state === 'none' ? 'daily.play' : 'daily.resume') }, run, { class: 'primary' }));
  }
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
  return view.element;
}

function facts({ score, max_tile: tile, moves }) {
  const pairs = [['score', number(score)], ['tile', String(tile)], ['moves', number(moves)]];
  return h('dl', { class: 'my-figures' }, pairs.map(([name, value]) => h('div', {},
    h('dt', { text: text(`daily.${name}`) }), h('dd', { class: 'number', text: value }))));
}

/** What came of it, and a way to tell others. */
function result(day, game) {
  const words = resultText(day, game);
  return h('div', { class: 'stack' },
    h('div', { class: 'row' },
      button({ text: text('daily.copy') }, () => copy(words), { class: 'primary' }),
      h('a', { class: 'button', href: analysisLink({ game: game.game }), text: text('play.review') })),
    preview(words, game));
}

/** The text to copy, and what its squares mean. */
function preview(words, { board, max_tile: tile }) {
  const [title, facts] = words.split('\n');
  return h('details', { class: 'small' }, h('summary', { text: text('daily.preview') }),
    h('p', { text: title }), h('p', { text: facts }),
    h('pre', { class: 'daily-squares', role: 'img', text: squaresOf(board),
      'aria-label': text('daily.squares', { tile: String(tile) }) }),
    legend());
}

function legend() {
  const range = (from, to) => (from === to ? String(from)
    : text(to > 65536 ? 'daily.legend_more' : 'daily.legend_range', { from: String(from), to: String(to) }));
  return h('ul', { class: 'daily-legend', 'aria-label': text('daily.legend') },
    LEGEND.map(([square, from, to]) => h('li', {},
      h('span', { 'aria-hidden': 'true', text: square }), range(from, to))));
}

function copy(words) {
  copyText(words, text('daily.copied'), text('daily.not_copied'));
}

function seedNote(day) {
  const seed = day.replaceAll('-', '');
  return h('p', { class: 'small soft' }, text('daily.seed', { seed }), ' ',
    h('code', { class: 'nowrap', text: `twofold play --seed ${seed}` }));
}

/** A square for each exponent: the tiles of the end of a game have one each. */
const SQUARES = ['⬜', '🟫', '🟫', '🟫', '🟨', '🟨', '🟧', '🟧', '🟥', '🟪', '🟦', '🟩'];

/** From 4096 on a picture for each. */
const LARGE = ['⭐', '💎', '👑', '🏆', '🚀'];

/** What each square stands for: the smallest and the largest tile of it. */
const LEGEND = [['🟫', 2, 8], ['🟨', 16, 32], ['🟧', 64, 128], ['🟥', 256, 256],
  ['🟪', 512, 512], ['🟦', 1024, 1024], ['🟩', 2048, 2048], ['⭐', 4096, 4096], ['💎', 8192, 8192],
  ['👑', 16384, 16384], ['🏆', 32768, 32768], ['🚀', 65536, 65536 * 2]];

/**
 * A board as rows of squares.
 *
 * @param {string} board its text
 * @returns {string}
 */
function squaresOf(board) {
  const { cols } = shapeOf(board);
  const squares = exponentsOf(board).map(squareOf);
  const rows = [];
  for (let start = 0; start < squares.length; start += cols) {
    rows.push(squares.slice(start, start + cols).join(''));
  }
  return rows.join('\n');
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
