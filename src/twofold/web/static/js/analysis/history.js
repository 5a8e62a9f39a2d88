/** What was on the desk before and after: setting up a board can be taken back. */

const LONGEST = 500;

/** Entries, and which of them is shown. */
export class History {
  #entries = [];
  #place = -1;
  #group = '';

  get canBack() {
    return this.#place > 0;
  }

  get canForward() {
    return this.#place < this.#entries.length - 1;
  }

  /**
   * Add an entry after the one shown; what came after that is forgotten.
   *
   * @param {object} entry
   * @param {string} [group] entries of the same group in a row count as one, the last
   */
  add(entry, group = '') {
    const replaces = group !== '' && group === this.#group && !this.canForward && this.canBack;
    this.#group = group;
    const before = this.#entries.slice(0, this.#place + (replaces ? 0 : 1));
    this.#entries = [...before.slice(1 - LONGEST), entry];
    this.#place = this.#entries.length - 1;
  }

  /**
   * Go one entry back or forward.
   *
   * @param {1 | -1} step
   * @returns {object} the entry
   */
  go(step) {
    this.#group = '';
    this.#place = Math.max(0, Math.min(this.#entries.length - 1, this.#place + step));
    return this.#entries[this.#place];
  }
}
