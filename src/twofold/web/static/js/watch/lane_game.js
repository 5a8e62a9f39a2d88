/** One game of a race: what the server says of it, and what it is asked. */

import { net } from '../net.js';
import { isFinished } from '../play/intents.js';

/**
 * @typedef {object} LaneEvents
 * @property {() => void} changed something to draw has changed
 * @property {(step: object) => void} stepped a move was made that may be animated
 * @property {(message: string) => void} failed the game cannot go on
 */

/** A game that is not kept, and the player who plays it. */
export class LaneGame {
  #looking = false;
  #wanted = null;
  #follows = 0; // counts the returns to the newest position: what was looked at before is late

  /**
   * @param {string} spec of the player; empty for the default one
   * @param {LaneEvents} events
   */
  constructor(spec, events) {
    this.spec = spec;
    this.events = events;
    this.rate = new Rate();
    this.#forget();
  }

  #forget() {
    this.game = '';
    this.now = null;
    this.rules = null;
    this.first = 0;
    this.shown = null; // an earlier position; null for the newest
    this.isRunning = false;
    this.isRefused = false; // its player cannot play: it is out of the race
    this.isReady = false; // its player is loaded: it has made a move
    this.ref = 0; // of the last request to play
    this.reported = null;
    this.#wanted = null;
    this.rate.clear();
  }

  /** The newest move number. */
  get last() {
    return this.now?.move_number ?? 0;
  }

  /** Whether no move follows. */
  get isFinished() {
    return this.now !== null && isFinished(this.now);
  }

  /** Whether its player is being loaded. */
  get isPreparing() {
    return this.isRunning && !this.isReady;
  }

  /** What is to be seen: the position looked at, or the newest. */
  get position() {
    return this.shown ?? this.now;
  }

  /** Moves a second, as the server or the page counted them. */
  get movesPerSecond() {
    return this.isRunning ? this.reported ?? this.rate.perSecond : null;
  }

  /**
   * Begin a new game.
   *
   * @param {{rules: string, seed: string}} dice
   * @returns {Promise<void>} rejects where the server refuses
   */
  async begin({ rules, seed }) {
    this.close();
    const mine = {};
    this.begun = mine;
    const state = await net.ask({ type: 'new', rules, seed, keep: false });
    if (this.begun !== mine) {
      net.send({ type: 'close', game: state.game });
      return;
    }
    this.game = state.game;
    this.rules = state.rules;
    this.seed = state.seed;
    this.first = state.first;
    this.milestones = new Milestones((move) => this.#ask('view', { move_number: move }),
      smallestMilestone(state.rules), () => this.events.changed());
    this.#take(state.now);
  }

  #ask(type, more = {}) {
    return net.ask({ type, game: this.game, ...more });
  }

  /**
   * Let the player move.
   *
   * @param {number | null} speed moves a second; null for as many as it can
   * @param {number} stopTile where to pause; 0 for nowhere
   * @param {number} moves how many; 0 for no limit
   */
  run(speed, stopTile, moves = 0) {
    if (!this.game || this.isFinished) return;
    this.isRunning = true;
    this.isRefused = false;
    this.reported = null;
    this.ref = net.send({
      type: 'autoplay', game: this.game, player: this.spec, moves_per_second: speed,
      stop_tile: stopTile > this.largest ? stopTile : 0, moves,
    });
  }

  /** Largest tile of the newest position. */
  get largest() {
    return this.now ? Math.max(...this.now.tiles) : 0;
  }

  /** Let the player move no more. */
  pause() {
    if (this.isRunning) net.send({ type: 'pause', game: this.game });
    this.isRunning = false;
    this.rate.clear();
  }

  /**
   * Look at an earlier position; of many asked for at once, the last one is shown.
   *
   * @param {number} move
   */
  async look(move) {
    this.#wanted = Math.max(this.first, Math.min(move, this.last));
    if (this.#looking) return;
    this.#looking = true;
    while (this.#wanted !== null) await this.#lookOnce(this.#wanted);
    this.#looking = false;
  }

  async #lookOnce(move) {
    const { game } = this;
    const follows = this.#follows;
    this.#wanted = null;
    const position = move === this.last ? this.now
      : await this.#ask('view', { move_number: move }).catch(() => null);
    if (position && game === this.game && follows === this.#follows) {
      this.shown = position;
      this.events.changed();
    }
  }

  /** Look at the newest position again. */
  follow() {
    this.#follows += 1;
    this.#wanted = null;
    this.shown = null;
    this.events.changed();
  }

  /** @param {object} reply a `step`, `frame` or `ended` message; others' are left alone */
  receive(reply) {
    if (!this.game || reply.game !== this.game) return;
    this.isReady = true;
    if (reply.type === 'frame') this.reported = reply.moves_per_second;
    if (reply.type === 'step') this.reported = null;
    if (reply.type === 'ended') this.isRunning = false;
    const isNext = reply.now.move_number === this.last + 1;
    this.#take(reply.now);
    if (reply.type === 'step' && isNext && !this.shown) this.events.stepped(reply);
    if (reply.type === 'ended' && reply.reason === 'failed') this.events.failed(reply.message);
    if (reply.type === 'ended') this.rate.clear();
  }

  /** @param {object} reply a `refused` message; others' are left alone */
  refuse(reply) {
    if (!this.ref || reply.ref !== this.ref) return;
    this.isRunning = false;
    this.isRefused = true;
    this.events.failed(reply.message);
  }

  #take(now) {
    this.now = now;
    this.milestones.note(this.largest, now.move_number);
    this.rate.note(now.move_number);
    this.events.changed();
  }

  /** Leave the game: it is not kept. */
  close() {
    this.begun = null;
    this.milestones?.close();
    if (this.game) net.send({ type: 'close', game: this.game });
    this.#forget();
  }
}

