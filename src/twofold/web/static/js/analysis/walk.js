/** Where one is in a line of positions: steps, jumps and playing on by itself. */

/** Moves a second to choose from. */
export const RATES = [1, 2, 5, 10, 30, 100];

/** The line and the place that one looks at. */
export class Walk {
  #timer = null;
  #due = 0;

  /** Moves a second while it plays. */
  rate = 5;

  /**
   * @param {import('./tree.js').Position[]} line
   * @param {() => void} onChange called when the line, the place or playing changes
   */
  constructor(line, onChange) {
    Object.assign(this, { line, onChange, place: 0 });
  }

  /** The position one looks at. */
  get position() {
    return this.line[this.place];
  }

  /** The position after it in the line; undefined at the end. */
  get next() {
    return this.line[this.place + 1];
  }

  /** The place of the last position. */
  get last() {
    return this.line.length - 1;
  }

  /** Whether it goes on by itself. */
  get isPlaying() {
    return this.#timer !== null;
  }

  /**
   * Go to a place, and end playing.
   *
   * @param {number} place past the ends counts as the end
   * @param {import('./tree.js').Position[]} [line] another line
   */
  go(place, line = this.line) {
    this.#stop();
    this.line = line;
    this.#move(place);
  }

  /** Play on from here, or pause; at the end it begins anew. */
  toggle() {
    if (this.isPlaying) return void this.pause();
    this.#due = performance.now() + 1000 / this.rate;
    this.#timer = requestAnimationFrame((now) => this.#tick(now));
    this.#move(this.place === this.last ? 0 : this.place);
  }

  /** Play no more. */
  pause() {
    if (this.isPlaying) this.go(this.place);
  }

  #stop() {
    cancelAnimationFrame(this.#timer);
    this.#timer = null;
  }

  #tick(now) {
    const steps = Math.max(0, Math.ceil(((now - this.#due) * this.rate) / 1000));
    this.#due += (steps * 1000) / this.rate;
    const isOver = this.place + steps >= this.last;
    this.#timer = isOver ? null : requestAnimationFrame((next) => this.#tick(next));
    if (steps) this.#move(this.place + steps);
  }

  #move(place) {
    this.place = Math.max(0, Math.min(this.last, place));
    this.onChange();
  }
}
