/**
 * At which move the large tiles of a game were made.
 *
 * Of a game that goes too fast only some positions are seen. The move that made a tile lies
 * between two of them, and is found by looking at the positions between: half, half of that, ...
 */

/** @typedef {{tile: number, move: number, exact: boolean}} Milestone */

/** The milestones of one game. */
export class Milestones {
  /**
   * @param {(move: number) => Promise<{tiles: number[], move_number: number}>} look shows an
   *   earlier position
   * @param {number} smallest tile that is noted
   * @param {(list: Milestone[]) => void} changed
   */
  constructor(look, smallest, changed) {
    this.look = look;
    this.smallest = smallest;
    this.changed = changed;
    this.list = [];
    this.largest = 0;
    this.seen = 0;
    this.open = true;
  }

  /**
   * Take note of a position.
   *
   * @param {number} largest its largest tile
   * @param {number} move its move number
   */
  note(largest, move) {
    const [before, from] = [this.largest, this.seen];
    this.seen = move;
    if (largest <= before) return;
    this.largest = largest;
    for (let made = Math.max(this.smallest, 2 * before); made <= largest; made *= 2) this.#add(made, from, move);
  }

  #add(tile, from, move) {
    const milestone = { tile, move, exact: move - from <= 1 };
    this.list.push(milestone);
    this.changed(this.list);
    if (!milestone.exact) this.#narrow(milestone, from);
  }

  async #narrow(milestone, from) {
    let low = from;
    try {
      while (this.open && milestone.move - low > 1) {
        const middle = Math.floor((low + milestone.move) / 2);
        const position = await this.look(middle);
        if (Math.max(...position.tiles) >= milestone.tile) milestone.move = middle;
        else low = middle;
      }
      milestone.exact = this.open;
    } catch {
      return; // the game is gone, or nothing is kept that far back: it stays an upper bound
    }
    if (this.open) this.changed(this.list);
  }

  /** Look no further. */
  close() {
    this.open = false;
  }
}