/** Small boards end before 512: what counts as large depends on the cells. */
function smallestMilestone({ rows, cols }) {
  const cells = rows * cols;
  if (cells >= 16) return 512;
  return cells >= 12 ? 128 : 32;
}

const SPAN_MS = 2000;
const GAP_MS = 150;

/** Moves a second over the last two seconds or so. */
class Rate {
  #samples = [];

  /** @param {number} move the newest move number */
  note(move) {
    const now = performance.now();
    if (now - (this.#samples.at(-1)?.at ?? -GAP_MS) < GAP_MS) return;
    this.#samples.push({ at: now, move });
    while (now - this.#samples[0].at > SPAN_MS) this.#samples.shift();
  }

  /** Forget what was seen. */
  clear() {
    this.#samples = [];
  }

  /** Moves a second; null while too little was seen. */
  get perSecond() {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || last.at - first.at < GAP_MS) return null;
    return ((last.move - first.move) * 1000) / (last.at - first.at);
  }
}

/** @typedef {{tile: number, move: number, exact: boolean}} Milestone */

/** The milestones of one game. */
class Milestones {
  /**
   * @param {(move: number) => Promise<{tiles: number[], move_number: number}>} look shows an
   *   earlier position
   * @param {number} smallest tile that is noted
   * @param {(list: Milestone[]) => void} changed
   */
  constructor(look, smallest, changed) {
    this.look = look;
    this.smallest = smallest;
    this.changed = changed;
    this.list = [];
    this.largest = 0;
    this.seen = 0;
    this.open = true;
  }

  /**
   * Take note of a position.
   *
   * @param {number} largest its largest tile
   * @param {number} move its move number
   */
  note(largest, move) {
    const [before, from] = [this.largest, this.seen];
    this.seen = move;
    if (largest <= before) return;
    this.largest = largest;
    for (let made = Math.max(this.smallest, 2 * before); made <= largest; made *= 2) this.#add(made, from, move);
  }

  #add(tile, from, move) {
    const milestone = { tile, move, exact: move - from <= 1 };
    this.list.push(milestone);
    this.changed(this.list);
    if (!milestone.exact) this.#narrow(milestone, from);
  }

  async #narrow(milestone, from) {
    let low = from;
    try {
      while (this.open && milestone.move - low > 1) {
        const middle = Math.floor((low + milestone.move) / 2);
        const position = await this.look(middle);
        if (Math.max(...position.tiles) >= milestone.tile) milestone.move = middle;
        else low = middle;
      }
      milestone.exact = this.open;
    } catch {
      return; // the game is gone, or nothing is kept that far back: it stays an upper bound
    }
    if (this.open) this.changed(this.list);
  }

  /** Look no further. */
  close() {
    this.open = false;
  }
}
