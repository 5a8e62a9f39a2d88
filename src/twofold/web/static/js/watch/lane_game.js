/** One game of a race: what the server says of it, and what it is asked. */

import { net } from '../net.js';
import { isFinished, LiveGame } from '../play/live_game.js';
import { remember, remembered } from '../settings.js';

const MINE = 'twofold.race'; // what the tab keeps of the person's own game

/** A game that is not kept, and the player who plays it. */
export class LaneGame {
  isPerson = false;

  #isLooking = false;
  #wanted = null;
  #begun = null;

  /**
   * @param {string} spec of the player; empty for the default one
   * @param {object} events
   * @param {() => void} events.changed something to draw has changed
   * @param {(step: object) => void} events.stepped a move was made that may be animated
   * @param {(message: string) => void} events.failed the game cannot go on
   */
  constructor(spec, events) {
    Object.assign(this, { spec, events });
    this.forget();
  }

  /** Know nothing of a game. */
  forget() {
    this.game = '';
    this.now = null;
    this.rules = null;
    this.first = 0;
    this.shown = null; // an earlier position; null for the newest
    this.isRunning = false;
    this.isHeld = false; // it has made the tile to stop at, or its player has failed
    this.isRefused = false; // its player cannot play: it is out of the race
    this.isReady = false; // its player is loaded: it has made a move
    this.ref = 0; // of the last request to play
    this.milestones = [];
    this.#wanted = null;
  }

  /** The newest move number. */
  get last() {
    return this.now?.move_number ?? 0;
  }

  get isFinished() {
    return this.now !== null && isFinished(this.now);
  }

  /** Whether its player can move. */
  get isAble() {
    return Boolean(this.game) && !this.isRefused && !this.isHeld && !this.isFinished;
  }

  /** What is to be seen: the position looked at, or the newest. */
  get position() {
    return this.shown ?? this.now;
  }

  /**
   * Begin a new game; rejects where the server refuses.
   *
   * @param {{rules: string, seed: string}} dice
   */
  async begin({ rules, seed }) {
    this.close();
    const mine = {};
    this.#begun = mine;
    const state = await net.ask({ type: 'new', rules, seed, keep: false });
    if (this.#begun === mine) this.take(state);
    else net.send({ type: 'close', game: state.game });
  }

  /** @param {object} state a `game` message: the game from now on */
  take({ game, rules, first, now }) {
    Object.assign(this, { game, rules, first });
    this.advance(now);
  }

  /**
   * Let the player move, as fast as it can.
   *
   * @param {number} moves how many
   * @param {number} [stopTile] where to pause; 0 for nowhere
   */
  run(moves, stopTile = 0) {
    this.isRunning = true;
    this.ref = net.send({
      type: 'autoplay', game: this.game, player: this.spec, moves_per_second: null,
      stop_tile: stopTile > largestOf(this.now) ? stopTile : 0, moves,
    });
  }

  /** Load the player before its first move is asked for; one that there is not is out of the race. */
  async prepare() {
    const { game, spec, now: { board }, rules } = this;
    await net.ask({ type: 'analyse', board, rules: rules.text, player: spec, ply: 1 }).catch(({ kind, message }) => {
      if (kind !== 'ConnectionLost' && game === this.game && spec === this.spec) this.#refuse(message);
    });
  }

  #refuse(message) {
    this.isRefused = true;
    this.events.failed(message);
  }

  /** The position at a move number, which the game has come to; null if the game is gone. */
  async at(move) {
    if (move === this.last) return this.now;
    return net.ask({ type: 'view', game: this.game, move_number: move }).catch(() => null);
  }

  /**
   * Look at an earlier position; of many asked for at once, the last one is shown.
   *
   * @param {number | null} move null for the newest position
   */
  async look(move) {
    this.#wanted = move && Math.max(this.first, Math.min(move, this.last));
    if (move === null) this.shown = null;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#wanted !== null) {
      const wanted = this.#wanted;
      const position = await this.at(wanted);
      if (this.#wanted === wanted) [this.shown, this.#wanted] = [position, null];
      this.events.changed();
    }
    this.#isLooking = false;
  }

  /** @param {object} reply a `step`, `frame`, `ended` or `refused` message of any game */
  receive(reply) {
    if (reply.type === 'refused' && reply.ref === this.ref) {
      this.isRunning = false;
      if (this.ref) this.#refuse(reply.message);
    }
    if (reply.type === 'refused') return;
    if (!this.game || reply.game !== this.game) return;
    this.isReady = true;
    const isNext = reply.now.move_number === this.last + 1;
    this.advance(reply.now);
    if (reply.type === 'step' && isNext && !this.shown) this.events.stepped(reply);
    if (reply.type !== 'ended') return;
    this.isRunning = false;
    this.isHeld = reply.reason === 'tile' || reply.reason === 'failed';
    if (reply.reason === 'failed') this.events.failed(reply.message);
  }

  /** @param {object} now where the game stands, as far as it was played */
  advance(now) {
    const [before, from] = [this.now ? largestOf(this.now) : 0, this.last];
    this.now = now;
    const least = Math.max(smallestMilestone(this.rules), 2 * before);
    for (let tile = least; tile <= largestOf(now); tile *= 2) this.#reached(tile, from);
    this.events.changed();
  }

  /** Note a tile; where moves were left out, find the one that made it. */
  async #reached(tile, from) {
    const { game, milestones } = this;
    const milestone = { tile, move: this.last, isExact: this.last - from <= 1 };
    milestones.push(milestone);
    for (let low = from; milestone.move - low > 1;) {
      const middle = Math.floor((low + milestone.move) / 2);
      const position = await this.at(middle);
      if (!position || game !== this.game) return; // it stays an upper bound
      if (largestOf(position) >= tile) milestone.move = middle;
      else low = middle;
    }
    milestone.isExact = true;
    this.events.changed();
  }

  /** Leave the game: it is not kept. */
  close() {
    this.#begun = null;
    if (this.game) net.send({ type: 'close', game: this.game });
    this.forget();
  }
}

/** The game of a person who takes part: moves come by `move`. */
export class PersonGame extends LaneGame {
  isPerson = true;

  #made = null;

  // steps come to `receive`, as those of players do
  #live = new LiveGame({
    state: (state) => this.take(state),
    sending: (letter) => this.events.sending(letter),
    trouble: (message) => this.events.failed(message),
  });

  /** Begin; the moves that this tab has made on these dice are made again. */
  async begin({ rules, seed }) {
    this.forget();
    const kept = remembered(MINE);
    this.#made = kept?.rules === rules && kept.seed === seed ? kept : { rules, seed, moves: '' };
    await this.#live.begin({ rules, seed, keep: false });
    this.isReady = true;
    this.#live.repeat(this.#made.moves);
  }

  receive(reply) {
    super.receive(reply);
    if (reply.type !== 'step' || reply.game !== this.game || this.last <= this.#made.moves.length) return;
    this.#made.moves += reply.move;
    remember(MINE, this.#made);
  }

  get isAble() {
    return false; // it has no player that could be asked
  }

  /** @param {string} letter of a move that is meant */
  move(letter, isHeld = false) {
    this.#live.move(letter, isHeld);
  }

  close() {
    this.forget(); // the live game ends with the page
  }
}

/** The largest tile of a position. */
export function largestOf({ tiles }) {
  return Math.max(...tiles);
}

/** Small boards end before 512: what counts as large depends on the cells. */
export function smallestMilestone({ rows, cols }) {
  const cells = rows * cols;
  if (cells >= 16) return 512;
  return cells >= 12 ? 128 : 32;
}
