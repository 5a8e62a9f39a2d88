/** The positions of an analysis: the moves of a game, and the variations that a person tries. */

import { formatBoard, shapeOf, tilesOf } from '../notation.js';
import { slide } from '../slides.js';

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
   * @returns {import('../slides.js').SlideResult}
   */
  slide(letter) {
    return slide(this.tiles, this.rows, this.cols, letter);
  }

  /** The move that led here as a `step` message has it; null at the beginning. */
  get step() {
    if (!this.parent) return null;
    const { tiles } = this;
    const { tiles: after, slides, reward } = this.parent.slide(this.move);
    const cell = tiles.findIndex((tile, index) => tile !== after[index]);
    return { move: this.move, after, slides, reward, cell, tile: tiles[cell], now: { tiles } };
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
   * @param {import('./game.js').Game|null} [game] whose moves are the main line
   */
  constructor(root, game = null) {
    this.root = root;
    this.game = game;
    /** The positions of the game, the root first. */
    this.main = [root];
  }

  /** @param {import('./game.js').Game} game */
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
    return same ?? this.#add(
      new Position(board, { parent: position, move: letter, score, number: position.number + 1 }));
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

  #add(position) {
    position.parent.children.push(position);
    this.version += 1;
    return position;
  }
}

/** A cell and a tile as the dice of the original game choose them. */
export function randomSpawn(tiles) {
  const empty = tiles.flatMap((tile, cell) => (tile ? [] : [cell]));
  return { cell: empty[Math.floor(Math.random() * empty.length)], tile: Math.random() < 0.9 ? 2 : 4 };
}
