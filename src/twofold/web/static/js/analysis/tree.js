/** The positions of an analysis: a game, variations that a person tries, boards made here; what was before. */

import { net } from '../net.js';
import { exponentsOf, formatBoard, legalMoves, parseStep, shapeOf, slide, stepBetween, tilesOf } from '../notation.js';
import { remember, remembered } from '../settings.js';

const KEPT = 'twofold-variations';

/** A position, with the move and the new tile that led to it. */
export class Position {
  /** The positions after it; of a game the game's own comes first. */
  children = [];

  /**
   * @param {string} board its text
   * @param {object} [about]
   * @param {Position|null} [about.parent] the position before
   * @param {string} [about.move] letter of the move that led here
   * @param {number|null} [about.score] points so far; null where not known
   * @param {number} [about.number] moves made so far
   * @param {boolean} [about.isOfGame] whether a game came here: it cannot be removed
   */
  constructor(board, { parent = null, move = '', score = null, number = 0, isOfGame = false } = {}) {
    Object.assign(this, { board, parent, move, score, number, isOfGame }, shapeOf(board));
  }

  /** The tiles, row by row; 0 for an empty cell. */
  get tiles() {
    return tilesOf(this.board);
  }

  /**
   * What a move does here, before the new tile.
   *
   * @param {string} letter
   * @returns {import('../notation.js').SlideResult}
   */
  slide(letter) {
    return slide(this.tiles, this.rows, this.cols, letter);
  }

  /** The move that led here as a `step` message has it; null at the beginning. */
  get step() {
    return this.parent && stepBetween(this.parent.tiles, this.rows, this.cols, this.move, this.tiles);
  }

  /** The step as text, such as `l@5:2`. */
  get words() {
    const { move, cell, tile } = this.step;
    return `${move}@${cell}:${tile}`;
  }
}

/** A root and what follows. `version` counts its changes. */
export class Tree {
  version = 0;

  /**
   * @param {Position} root
   * @param {import('./tree.js').Game|null} [game] whose moves are the main line
   */
  constructor(root, game = null) {
    this.root = root;
    this.game = game;
    /** The positions of the game, the root first. */
    this.main = [root];
  }

  /** @param {import('./tree.js').Game} game */
  static ofGame(game) {
    const { boards, scores, moves, first } = game;
    const at = (place, parent) => new Position(boards[place], { parent, score: scores[place],
      number: first + place, move: moves[place - 1] ?? '', isOfGame: true });
    const tree = new Tree(at(0, null), game);
    for (let place = 1; place < boards.length; place += 1) {
      const parent = tree.main[place - 1];
      parent.children.push(at(place, parent));
      tree.main.push(parent.children[0]);
    }
    return tree;
  }

  /**
   * The line through a position: from the root, and on to the end by the first child of each.
   *
   * @param {Position} position
   * @returns {Position[]}
   */
  lineOf(position) {
    const line = [];
    for (let at = position; at; at = at.parent) line.push(at);
    line.reverse();
    for (let [at] = position.children; at; [at] = at.children) line.push(at);
    return line;
  }

  /**
   * The position after a move, which is added unless it is there.
   *
   * @param {Position} position
   * @param {string} letter
   * @param {{cell: number, tile: number}|null} [spawn] the new tile; by chance if there is none
   * @returns {Position|null} null where the move is not legal
   */
  play(position, letter, spawn = null) {
    const { tiles, reward, changed } = position.slide(letter);
    if (!changed || (spawn && tiles[spawn.cell])) return null;
    if (!spawn) {
      const known = position.children.find(({ move }) => move === letter);
      if (known) return known;
    }
    const { cell, tile } = spawn ?? randomSpawn(tiles);
    const board = formatBoard(tiles.with(cell, tile), position.rows, position.cols);
    const same = position.children.find((child) => child.move === letter && child.board === board);
    const score = position.score === null ? null : position.score + reward;
    if (same) return same;
    const added = new Position(board, { parent: position, move: letter, score, number: position.number + 1 });
    position.children.push(added);
    this.version += 1;
    return added;
  }

  /**
   * The same move with its new tile elsewhere: another variation, or this one where nothing follows.
   *
   * @param {Position} position
   * @param {number} cell
   * @param {number} tile
   * @returns {Position|null} null where the cell was not free
   */
  respawn(position, cell, tile) {
    const { parent, move, children, isOfGame } = position;
    const found = parent && this.play(parent, move, { cell, tile });
    if (found && found !== position && !isOfGame && !children.length) this.remove(position);
    return found;
  }

  /** Take a position of the person's own out, with what follows. */
  remove(position) {
    const { parent } = position;
    parent.children = parent.children.filter((child) => child !== position);
    this.version += 1;
  }

  /** @returns {Position|null} the one after steps such as `l@5:2`; null where one is not legal */
  follow(position, steps) {
    return steps.map(parseStep).reduce((at, { move, cell, tile }) => (
      at && this.play(at, move, cell === null ? null : { cell, tile })), position);
  }

  /** @returns {{move: number, line: string}} the last move of the game before a position, and the steps after it */
  wayTo(position) {
    const steps = [];
    let at = position;
    for (; at.parent && !at.isOfGame; at = at.parent) steps.unshift(at.words);
    return { move: at.number, line: steps.join('.') };
  }

