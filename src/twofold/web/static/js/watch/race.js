/** A race: one to four games on the same dice, watched as one. */

import { net } from '../net.js';
import { LaneGame } from './lane_game.js';
import { PLEASANT } from './speed.js';

/** Most games side by side. */
export const MAX_LANES = 4;

const FRAMES_PER_SECOND = 30; // of a replay; a faster one leaves positions out

/** The games, and where in them one looks. */
export class Race {
  #timer = null;
  #replayed = 0;

  /** The games. */
  lanes = [];

  /** Moves a second; null for as many as the players can make. */
  speed = PLEASANT;

  /** The tile at which games pause; 0 for none. */
  stopTile = 0;

  /** The move number looked at; null for the newest of each game. */
  cursor = null;

  /** Whether moves are made, or earlier ones are shown again. */
  isGoing = false;

  /** Whether players are being loaded; then the race starts. */
  isPreparing = false;

  rules = '';

  seed = '';

  /** @param {() => void} changed called when something to draw has changed */
  constructor(changed) {
    this.changed = changed;
    this.offs = ['step', 'frame', 'ended', 'refused'].map(
      (type) => net.on(type, (reply) => this.#receive(reply)));
  }

  /**
   * Add a game; it begins with the next `begin`.
   *
   * @param {string} spec of its player
   * @param {{stepped: (step: object) => void, failed: (message: string) => void}} events
   * @returns {LaneGame}
   */
  add(spec, { stepped, failed }) {
    const lane = new LaneGame(spec, { changed: this.changed, stepped, failed });
    this.lanes.push(lane);
    return lane;
  }

  /** @param {LaneGame} lane to take out */
  remove(lane) {
    lane.close();
    this.lanes = this.lanes.filter((other) => other !== lane);
    this.#settle();
    this.changed();
  }

  /** The newest move number of all games. */
  get last() {
    return Math.max(0, ...this.lanes.map((lane) => lane.last));
  }

  /** The earliest move number that can be looked at. */
  get first() {
    return Math.min(...this.lanes.map((lane) => lane.first));
  }

  /** Whether every game is over, or its player was refused. */
  get isFinished() {
    return this.lanes.every((lane) => lane.isFinished || lane.isRefused);
  }

  /**
   * Begin all games anew, under `rules` and on the dice of `seed`.
   *
   * @returns {Promise<void>} rejects where the server refuses the rules or the seed
   */
  async begin() {
    this.#stopReplay();
    this.cursor = null;
    this.isGoing = false;
    this.isPreparing = false;
    const dice = { rules: this.rules, seed: this.seed };
    await Promise.all(this.lanes.map((lane) => lane.begin(dice)));
    this.changed();
  }

  /** Make moves; where an earlier position is shown, show the moves up to the newest first. */
  go() {
    if (this.#atEnd && this.isFinished) return;
    this.isGoing = true;
    if (this.#atEnd || this.speed === null) this.#run();
    else this.#startReplay();
    this.changed();
  }

  get #atEnd() {
    return this.cursor === null || this.cursor >= this.last;
  }

  #run(moves = 0) {
    this.cursor = null;
    for (const lane of this.lanes) lane.follow();
    const late = this.lanes.filter((lane) => !lane.isReady);
    this.isPreparing = !moves && this.lanes.length > 1 && late.length > 0;
    if (this.isPreparing) for (const lane of late) lane.run(null, this.stopTile, 1);
    else for (const lane of this.lanes) lane.run(moves ? null : this.speed, this.stopTile, moves);
  }

  /** All have made their first move, and no player is loaded any more: they start together. */
  #start() {
    this.isPreparing = false;
    const able = this.lanes.filter((lane) => !lane.isRefused);
    for (const lane of able) lane.run(this.speed, this.stopTile);
  }

  #startReplay() {
    const rate = Math.min(this.speed, FRAMES_PER_SECOND);
    clearInterval(this.#timer);
    this.#replayed = this.cursor;
    this.#timer = setInterval(() => this.#replay(this.speed / rate), 1000 / rate);
  }

  #replay(moves) {
    this.#replayed += moves;
    if (this.#replayed < this.last) {
      this.#look(Math.floor(this.#replayed));
      return;
    }
    this.#stopReplay();
    this.#run();
    this.isGoing = !this.isFinished;
    this.changed();
  }

  #stopReplay() {
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Make no more moves. */
  pause() {
    this.isGoing = false;
    this.isPreparing = false;
    this.#stopReplay();
    for (const lane of this.lanes) lane.pause();
    this.changed();
  }

  /** Go if it stands, stand if it goes. */
  toggle() {
    if (this.isGoing) this.pause();
    else this.go();
  }

  /** One move forward: the next one of those made, else each player makes one. */
  forward() {
    if (this.isGoing) this.pause();
    if (this.#atEnd) this.#run(1);
    else this.#look(this.cursor + 1);
  }

  /** One move back. */
  back() {
    if (this.isGoing) this.pause();
    this.#look((this.cursor ?? this.last) - 1);
  }

  /** @param {number} move to look at */
  seek(move) {
    if (this.isGoing) this.pause();
    this.#look(move);
  }

  #look(move) {
    const wanted = Math.max(this.first, Math.min(move, this.last));
    this.cursor = wanted === this.last ? null : wanted;
    for (const lane of this.lanes) {
      if (this.cursor === null) lane.follow();
      else lane.look(wanted);
    }
    this.changed();
  }

  /** @param {number | null} speed takes effect at once */
  setSpeed(speed) {
    this.speed = speed;
    if (this.#timer !== null && speed !== null) this.#startReplay();
    else if (this.isGoing && !this.isPreparing) this.#rerun();
    this.changed();
  }

  /** @param {number} tile at which to pause; takes effect at once */
  setStopTile(tile) {
    this.stopTile = tile;
    if (this.isGoing && !this.isPreparing && this.#timer === null) this.#rerun();
  }

  #rerun() {
    const isReplay = this.#timer !== null;
    this.#stopReplay();
    if (isReplay) this.#run();
    for (const lane of this.lanes) {
      if (lane.isRunning) lane.run(this.speed, this.stopTile);
    }
  }

  #receive(reply) {
    const isRefusal = reply.type === 'refused';
    for (const lane of this.lanes) isRefusal ? lane.refuse(reply) : lane.receive(reply);
    if (isRefusal || reply.type === 'ended') this.#settle();
  }

  /** Go on where no lane moves any more: with the race if it was prepared, else not at all. */
  #settle() {
    const isStill = () => !this.lanes.some((lane) => lane.isRunning);
    if (!this.isGoing || this.#timer !== null || !isStill()) return;
    if (this.isPreparing) this.#start();
    if (isStill()) this.isGoing = false;
    this.changed();
  }

  /** Leave all games. */
  close() {
    this.#stopReplay();
    for (const off of this.offs) off();
    for (const lane of this.lanes) lane.close();
  }
}
