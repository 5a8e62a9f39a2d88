/** A race: games on the same dice, watched as one; a person may play one of them. */

import { onLeave } from '../dom.js';
import { net } from '../net.js';
import { text } from '../text.js';
import { LaneGame, largestOf, PersonGame } from './lane_game.js';

/** Most games side by side. */
export const MAX_LANES = 4;

const FRAMES_PER_SECOND = 30; // of a replay; a faster one leaves positions out
const BEATS_PER_SECOND = 20; // a faster race makes several moves a beat

// Moves of a beat at top speed: as many as the slowest player makes in about this time. Where the
// page needs longer to draw a beat, a beat has more moves: twice as many, which take less than this
// factor longer.
const BEAT_MS = 120;
const SLOWER = 1.5;
const MOST_A_BEAT = 5000;

/** The games, which all make as many moves, and where in them one looks. */
export class Race {
  #timer = 0; // of the next beat, or of a replay
  #replayed = null; // the move that a replay shows; null without one
  #beatMoves = 1;
  #beatBegan = 0;
  #beatBefore = { moves: 1, took: 0 };
  #isPlayedOut = false; // whether players go on after the game of a person

  /** @type {LaneGame[]} */
  lanes = [];

  /** Moves a second; null for as many as the slowest player can make. */
  speed = PLEASANT;

  /** The tile at which games pause; 0 for none. */
  stopTile = 0;

  /** The move number looked at; null for the newest of each game. */
  cursor = null;

  /** Whether moves are made, or earlier ones are shown again. */
  isGoing = false;

  rules = '';

  seed = '';

  /**
   * How the games stand at the last move that all have made: the move, and a position for each game,
   * that of the end for one that is over.
   *
   * @type {{move: number, positions: Map<LaneGame, object>}}
   */
  standing = { move: 0, positions: new Map() };

  /** @param {() => void} changed called when something to draw has changed */
  constructor(changed) {
    this.changed = changed;
    for (const type of ['step', 'frame', 'ended', 'refused']) net.on(type, (reply) => this.#receive(reply));
    onLeave(() => {
      this.#stopTimer();
      for (const lane of this.lanes) lane.close();
    });
  }

  /** The game of the person who takes part; undefined without one. */
  get person() {
    return this.lanes.find((lane) => lane.isPerson);
  }

  /** The newest move number of all games. */
  get last() {
    return Math.max(0, ...this.lanes.map((lane) => lane.last));
  }

  /** Whether every game is over, or its player was refused. */
  get isFinished() {
    return this.lanes.every((lane) => lane.isFinished || lane.isRefused);
  }

  /** Whether players are being loaded: all wait for them at their first move. */
  get isPreparing() {
    return this.isGoing && !this.person && this.lanes.length > 1 && this.#able.some((lane) => !lane.isReady);
  }

  get #able() {
    return this.lanes.filter((lane) => lane.isAble);
  }