  /** @returns {Position} the one that `wayTo` names, or the one of the game before it */
  at({ move, line }) {
    const { main, root } = this;
    const begin = main[Math.max(0, Math.min(main.length - 1, move - root.number))];
    return this.follow(begin, line.split('.').filter(Boolean)) ?? begin;
  }

  /** Have the tab keep the variations, for when it is reloaded. */
  keep() {
    const ends = [];
    const open = [this.root];
    for (let at = open.pop(); at; at = open.pop()) {
      open.push(...at.children);
      if (!at.isOfGame && at.parent && !at.children.length) ends.push(this.wayTo(at));
    }
    remember(KEPT, { name: this.#name, ends });
  }

  /** Have the variations again that the tab keeps of this tree. */
  recall() {
    const { name, ends } = remembered(KEPT) ?? {};
    if (name === this.#name) for (const one of ends) this.at(one);
  }

  get #name() {
    return this.game?.id ?? this.root.board;
  }
}

/** A cell and a tile as the dice of the original game choose them. */
function randomSpawn(tiles) {
  const empty = tiles.flatMap((tile, cell) => (tile ? [] : [cell]));
  return { cell: empty[Math.floor(Math.random() * empty.length)], tile: Math.random() < 0.9 ? 2 : 4 };
}

const LONGEST = 500;

/** Entries, and which of them is shown. */
export class History {
  #entries = [];
  #place = -1;
  #group = '';

  get canBack() {
    return this.#place > 0;
  }

  get canForward() {
    return this.#place < this.#entries.length - 1;
  }

  /**
   * Add an entry after the one shown; what came after that is forgotten.
   *
   * @param {object} entry
   * @param {string} [group] entries of the same group in a row count as one, the last
   */
  add(entry, group = '') {
    const replaces = group !== '' && group === this.#group && !this.canForward && this.canBack;
    this.#group = group;
    const before = this.#entries.slice(0, this.#place + (replaces ? 0 : 1));
    this.#entries = [...before.slice(1 - LONGEST), entry];
    this.#place = this.#entries.length - 1;
  }

  /**
   * Go one entry back or forward.
   *
   * @param {1 | -1} step
   * @returns {object} the entry
   */
  go(step) {
    this.#group = '';
    this.#place = Math.max(0, Math.min(this.#entries.length - 1, this.#place + step));
    return this.#entries[this.#place];
  }
}

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
    this.#autoplay = Array(moves.length).fill(false); // ranges of move numbers, the first move being 1
    for (const [start, end] of data.autoplay ?? []) this.#autoplay.fill(true, start - first - 1, end - first);
    /** How many moves are the person's own; all where nothing else is known. */
    this.ownMoves = this.#autoplay.filter((made) => !made).length;
  }

  /** Whether autoplay made the move of a place, in a game of the person. */
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

const FEWEST_MOVES = 20;
const MOST_MOVES = 400;
const MOST_CHARACTERS = 4_000; // of a text that the server reads
const PREFERRED = ['l', 'd', 'r', 'u'];

/**
 * What a text in any form holds.
 *
 * @param {string} words
 * @returns {Promise<{board: string, score: ?number, moves: number}>} of a game with `moves` the last
 *   position; rejects with what is wrong
 */
export function readPosition(words) {
  return net.post('/api/board', { text: words.slice(0, MOST_CHARACTERS + 1) }); // it refuses one more
}

/** Whether a text is longer than any position. */
export const isLong = (words) => words.length > MOST_CHARACTERS;

/**
 * The text of a board without tiles.
 *
 * @param {number} rows
 * @param {number} cols
 */
export function emptyBoard(rows, cols) {
  return formatBoard(new Array(rows * cols).fill(0), rows, cols);
}

/**
 * The same tiles on a board of another shape; what does not fit is left out.
 *
 * @param {import('./tree.js').Position} position
 * @param {number} rows
 * @param {number} cols
 * @returns {string} the board's text
 */
export function reshaped(position, rows, cols) {
  const { tiles } = position;
  const at = (row, col) => (
    row < position.rows && col < position.cols ? tiles[row * position.cols + col] : 0);
  const all = Array.from({ length: rows * cols }, (_, cell) => (
    at(Math.floor(cell / cols), cell % cols)));
  return formatBoard(all, rows, cols);
}

/**
 * A board as a hasty player might reach it, with a choice of moves and a quarter of the cells empty.
 *
 * @param {number} rows
 * @param {number} cols
 * @returns {string} its text
 */
export function randomBoard(rows, cols) {
  let tiles = withSpawn(withSpawn(new Array(rows * cols).fill(0)));
  let roomy = tiles;
  for (let left = FEWEST_MOVES + Math.random() * (MOST_MOVES - FEWEST_MOVES); left > 0; left -= 1) {
    const legal = legalMoves(tiles, rows, cols);
    if (!legal) break;
    if (legal.length > 1 && tiles.filter((tile) => !tile).length >= (rows * cols) / 4) roomy = tiles;
    // into the corner, now and then another way
    const order = Math.random() < 0.9 ? PREFERRED : [...PREFERRED].reverse();
    tiles = withSpawn(slide(tiles, rows, cols, order.find((letter) => legal.includes(letter))).tiles);
  }
  return formatBoard(roomy, rows, cols);
}

function withSpawn(tiles) {
  const { cell, tile } = randomSpawn(tiles);
  return tiles.with(cell, tile);
}
