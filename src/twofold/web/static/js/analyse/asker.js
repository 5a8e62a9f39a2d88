/** Asks for analyses: not before the hand rests, and what comes for an older question is left. */

import { net } from '../net.js';

const REST_MS = 80;

/** The questions of one page. */
export class Asker {
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
    this.offs = [
      net.on('analysis', (reply) => { if (this.#isMine(reply)) show(reply); }),
      net.on('outcomes', (reply) => { if (this.#isMine(reply)) outcomes(reply); }),
      net.on('refused', (reply) => { if (this.#isMine(reply)) refuse(reply.message); }),
      net.on('state', ({ state }) => { if (state === 'open' && this.#question) this.#send(); }),
    ];
  }

  #isMine(reply) {
    return reply.ref !== 0 && reply.ref === this.#ref;
  }

  /** @param {object} question an `AnalyseRequest` but for its type */
  ask(question) {
    this.#ref = 0;
    this.#question = question;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), REST_MS);
  }

  #send() {
    clearTimeout(this.#timer);
    this.#ref = net.send({ type: 'analyse', outcomes: true, ...this.#question });
  }

  /** Ask no more. */
  stop() {
    clearTimeout(this.#timer);
    if (this.#ref) net.send({ type: 'stop' });
    this.#ref = 0;
    this.#question = null;
  }

  /** Stop, and listen no more. */
  close() {
    this.stop();
    for (const off of this.offs) off();
  }
}
