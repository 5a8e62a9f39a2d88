/**
 * The game in play as this page knows it, and the moves that are meant but not yet made.
 *
 * Keys may be pressed faster than the server answers: they wait in a queue, and each is sent when
 * the one before it, or a new game, was answered, so that it meets the board it will really meet.
 */

import { onLeave } from '../dom.js';
import { net } from '../net.js';
import { remember, remembered } from '../settings.js';
import { text } from '../text.js';

/** Intents that make a move. */
const MOVES = new Set(['move', 'autoplay']);

const WAITING = 'twofold.waiting';

/** So many keys may wait: more than fingers press in that time. A key held down does not wait. */
const MOST_WAITING = 200;

/** Up to this pace a key that takes the game over from a player makes its move, too. */
const FOLLOWED_PACE = 5;

/** One game. */
export class LiveGame {
  /** The last `game` message; null before the first one. */
  state = null;

  /** Where the game stands: the last `now`. */
  now = null;

  /** Where it stood before the last step or frame. */
  before = null;

  /** Pace of the player that plays, moves a second. */
  pace = 0;

  /** While true, moves are not taken: the person is asked whether to go on. */
  blocked = false;

  #watcher;
  #queue = [];
  #sent = null; // what was sent and is not answered yet
  #coming = 0; // games asked for in place of this one; moves wait for them
  #line = new Line();
  #isLost = false; // whether the connection was lost since the game was seen last
  #server = ''; // where that was
  #back = null; // what the last loss has meant, until all that waited is done
  #isLeft = false; // whether its page was left: another one may have the game now

