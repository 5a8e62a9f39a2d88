/** The games before those that were begun on this page: a new game can be taken back. */

export class Befores {
  #ids = new Map(); // of a game begun here, the id of the game before it

  /**
   * @param {string} begun
   * @param {string} before
   */
  note(begun, before) {
    this.#ids.set(begun, before);
  }

  /**
   * @param {string} game
   * @returns {string|undefined} the game before it
   */
  of(game) {
    return this.#ids.get(game);
  }

  /** Another program has the file of a game: it goes on under another id. */
  rename(was, game) {
    const before = this.#ids.get(was);
    if (before) this.#ids.set(game, before);
    for (const [begun, id] of this.#ids) if (id === was) this.#ids.set(begun, game);
  }
}
