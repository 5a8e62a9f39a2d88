/** What a loss of the connection means for the moves of a game. */

import { net } from '../net.js';

/** Keys pressed during a loss longer than this are forgotten; that is said. */
const LONGEST_MS = 10_000;

/** One game's losses of the connection. */
export class Loss {
  #since = 0;
  #server = ''; // where the game was seen last

  /** The connection is lost. */
  begin() {
    this.#since ||= performance.now();
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
   * @returns {{queue: object[], dropped: number, isBehind: boolean}|null} null where none was lost
   */
  end(line, now, sent, queue) {
    const { isElsewhere } = this;
    this.#server = net.welcome.server;
    if (!this.#since) return null;
    const away = performance.now() - this.#since;
    this.#since = 0;
    const missing = isElsewhere ? line.after(now) : [];
    const reached = now.move_number + (missing?.length ?? 0);
    const isLeft = sent && sent.number === reached && sent.undos === now.undos;
    const kept = away > LONGEST_MS ? queue.filter(isAgain) : queue;
    return {
      queue: [...missing ?? [], ...isLeft ? [sent.intent] : [], ...kept],
      dropped: queue.length - kept.length,
      isBehind: !missing,
    };
  }
}

/** Whether a move was made before, and a server has lost it; see `Line.after`. */
export function isAgain({ at }) {
  return at !== undefined;
}