  /**
   * @param {object} watcher what the page does when something happened, if anything: `state`, `step`,
   *   `frame` and `ended` get that message, `hinted` where the game stood before a hint, `sending` and
   *   `illegal` the letter of a move that is asked for or moves nothing, `trouble` a sentence.
   *   `waiting` hears that the number of waiting moves has changed, and `back`, when all are made
   *   that waited for the connection, whether the server `isBehind` and its player `isStopped`
   */
  constructor(watcher) {
    this.#watcher = watcher;
    const mine = (take) => (reply) => (reply.game === this.id || (reply.was && reply.was === this.id)) && take(reply);
    net.on('game', mine((state) => this.#onState(state)));
    net.on('step', mine((step) => {
      [this.before, this.now] = [this.now, step.now];
      this.#line.step(step);
      this.#watcher.step?.(step);
    }));
    net.on('frame', mine((frame) => {
      [this.before, this.now] = [this.now, frame.now];
      this.#line.at(frame.now);
      this.#watcher.frame?.(frame);
    }));
    net.on('ended', mine((ended) => this.#onEnded(ended)));
    net.on('state', ({ state }) => {
      if (state !== 'lost') return;
      this.#isLost = true;
      this.#keep();
    });
    net.on('gone', ({ game }) => game === this.id && this.#onGone());
    onLeave(() => {
      this.#isLeft = true;
      this.close();
    });
  }

  /** Id of the game; empty before it is known. */
  get id() {
    return this.state?.game ?? '';
  }

  /** Whether a player makes the moves now. */
  get isAuto() {
    return Boolean(this.now?.autoplay) && !this.#coming && this.#sent?.intent.type !== 'autoplay';
  }

  /** Whether nothing has happened in it since it began. */
  get isUnplayed() {
    const { now, state } = this;
    return Boolean(now) && now.move_number === state.first && !now.undos && !this.waiting
      && !this.#coming;
  }

  /** How much waits to be done: moves, undos. */
  get waiting() {
    return this.#queue.length + (this.#sent ? 1 : 0);
  }

  /** How many moves wait to be made. */
  get waitingMoves() {
    return [...this.#queue, ...this.#sent ? [this.#sent.intent] : []].filter(({ type }) => MOVES.has(type)).length;
  }

  /** Whether anything waits: moves, undos, another game. */
  get isPending() {
    return this.waiting > 0 || this.#coming > 0;
  }

  /** Whether moves that waited for the connection are being made: their boards are not looked at. */
  get isCatchingUp() {
    return this.#back !== null;
  }

  /**
   * Open a game; the one before is left.
   *
   * @param {string} game its id; empty for the one played last
   * @param {{unplayed?: boolean}} [leaving] whether the one before is forgotten if nothing has
   *   happened in it
   */
  async open(game, leaving = {}) {
    try {
      await this.#replace({ type: 'open', game }, leaving);
    } catch (error) {
      if (error.kind === 'ConnectionLost') return; // opened again with the connection
      if (game) await this.open('');
      else if (!this.id) await this.begin().catch(() => {}); // the one played last is damaged
      this.#watcher.trouble(game ? text('play.not_opened', { message: error.message }) : error.message);
    }
  }

  /**
   * Begin a game; rejects where the server refuses.
   *
   * @param {object} [options] fields of a `new` message
   */
  async begin(options = {}) {
    await this.#replace({ type: 'new', ...options });
  }

  /**
   * Ask for a move; it waits for those before it. `twofold drive` says who presses the keys.
   *
   * @param {string} letter
   * @param {boolean} [held] whether the key is held down: then it does not queue
   */
  move(letter, held = false) {
    if (this.blocked || (held && this.waiting)) return;
    if (this.isAuto) {
      const followed = this.pace <= FOLLOWED_PACE;
      this.pause();
      if (!followed) return;
    }
    this.#push({ type: 'move', move: letter });
  }

  /** @param {string} letters of moves from the first board on, to be made again */
  repeat(letters) {
    this.#queue.push(...[...letters].map((move, at) => ({ type: 'move', move, at })));
    this.#next();
  }

  /**
   * Step through the game.
   *
   * @param {'undo' | 'redo' | 'take_back'} type `undo` takes the last move back, `redo` makes it again;
   *   `take_back` takes back what keeps the game from counting as played by hand: moves of a player, a hint
   */
  step(type) {
    if (this.isAuto) this.pause();
    this.#push({ type });
  }

  /** Hints were shown for the board. @param {number} hints counted so far */
  hinted(hints) {
    const before = this.now;
    this.now = { ...before, hints, kind: before.kind === 'hand' && hints ? 'helped' : before.kind };
    this.#watcher.hinted?.(before);
  }

  /** @param {string} player spec of who makes one move */
  best(player) {
    if (!this.blocked && !this.isAuto) this.#push({ type: 'autoplay', player, moves: 1 });
  }

  /**
   * Let a player make the moves.
   *
   * @param {string} player spec
   * @param {number|null} pace moves a second; null for as many as it can
   */
  autoplay(player, pace) {
    if (this.#coming) return;
    this.pace = pace ?? Infinity;
    this.#queue = [];
    const wish = { type: 'autoplay', player, moves_per_second: pace, game: this.id };
    net.ask(wish).catch(({ kind, message }) => (
      kind !== 'ConnectionLost' && this.#watcher.trouble(message)));
  }

  /** Take the game over from the player. */
  pause() {
    if (this.id) net.send({ type: 'pause', game: this.id });
  }

  /** Take no moves until `blocked` is false again, and forget those that wait. */
  block() {
    this.blocked = true;
    this.#queue = this.#queue.filter(isAgain);
  }

  /** Leave the game. */
  close() {
    if (!this.id || net.state !== 'open') return;
    if (this.isAuto) this.pause();
    net.send({ type: 'close', game: this.id });
  }

  async #replace(message, leaving = {}) {
    if (this.isAuto) this.pause();
    [this.#queue, this.#sent, this.blocked] = [[], null, false];
    this.#coming += 1;
    if (net.isAway) this.#watcher.waiting?.();
    const state = await net.ask(message).catch((error) => {
      this.#queue = []; // meant for a game that does not come
      throw error;
    }).finally(() => {
      this.#coming -= 1;
      if (net.isAway) this.#watcher.waiting?.();
    });
    if (this.#isLeft) return;
    if (this.id && this.id !== state.game) net.send({ type: 'close', game: this.id, ...leaving });
    this.#onState(state);
  }

  #push(intent) {
    if (this.#queue.length >= MOST_WAITING) return;
    this.#queue.push(intent);
    this.#next();
    if (this.#isLost) this.#keep();
  }

  /** Tell how many moves wait; the tab keeps them, for when Play is left or loaded again meanwhile. */
  #keep() {
    if (this.now) remember(WAITING, { game: this.id, number: this.now.move_number, queue: this.#queue, sent: this.#sent });
    this.#watcher.waiting?.();
  }

  /** Have the moves again that the tab keeps for a game, unless it was played on elsewhere. */
  #recall({ game, now: { move_number: number } }) {
    const kept = remembered(WAITING);
    if (kept?.game !== game || Math.abs(number - kept.number) > 1) return;
    [this.#queue, this.#sent, this.#isLost] = [kept.queue, kept.sent, true];
  }

  /** Send the first of the waiting moves that can be made. */
  #next() {
    while (!this.#sent && !this.#coming && this.now && net.state === 'open' && this.#queue.length) {
      if (this.isAuto) return; // until the player has let go
      const intent = this.#queue.shift();
      if (isAgain(intent) && intent.at !== this.now.move_number) continue; // another page made it
      if (canDo(intent, this.now)) this.#send(intent);
      else if (intent.type === 'move') this.#watcher.illegal?.(intent.move);
    }
    if (!this.#back || this.waiting || this.#coming) return;
    const back = this.#back;
    this.#back = null;
    this.#watcher.back?.(back);
  }

  async #send(intent) {
    const mine = { intent, number: this.now.move_number, undos: this.now.undos };
    const numbered = intent.type === 'move' ? { move_number: mine.number } : {};
    this.#sent = mine;
    if (intent.type === 'move') this.#watcher.sending(intent.move);
    try {
      const { at, ...message } = intent;
      await net.ask({ ...message, ...numbered, game: this.id });
      if (intent.type !== 'autoplay') this.#answered(mine); // else when it has ended
    } catch (error) {
      if (error.kind === 'ConnectionLost') return; // settled when the game is open again
      if (error.kind === 'StaleMove' && isAgain(intent)) return void this.#answered(mine);
      if (this.#sent !== mine) return; // another game is played now
      this.#queue = [];
      this.#back = null;
      this.#watcher.state(this.state = { ...this.state, now: this.now, undone: '' });
      this.#watcher.trouble(error.message);
      this.#answered(mine);
    }
  }

  #answered(mine) {
    if (this.#sent !== mine) return;
    this.#sent = null;
    this.#next();
  }

  #onState(state) {
    const wasAuto = this.isAuto;
    if (!this.state) this.#recall(state);
    this.state = state;
    this.now = state.now;
    this.#settle(wasAuto);
    this.#line.at(state.now);
    this.#watcher.state(state);
    this.#next();
  }

  #onEnded(ended) {
    this.now = ended.now;
    this.#line.at(ended.now);
    if (this.#sent?.intent.type === 'autoplay') this.#sent = null;
    this.#watcher.ended?.(ended);
    this.#next();
  }

  /**
   * The game was opened again, or for the first time. Of what was sent the move number and the
   * undos tell whether it was done; a server that was killed may lack moves of the line.
   */
  #settle(wasAuto) {
    const isElsewhere = this.#server !== '' && this.#server !== net.welcome.server;
    this.#server = net.welcome.server;
    if (!this.#isLost) return;
    this.#isLost = false;
    remember(WAITING, null);
    const { now } = this;
    const missing = isElsewhere ? this.#line.after(now) : [];
    const reached = now.move_number + (missing?.length ?? 0);
    const sent = this.#sent;
    const isLeft = sent && sent.number === reached && sent.undos === now.undos;
    this.#queue.unshift(...missing ?? [], ...isLeft ? [sent.intent] : []);
    this.#sent = null;
    this.#back = { isBehind: !missing, isStopped: wasAuto && isElsewhere && !now.autoplay };
    this.#watcher.waiting?.();
  }

  /** The game is not there any more: one that a server had not saved yet begins again. */
  async #onGone() {
    const { rules, seed, kept, first } = this.state;
    const { board, score, moves } = this.#line;
    const isElsewhere = this.#server !== '' && this.#server !== net.welcome.server;
    if (!isElsewhere || !kept || this.#line.first !== first) return void this.open('');
    const left = [...moves, ...this.#sent ? [this.#sent.intent] : [], ...this.#queue];
    const isStopped = this.isAuto;
    this.#server = '';
    this.#coming += 1; // also until what is left is asked for
    try {
      await this.begin({ rules: rules.text, seed });
      if (this.now.board !== board) await this.begin({ rules: rules.text, seed, board, score });
    } catch (error) {
      return void this.#watcher.trouble(error.message);
    } finally {
      this.#coming -= 1;
    }
    this.#back &&= { ...this.#back, isStopped };
    this.#queue.unshift(...left);
    this.#next();
  }
}

/**
 * @param {{status: string}} now where a game stands
 * @returns {boolean} whether no move follows
 */
export function isFinished({ status }) {
  return status === 'over' || status === 'stopped';
}

/**
 * @param {{tiles: number[]}} now where a game stands
 * @param {{goal: number}} rules
 * @returns {boolean} whether the board holds the goal or a larger tile
 */
export function hasReached({ tiles }, { goal }) {
  return Math.max(...tiles) >= goal;
}

/** Whether a move was made before, and a server has lost it; see `Line.after`. */
function isAgain({ at }) {
  return at !== undefined;
}

/**
 * @param {object} intent
 * @param {object} now where the game stands
 * @returns {boolean} whether it can be done there
 */
function canDo(intent, now) {
  if (intent.type === 'move') return now.legal.includes(intent.move);
  if (intent.type === 'undo') return now.can_undo;
  if (intent.type === 'redo') return now.can_redo;
  return intent.type === 'take_back' || now.legal !== '';
}

/** More moves are not kept: a server that was killed lacks those of about a second. */
const MOST_MOVES = 4000;

/** One game, from some move number on. */
class Line {
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
