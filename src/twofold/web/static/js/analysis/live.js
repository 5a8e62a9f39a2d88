/** The live analysis of a position: asked when the hand rests, and older answers are left. */

import { net } from '../net.js';

const REST_MS = 120;

/** The questions of one page, the last of which counts. */
export class Live {
  #ref = 0;
  #timer = null;
  #question = null;

  /**
   * @param {object} events
   * @param {(reply: object) => void} events.show called with each `AnalysisReply`
   * @param {(reply: object) => void} events.outcomes called with each `OutcomesReply`
   * @param {(message: string) => void} events.refuse called with a sentence
   */
  constructor({ show, outcomes, refuse }) {
    const mine = (run) => (reply) => { if (reply.ref && reply.ref === this.#ref) run(reply); };
    this.offs = [
      net.on('analysis', mine(show)),
      net.on('outcomes', mine(outcomes)),
      net.on('refused', mine(({ message }) => refuse(message))),
      net.on('state', ({ state }) => { if (state === 'open' && this.#question) this.#send(); }),
    ];
  }

  /** @param {object} question an `AnalyseRequest` but for its type; the same one is asked once */
  ask(question) {
    if (JSON.stringify(question) === JSON.stringify(this.#question)) return;
    this.#ref = 0;
    this.#question = question;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), REST_MS);
  }

  #send() {
    clearTimeout(this.#timer);
    this.#ref = net.send({ type: 'analyse', outcomes: true, ...this.#question });
  }

  /**
   * Ask no more.
   *
   * @param {boolean} [isAlone] whether no review is under way, which would end, too
   */
  stop(isAlone = true) {
    clearTimeout(this.#timer);
    if (this.#ref && isAlone) net.send({ type: 'stop' });
    this.#ref = 0;
    this.#question = null;
  }

  /** Listen no more. */
  close() {
    this.stop();
    for (const off of this.offs) off();
  }
}
