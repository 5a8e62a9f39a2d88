/** Tells in words what happens in a game, as much as the settings ask for, and what it has reached first. */

import { announce } from '../announce.js';
import { moveName } from '../moves.js';
import { settings } from '../settings.js';
import { joined, text } from '../text.js';
import { hasReached } from './live_game.js';

/** While a player moves, where the game stands is told this often. */
const AUTOPLAY_MS = 6000;

/** Speaks through the live region. */
export class Narrator {
  #toldAt = 0;

  /**
   * @param {object} step a `step` message
   * @param {number} cols columns of the board
   * @param {string} first what it has reached for the first time
   */
  step(step, cols, first) {
    if (first) this.#say(first);
    else if (step.by && step.now.autoplay) this.progress(step.now);
    else {
      const { reward: points, cell, tile, slides, now: { score } } = step;
      const count = slides.filter(([, , merged]) => merged).length / 2;
      this.#say(text(`play.say_${settings.get('say') === 'short' ? 'short' : 'step'}`, {
        move: moveName(step.move), points, row: Math.floor(cell / cols) + 1, column: (cell % cols) + 1,
        tile: String(tile), merges: text('play.merges', { count }), score }));
    }
  }

  /** @param {object} now while a player moves */
  progress(now) {
    if (performance.now() - this.#toldAt < AUTOPLAY_MS) return;
    this.#toldAt = performance.now();
    this.#say(text('play.say_progress', { score: now.score, tile: largest(now) }));
  }

  /** @param {object} state a `game` message */
  state(state) {
    const { now } = state;
    if (state.undone) {
      this.#say(text('play.say_undone', { move: moveName(state.undone), score: now.score }));
    } else {
      this.#say(position(state.rules, now));
    }
  }

  /**
   * @param {string} words what a loss of the connection has meant; a toast says them, too
   * @param {object} state a `game` message
   * @param {object} now where the game stands
   */
  back(words, { rules }, now) {
    const told = now.legal ? position(rules, now) : overText(rules, now);
    this.#say([words, told].filter(Boolean).join(' '));
  }

  /** @param {string} letter that moves nothing */
  illegal(letter) {
    if (settings.get('say') !== 'all') return;
    this.#say(text('play.say_illegal', { move: moveName(letter) }));
  }

  /**
   * @param {object} state a `game` message
   * @param {object} now where it stands: it is over
   * @param {string} first what was reached for the first time
   */
  over({ rules }, now, first) {
    this.#say(`${first} ${overText(rules, now)}`);
  }

  /**
   * @param {number} goal that was reached
   * @param {string} first what else was reached for the first time
   */
  won(goal, first) {
    this.#say(`${first} ${text('play.say_won', { goal: String(goal) })}`);
  }

  /**
   * Read the whole board, whatever the settings say: it was asked for.
   *
   * @param {number[]} tiles
   * @param {number} cols
   */
  board(tiles, cols) {
    const rows = [];
    for (let start = 0; start < tiles.length; start += cols) {
      const words = tiles.slice(start, start + cols).map((tile) => tile || text('board.empty'));
      rows.push(text('play.say_row', { row: rows.length + 1, tiles: joined(words) }));
    }
    announce(rows.join(' '));
  }

  #say(words) {
    if (settings.get('say') !== 'off') announce(words);
  }
}

function position({ rows, cols }, now) {
  return text('play.say_game', { rows, cols, score: now.score, tile: largest(now) });
}

function overText(rules, now) {
  return text(hasReached(now, rules) ? 'play.say_won_over' : 'play.say_over',
    { goal: String(rules.goal), score: now.score, tile: largest(now) });
}

function largest(now) {
  return String(Math.max(...now.tiles));
}

const LEAST_PART = 4; // of the goal: smaller tiles are nothing special
const HAND = new Set(['hand', 'helped']);

/** One game's milestones; each is told once. */
export class Milestones {
  #game = '';
  #told = new Set();

  /**
   * @param {object} state the last `game` message
   * @param {object} before where the game stood
   * @param {object} step a `step` message
   * @returns {string[]} sentences
   */
  of(state, before, { by, now }) {
    if (by || !HAND.has(now.kind)) return [];
    if (state.game !== this.#game) this.#told.clear();
    this.#game = state.game;
    const { rules } = state;
    const tile = Math.max(...now.tiles);
    const isBest = before.score < before.best && now.score > before.best;
    const isLarge = tile > Math.max(state.largest, ...before.tiles) && tile >= rules.goal / LEAST_PART;
    return [
      isBest && this.#once('best') && text('play.first_best'),
      isLarge && this.#once(tile) && text(tile > rules.goal ? 'play.first_largest' : 'play.first_tile', { tile: String(tile) }),
    ].filter(Boolean);
  }

  #once(name) {
    const isNew = !this.#told.has(name);
    this.#told.add(name);
    return isNew;
  }
}
