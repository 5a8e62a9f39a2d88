/** A practice game: the server is asked with all moves so far, and answers with the positions. */

import { net } from '../net.js';
import { slideOf } from '../slides.js';
import { judged } from './endgame_facts.js';

/** The moves of one practice game, and what the table says of them. */
export class EndgameGame {
  #queue = Promise.resolve();
  #run = 0; // counts the games, so that what belongs to one that was left is dropped

  moves = '';
  positions = [];

  /**
   * @param {{start: () => void, sending: (letter: string) => void, moved: () => void,
   *   back: () => void, failed: (error: Error) => void}} watcher
   */
  constructor(watcher) {
    this.watcher = watcher;
  }

  /** The position now; undefined before the first one. */
  get now() {
    return this.positions.at(-1);
  }

  /** Whether a move can be made. */
  get isGoing() {
    return this.now?.status === 'going';
  }

  /** What the moves were worth. */
  get judged() {
    return [...this.moves].map((move, place) => judged(this.positions[place].chances, move, place));
  }

  /**
   * Begin, or go on where `moves` lead to.
   *
   * @param {{table: string, seed: string, board?: string, moves?: string}} options
   */
  async begin({ table, seed, board = '', moves = '' }) {
    this.#run += 1;
    const run = this.#run;
    const reply = await net.post('/api/practice/endgame', { table, seed, board, moves, known: 0 });
    if (run !== this.#run) return;
    Object.assign(this, {
      table: reply.table, target: reply.target, seed, given: board, moves, positions: reply.positions,
    });
    this.watcher.start();
  }

  /** @param {string} letter of a move, which is made after those on their way */
  move(letter) {
    const run = this.#run;
    this.#queue = this.#queue.then(() => run === this.#run && this.#move(letter, run))
      .catch((error) => this.watcher.failed(error));
  }

  /** Take the last move back. */
  undo() {
    this.cut(this.moves.length - 1);
  }

  /** @param {number} place of the position to go back to */
  cut(place) {
    if (place < 0 || place >= this.moves.length) return;
    this.#run += 1;
    this.moves = this.moves.slice(0, place);
    this.positions = this.positions.slice(0, place + 1);
    this.watcher.back();
  }

  /** The whole game as the server reads it. */
  get body() {
    const { table, seed, given, moves } = this;
    return { table, seed, board: given, moves };
  }

  async #move(letter, run) {
    if (!this.isGoing || !slideOf(this.now.board, letter).changed) return;
    this.watcher.sending(letter);
    const moves = this.moves + letter;
    const reply = await net.post('/api/practice/endgame', { ...this.body, moves, known: moves.length });
    if (run !== this.#run) return;
    this.moves = moves;
    this.positions.push(...reply.positions);
    this.watcher.moved();
    if (judged(this.positions.at(-2).chances, letter, 0).isBest) return;
    net.post('/api/practice/mistake', this.body).catch((error) => this.watcher.failed(error)); // into the notebook
  }
}

/** A seed of 64 bits, as text. */
export function randomSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return String((BigInt(high) << 32n) | BigInt(low));
}
