/** A whole game, position by position, as `GET /api/games/ID` answers it. */

import { exponentsOf, shapeOf, tilesOf } from '../notation.js';
import { slide } from '../slides.js';

/** Positions are counted from 0 here; move numbers begin at `first`. */
export class ReviewGame {
  #autoplay = [];

  /** How many moves are the person's own; all where nothing else is known. */
  ownMoves = 0;

  /** @param {object} data the answer */
  constructor(data) {
    this.id = data.game;
    this.rules = data.rules;
    this.seed = data.seed;
    this.player = data.player;
    this.date = data.date;
    this.first = data.first;
    this.moves = data.moves;
    this.boards = data.boards;
    this.scores = data.scores;
    this.comments = new Map(
      Object.entries(data.comments).map(([move, words]) => [Number(move) - data.first, words]),
    );
    this.#autoplay = madeBy(data.autoplay ?? [], data.first, data.moves.length);
    this.ownMoves = this.#autoplay.filter((made) => !made).length;
    Object.assign(this, shapeOf(data.boards[0]));
  }

  /**
   * Whether a player made the move of a place for the person, as far as the record says.
   *
   * @param {number} place
   */
  isAutoplay(place) {
    return this.#autoplay[place] === true;
  }

  /**
   * Whether the move of a place is no one's own: autoplay made it, in a game of the person.
   *
   * @param {number} place
   */
  isHelped(place) {
    return this.ownMoves > 0 && this.isAutoplay(place);
  }

  /** The place of the last position. */
  get last() {
    return this.moves.length;
  }

  /** Points at the end. */
  get score() {
    return this.scores[this.last];
  }

  /**
   * Tiles of a position, row by row.
   *
   * @param {number} place
   * @returns {number[]}
   */
  tilesAt(place) {
    return tilesOf(this.boards[place]);
  }

  /**
   * The largest tile of a position.
   *
   * @param {number} place
   */
  largestAt(place) {
    return 2 ** Math.max(...exponentsOf(this.boards[place]));
  }

  /**
   * The move made at a position as a `step` message has it, for the board.
   *
   * @param {number} place
   */
  stepAt(place) {
    const after = this.tilesAt(place + 1);
    const slid = this.slideAt(place, this.moves[place]);
    const cell = after.findIndex((tile, index) => tile !== slid.tiles[index]);
    return { slides: slid.slides, cell, tile: after[cell], now: { tiles: after } };
  }

  /**
   * Any move at a position, before the new tile.
   *
   * @param {number} place
   * @param {string} letter
   * @returns {import('../slides.js').SlideResult}
   */
  slideAt(place, letter) {
    return slide(this.tilesAt(place), this.rows, this.cols, letter);
  }
}

/** Whether each move is in one of some ranges of move numbers, the first move being 1. */
function madeBy(ranges, first, count) {
  const made = Array(count).fill(false);
  for (const [start, end] of ranges) made.fill(true, start - first - 1, end - first);
  return made;
}
