/** The daily game: one game a day, the same for everyone, with one try. */

import { BoardView } from '../board.js';
import { copyText, dayPicker, figureList } from '../controls.js';
import { button, h, part, render } from '../dom.js';
import { dayAfter, dayText } from '../games/words.js';
import { analysisLink } from '../links.js';
import { net } from '../net.js';
import { exponentsOf, shapeOf, tilesOf } from '../notation.js';
import { locale, number, text } from '../text.js';

/** A square for each exponent: the tiles of the end of a game have one each; from 4096 on a picture for each. */
const SQUARES = [...'⬜🟫🟫🟫🟨🟨🟧🟧🟥🟪🟦🟩⭐💎👑🏆🚀'];

/**
 * @param {HTMLElement} root
 * @param {object} context as of main.js
 */
export function mount(root, context) {
  new DailyPage(root, context).load();
}

class DailyPage {
  #found = null; // a `DailyGames` of the server; null before it has said
  #day = ''; // that is chosen
  #status = text('all.loading');
  #error = ''; // why the game does not begin

  constructor(root, { params, navigate, signal }) {
    Object.assign(this, { params, navigate, signal });
    this.element = h('div', { class: 'daily stack wide' });
    root.append(this.element);
    this.#draw();
  }

  /** Ask the server, and show the day of the address, or today. */
  async load() {
    try {
      this.#found = await net.get('/api/daily');
    } catch (error) {
      this.#status = error.message;
      net.afterLoss(error, () => this.load());
      return void this.#draw();
    }
    const { first, today } = this.#found;
    const day = this.params.get('day') ?? '';
    const isOpen = /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)) && day >= first && day <= today;
    this.#day = isOpen ? day : today;
    this.#draw();
  }

  #pick(day) {
    window.history.replaceState(null, '', `/daily${day === this.#found.today ? '' : `?day=${day}`}`);
    [this.#day, this.#error] = [day, ''];
    this.#draw();
  }

  async #play() {
    try {
      const { game } = await net.post('/api/daily', { day: this.#day });
      if (!this.signal.aborted) this.navigate(`/?game=${game}`);
    } catch (error) {
      this.#error = error.message;
      net.afterLoss(error, () => this.#pick(this.#day));
      this.#draw();
    }
  }

  #draw() {
    const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(new Date().setUTCHours(24, 0));
    const streak = this.#found ? streakOf(this.#found) : 0;
    render(this.element,
      h('div', { class: 'stack tight' }, h('h1', { text: text('nav.daily') }),
        h('p', { class: 'daily-intro', text: text('daily.intro', { time }) }),
        streak > 1 && h('p', { class: 'practice-streak', text: text('practice.streak', { count: streak }) })),
      this.#found ? h('div', { key: 'parts', class: 'daily-parts' }, this.#card(this.#found), this.#played(this.#found))
        : h('p', { class: 'soft', role: 'status', text: this.#status }));
  }

  /** The game of the day that is chosen: to be begun, to go on with, or its result. */
  #card({ first, today, tries }) {
    const day = this.#day;
    const tried = tries.find((one) => one.day === day);
    const when = tried?.later ? 'later' : day === today ? 'today' : tried ? 'on_time' : 'past';
    const seed = day.replaceAll('-', '');
    const play = (key) => h('div', { key: 'play', class: 'row' }, button({ text: text(key) }, () => this.#play(), { class: 'primary' }));
    return h('section', { class: 'card stack', 'aria-labelledby': 'daily-day' },
      dayPicker({ day, first, today }, (picked) => this.#pick(picked)),
      h('div', null, h('h2', { id: 'daily-day', text: dayText(day) }),
        h('p', { class: 'soft', text: text(`daily.${when}`) })),
      tried && tryView(tried.game),
      !tried ? play('daily.play') : isOver(tried) ? result(day, tried.game) : play('daily.resume'),
      h('p', { class: 'error', role: 'alert', text: this.#error }),
      h('p', { class: 'small soft' }, text('daily.seed', { seed }), ' ',
        h('code', { class: 'nowrap', text: `twofold play --seed ${seed}` })));
  }

  /** The days that were played, the last one first. */
  #played({ tries }) {
    const state = (tried) => (!isOver(tried) ? 'going' : tried.later ? 'later' : 'done');
    return tries.length > 0 && h('section', { class: 'card stack near', 'aria-labelledby': 'daily-played' },
      h('h2', { id: 'daily-played', text: text('daily.played') }),
      h('ul', { class: 'daily-days' }, tries.map((tried) => h('li', { key: tried.day },
        h('button', { type: 'button', class: 'bare number', 'aria-pressed': String(tried.day === this.#day), onclick: () => this.#pick(tried.day),
          text: text(`daily.day_${state(tried)}`, { day: dayText(tried.day), score: tried.game.score }) })))));
  }
}

/** On how many days in a row the game of the day was played, up to today or yesterday. */
function streakOf({ today, tries }) {
  const days = new Set(tries.filter(({ later }) => !later).map(({ day }) => day));
  let count = 0;
  for (let day = days.has(today) ? today : dayAfter(today, -1); days.has(day); day = dayAfter(day, -1)) count += 1;
  return count;
}

const isOver = ({ game }) => game.status === 'over';

function tryView({ board, score, max_tile: tile, moves }) {
  const view = new BoardView({ compact: true });
  view.show(tilesOf(board));
  return h('div', { key: 'try', class: 'daily-try line' }, part(view.element), figureList('my-figures card fit', [
    [text('daily.score'), number(score)], [text('daily.tile'), String(tile)], [text('daily.moves'), number(moves)]]));
}

/** What came of it, and a way to tell others. */
function result(day, { game, score, moves, max_tile: tile, board }) {
  const title = text('daily.result_title', { day });
  const made = text('daily.result_facts', { score, tile: String(tile), count: moves });
  const squares = squaresOf(board);
  const copy = () => copyText([title, made, squares].join('\n'), text('daily.copied'), text('daily.not_copied'));
  return h('div', { key: 'result', class: 'stack' },
    h('div', { class: 'row' }, button({ text: text('daily.copy') }, copy, { class: 'primary' }),
      h('a', { class: 'button', href: analysisLink({ game }), text: text('play.review') })),
    h('details', { class: 'small' }, h('summary', { text: text('daily.preview') }), h('p', { text: title }), h('p', { text: made }),
      h('pre', { class: 'daily-squares', role: 'img', text: squares, 'aria-label': text('daily.squares', { tile: String(tile) }) })));
}

/** The text of a board as rows of squares. */
function squaresOf(board) {
  const { rows, cols } = shapeOf(board);
  const squares = exponentsOf(board).map((exponent) => SQUARES[exponent] ?? SQUARES.at(-1));
  return Array.from({ length: rows }, (_, row) => squares.slice(row * cols, (row + 1) * cols).join('')).join('\n');
}