  get #isAtEnd() {
    return this.cursor === null || this.cursor >= this.last;
  }

  /**
   * Add a game; it begins with the race, or by `enter`.
   *
   * @param {string} spec of its player; `me` for a person
   * @param {object} events see `LaneGame`
   */
  add(spec, events) {
    const Game = spec === 'me' ? PersonGame : LaneGame;
    const lane = new Game(spec, { changed: this.changed, ...events });
    this.lanes.push(lane);
    return lane;
  }

  /** @param {LaneGame} lane to take out; the others go on */
  remove(lane) {
    this.lanes = this.lanes.filter((other) => other !== lane);
    lane.close();
    this.#settle();
  }

  /** Begin all games anew and let them go; rejects where the server refuses the rules or the seed. */
  async begin() {
    this.#stopTimer();
    Object.assign(this, { cursor: null, isGoing: false, standing: { move: 0, positions: new Map() } });
    this.#isPlayedOut = false;
    this.#beatMoves = 1;
    await Promise.all(this.lanes.map((lane) => lane.begin(this)));
    this.go();
    if (this.person) this.#prepare();
  }

  /** See that the players are there before the person's first move; one after the other, as a page asks one analysis. */
  async #prepare() {
    for (const lane of this.lanes.filter(({ isPerson }) => !isPerson)) if (lane.game) await lane.prepare();
  }

  /** Begin one game anew, with a player that is new; it catches up with the others. */
  async enter(lane) {
    await lane.begin(this);
    if (this.isGoing) {
      if (this.#replayed === null) this.#stopTimer();
      this.#settle();
    } else if (this.lanes.every((other) => other === lane || !other.isAble)) this.go();
    else if (this.last > lane.last) lane.run(this.last - lane.last);
  }

  /** Make moves; where an earlier position is shown, show the moves up to the newest first. */
  go() {
    if (this.#isAtEnd && this.isFinished) return;
    this.isGoing = true;
    this.#isPlayedOut = Boolean(this.person?.isFinished);
    if (!this.#isAtEnd && this.speed !== null) return void this.#startReplay();
    this.#look(null);
    for (const lane of this.lanes) lane.isHeld = false;
    this.#settle();
  }

  /** Make no more moves, once all games have come to the same one. */
  pause() {
    this.isGoing = false;
    this.#stopTimer();
    this.changed();
  }

  /** One move forward: the next one of those made, else each player makes one. */
  forward() {
    this.pause();
    if (!this.#isAtEnd) return void this.#look(this.cursor + 1);
    this.#look(null);
    for (const lane of this.#able) lane.run(1, this.stopTile);
  }

  /** One move back. */
  back() {
    this.seek((this.cursor ?? this.last) - 1);
  }

  /** @param {number} move to look at */
  seek(move) {
    this.pause();
    this.#look(move);
  }

  #look(move) {
    const first = Math.min(...this.lanes.map((lane) => lane.first));
    const wanted = move === null || move >= this.last ? null : Math.max(first, move);
    this.cursor = wanted;
    for (const lane of this.lanes) lane.look(wanted);
    this.changed();
  }

  /** @param {Partial<Race>} how `speed` or `stopTile`; takes effect with the next beat */
  set(how) {
    Object.assign(this, how);
    if (this.#replayed !== null) this.#startReplay();
    this.changed();
  }

  // ---- moves

  #receive(reply) {
    for (const lane of this.lanes) lane.receive(reply);
    const isMine = this.lanes.some((lane) => lane.game === reply.game && lane.isPerson);
    if (isMine || reply.type === 'ended' || reply.type === 'refused') this.#settle();
  }

  /** Go on where no player moves any more. */
  #settle() {
    if (this.#timer || this.lanes.some((lane) => lane.isRunning)) return;
    if (this.cursor !== null) for (const lane of this.lanes) lane.look(this.cursor); // one may have got there
    this.#compare();
    if (this.isGoing) this.#nextBeat();
  }

  /** Note how the games stand, where all that go on have come to the same move. */
  #compare() {
    const lanes = this.lanes.filter((lane) => lane.now && !lane.isRefused);
    const moves = new Set(lanes.filter((lane) => !lane.isFinished && !lane.isHeld).map((lane) => lane.last));
    const [move = this.last] = moves;
    if (moves.size < 2) this.standing = { move, positions: new Map(lanes.map((lane) => [lane, lane.now])) };
    this.changed();
  }

  /** Whether players make as many moves as the person has made. */
  get #isLed() {
    return Boolean(this.person) && !this.#isPlayedOut;
  }

  #nextBeat() {
    const took = performance.now() - this.#beatBegan;
    const rate = Math.min(this.speed ?? Infinity, BEATS_PER_SECOND);
    if (this.speed !== null) this.#beatMoves = Math.max(1, Math.round(this.speed / BEATS_PER_SECOND));
    else this.#beatMoves = this.#movesAtTopSpeed(took);
    const wait = this.speed === null || this.#isLed ? 0 : Math.max(0, 1000 / rate - took);
    this.#timer = setTimeout(() => this.#beat(), wait);
  }

  /** Half the moves of the last beat, if they are what a beat takes its time for; else twice as many. */
  #movesAtTopSpeed(took) {
    const [moves, before] = [this.#beatMoves, this.#beatBefore];
    this.#beatBefore = { moves, took };
    const isSlower = moves > before.moves ? took > SLOWER * before.took : SLOWER * took < before.took;
    return took >= BEAT_MS && isSlower ? Math.ceil(moves / 2) : Math.min(MOST_A_BEAT, 2 * moves);
  }

  /** All games come to the same move: that of the game furthest ahead, or some moves more. */
  #beat() {
    this.#timer = 0;
    this.#beatBegan = performance.now();
    const able = this.#able;
    const front = this.#isLed ? this.person.last : Math.max(0, ...able.map((lane) => lane.last));
    const isBehind = able.some((lane) => lane.last < front);
    const isFirst = able.some((lane) => !lane.isReady); // players that are loaded start together
    const target = isBehind || this.#isLed ? front : front + (isFirst ? 1 : this.#beatMoves);
    for (const lane of able) {
      if (lane.last < target) lane.run(target - lane.last, this.stopTile);
    }
    this.isGoing = this.#isLed ? isBehind || !this.person.isFinished : able.length > 0;
    this.changed();
  }

  // ---- earlier moves

  #startReplay() {
    const rate = Math.min(this.speed ?? Infinity, FRAMES_PER_SECOND);
    this.#stopTimer();
    this.#replayed = this.cursor;
    this.#timer = setInterval(() => this.#replay((this.speed ?? Infinity) / rate), 1000 / rate);
    this.changed();
  }

  #replay(moves) {
    this.#replayed += moves;
    if (this.#replayed < this.last) return void this.#look(Math.floor(this.#replayed));
    this.#stopTimer();
    this.#look(null);
    this.isGoing = false;
    this.go();
  }

  #stopTimer() {
    clearInterval(this.#timer); // of either kind
    this.#timer = 0;
    this.#replayed = null;
  }

  /**
   * The games from the best to the worst, at the move looked at or the last one that all have made.
   *
   * @returns {{move: number, order: {lane: LaneGame, score: number, largest: number}[]}}
   */
  ranking() {
    const seen = this.lanes.filter((lane) => !lane.isRefused && lane.position).map((lane) => [lane, lane.position]);
    const { move, positions } = this.cursor === null ? this.standing : { move: this.cursor, positions: seen };
    const order = [...positions].filter(([lane]) => this.lanes.includes(lane))
      .map(([lane, position]) => ({ lane, score: position.score, largest: largestOf(position) }));
    return { move, order: order.sort((one, other) => other.score - one.score) };
  }
}

/** Moves a second; the last one, null, is as many as the player can make. */
export const SPEEDS = [
  1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 500, 1000, 2000, 5000,
  null,
];

/** Speed at the start. */
export const PLEASANT = 8;

/** Fastest speed at which every move is animated. */
export const FASTEST_ANIMATED = 12;

/** The place of a speed on the slider: of the nearest one there is. */
export function placeOf(speed) {
  if (speed === null) return SPEEDS.length - 1;
  const place = SPEEDS.findIndex((known) => known === null || known >= speed);
  return Math.max(0, Math.min(place, SPEEDS.length - 2));
}

/** The speed so many steps up or down the scale. */
export function speedBeside(speed, steps) {
  return SPEEDS[Math.max(0, Math.min(placeOf(speed) + steps, SPEEDS.length - 1))];
}

/** A speed in words. */
export function formatSpeed(speed) {
  return speed === null ? text('play.pace_most') : text('watch.speed', { count: speed });
}

/** Read the speed of a link: a number, or `max`. */
export function parseSpeed(said) {
  if (said === 'max') return null;
  return Number(said) > 0 ? SPEEDS[placeOf(Number(said))] : PLEASANT;
}
