/** How fast a game goes, from the move numbers seen. */

const SPAN_MS = 2000;
const GAP_MS = 150;

/** Moves a second over the last two seconds or so. */
export class Rate {
  #samples = [];

  /** @param {number} move the newest move number */
  note(move) {
    const now = performance.now();
    if (now - (this.#samples.at(-1)?.at ?? -GAP_MS) < GAP_MS) return;
    this.#samples.push({ at: now, move });
    while (now - this.#samples[0].at > SPAN_MS) this.#samples.shift();
  }

  /** Forget what was seen. */
  clear() {
    this.#samples = [];
  }

  /** Moves a second; null while too little was seen. */
  get perSecond() {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || last.at - first.at < GAP_MS) return null;
    return ((last.move - first.move) * 1000) / (last.at - first.at);
  }
}
