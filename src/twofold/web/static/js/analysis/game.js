/** What `GET /api/games/ID` answers about a game, beside its positions. */

import { exponentsOf, shapeOf } from '../notation.js';

/** Places are counted from 0; move numbers begin at `first`. */
export class Game {
  #autoplay = [];

  /** @param {object} data the answer */
  constructor(data) {
    const { game: id, rules, player, date, first, moves, boards, scores } = data;
    Object.assign(this, { id, rules, player, date, first, moves, boards, scores }, shapeOf(boards[0]));
    this.comments = new Map(
      Object.entries(data.comments).map(([move, words]) => [Number(move) - first, words]),
    );
    this.#autoplay = madeBy(data.autoplay ?? [], first, moves.length);
    /** How many moves are the person's own; all where nothing else is known. */
    this.ownMoves = this.#autoplay.filter((made) => !made).length;
  }

  /** Whether the move of a place is no one's own: autoplay made it, in a game of the person. */
  isHelped(place) {
    return this.ownMoves > 0 && this.#autoplay[place] === true;
  }

  /** The place of the last position. */
  get last() {
    return this.moves.length;
  }

  /** Points at the end. */
  get score() {
    return this.scores[this.last];
  }

  /** The largest tile of a position. */
  largestAt(place) {
    return 2 ** Math.max(...exponentsOf(this.boards[place]));
  }
}

/** Whether each move is in one of some ranges of move numbers, the first move being 1. */
function madeBy(ranges, first, count) {
  const made = Array(count).fill(false);
  for (const [start, end] of ranges) made.fill(true, start - first - 1, end - first);
  return made;
}
