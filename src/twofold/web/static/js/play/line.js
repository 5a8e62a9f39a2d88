/**
 * The moves of a game that this page has seen, one after the other, with the boards between them.
 *
 * A server that was killed may have a game as it was a moment before. The dice are a function of
 * the seed, so that the moves that it lacks, made again, lead to the same boards.
 */

/** More moves are not kept: a server that was killed lacks those of about a second. */
const MOST_MOVES = 4000;

/** One game, from some move number on. */
export class Line {
  #first = 0;
  #boards = [];
  #letters = [];

  /** Score on the first board. */
  score = 0;

  /** The first board. */
  get board() {
    return this.#boards[0];
  }

  /** Move number of the first board. */
  get first() {
    return this.#first;
  }

  /** All moves, as of `after`. */
  get moves() {
    return this.#boards.length ? this.after({ move_number: this.#first, board: this.board }) : [];
  }

  /**
   * The game stands at a position: an earlier one of this line after an undo, else a new beginning.
   *
   * @param {object} now
   */
  at(now) {
    if (!this.after(now)) this.#restart(now);
    this.#boards.length = now.move_number - this.#first + 1;
    this.#letters.length = this.#boards.length - 1;
  }

  /** @param {object} step a `step` message */
  step({ move, now }) {
    if (now.move_number !== this.#first + this.#boards.length) return void this.at(now);
    this.#boards.push(now.board);
    this.#letters.push(move);
    if (this.#letters.length > MOST_MOVES) this.#restart(now);
  }

  /**
   * The moves that were made from a position on, as intents: `at` is the move number of each.
   *
   * @param {object} now
   * @returns {object[]|null} null where the line does not pass this position
   */
  after(now) {
    const place = now.move_number - this.#first;
    if (this.#boards[place] !== now.board) return null;
    return this.#letters.slice(place).map((move, passed) => (
      { type: 'move', move, at: now.move_number + passed }));
  }

  #restart(now) {
    this.#first = now.move_number;
    this.#boards = [now.board];
    this.#letters = [];
    this.score = now.score;
  }
}
