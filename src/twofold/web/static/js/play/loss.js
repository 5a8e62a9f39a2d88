/** What a loss of the connection means for the moves of a game. */

import { net } from '../net.js';
import { isAgain } from './intents.js';

/** Keys pressed during a loss are dropped once it is this long; that is said. */
const LONGEST_MS = 10_000;

/**
 * @typedef {object} Found what a loss has meant
 * @property {object[]} queue intents that wait now
 * @property {number} dropped number of moves that were dropped
 * @property {boolean} isBehind whether the server lacks changes that this page cannot make again
 * @property {boolean} isStopped whether a player that moved has ended with its server
 */

/** One game's losses of the connection. */
export class Loss {
  #since = 0;
  #server = ''; // where the game was seen last
  #timer = null;
  #onLong;

  /** Number of moves dropped since the connection was lost. */
  dropped = 0;

  /** @param {function(): void} onLong a loss is so long that what waits is dropped */
  constructor(onLong) {
    this.#onLong = onLong;
  }

  /** The connection is lost. */
  begin() {
    if (this.#since) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onLong, LONGEST_MS + 1); // both clocks are rounded
  }

  /**
   * Drop moves that wait too long.
   *
   * @param {object[]} queue intents that wait
   * @returns {object[]} those that are kept
   */
  keep(queue) {
    if (!this.#since || performance.now() - this.#since < LONGEST_MS) return queue;
    const kept = queue.filter(isAgain);
    this.dropped += queue.length - kept.length;
    return kept;
  }

  /** The game is left. */
  close() {
    clearTimeout(this.#timer);
  }

  /** Whether the server where the game was seen last has ended. */
  get isElsewhere() {
    return this.#server !== '' && this.#server !== net.welcome.server;
  }

  /** The game that was seen there is not gone on with. */
  forget() {
    this.#server = '';
  }

  /**
   * The game was opened again, or for the first time. Of what was sent the move number and the undos
   * tell whether it was done; a server that was killed may lack moves of the line.
   *
   * @param {import('./line.js').Line} line
   * @param {object} now
   * @param {{intent: object, number: number, undos: number}|null} sent and not answered
   * @param {object[]} queue intents that wait
   * @param {boolean} wasAuto whether a player moved before
   * @returns {Found|null} null where the connection was not lost
   */
  end(line, now, sent, queue, wasAuto) {
    const { isElsewhere } = this;
    this.#server = net.welcome.server;
    if (!this.#since) return null;
    const kept = this.keep(queue);
    const { dropped } = this;
    this.#reset();
    const missing = isElsewhere ? line.after(now) : [];
    const reached = now.move_number + (missing?.length ?? 0);
    const isLeft = sent && sent.number === reached && sent.undos === now.undos;
    return {
      queue: [...missing ?? [], ...isLeft ? [sent.intent] : [], ...kept],
      dropped,
      isBehind: !missing,
      isStopped: wasAuto && isElsewhere && !now.autoplay,
    };
  }

  #reset() {
    clearTimeout(this.#timer);
    this.#since = 0;
    this.dropped = 0;
  }
}
