/** Where one is in a game: steps, jumps and playing on by itself. */

const DEFAULT_RATE = 5;

/** Moves a second to choose from. */
export const RATES = [1, 2, 5, 10, 30, 100];

/** The place one looks at. */
export class Walk {
  #timer = null;
  #due = 0;

  /** Moves a second while it plays. */
  rate = DEFAULT_RATE;

  place = 0;

  /**
   * @param {number} last the last place
   * @param {(change: {stepped: boolean}) => void} onChange called when place or playing change;
   *   `stepped` where it went one place forward
   */
  constructor(last, onChange) {
    this.last = last;
    this.onChange = onChange;
  }

  /** Whether it goes on by itself. */
  get isPlaying() {
    return this.#timer !== null;
  }

  /**
   * Go to a place; ends playing.
   *
   * @param {number} place past the ends counts as the end
   */
  go(place) {
    this.pause();
    this.#move(place);
  }

  /**
   * Go some places on.
   *
   * @param {number} steps negative ones go back
   */
  by(steps) {
    this.go(this.place + steps);
  }

  /** Play on from here, or pause; at the end it begins anew. */
  toggle() {
    if (this.isPlaying) {
      this.pause();
      return;
    }
    if (this.place === this.last) this.#move(0);
    this.#due = performance.now() + 1000 / this.rate;
    this.#timer = requestAnimationFrame((now) => this.#tick(now));
    this.onChange({ stepped: false });
  }

  /** Play no more. */
  pause() {
    if (!this.isPlaying) return;
    cancelAnimationFrame(this.#timer);
    this.#timer = null;
    this.onChange({ stepped: false });
  }

  #tick(now) {
    const steps = Math.max(0, Math.ceil(((now - this.#due) * this.rate) / 1000));
    this.#due += (steps * 1000) / this.rate;
    this.#timer =
      this.place + steps >= this.last ? null : requestAnimationFrame((next) => this.#tick(next));
    if (steps) this.#move(this.place + steps);
  }

  #move(place) {
    const wanted = Math.max(0, Math.min(this.last, place));
    if (wanted === this.place) return;
    const stepped = wanted === this.place + 1;
    this.place = wanted;
    this.onChange({ stepped });
  }
}
