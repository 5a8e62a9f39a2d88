/** The tiles to paint with. */

import { h } from '../dom.js';
import { exponentOf } from '../notation.js';
import { text } from '../text.js';

const LARGEST = 131072;

/** A row of tiles, one of which may be picked; none picked means that clicks count. */
export class Palette {
  /** @param {(tile: number | null) => void} onPick called with the tile; null for none, 0 clears */
  constructor(onPick) {
    this.onPick = onPick;
    this.picked = null;
    this.buttons = new Map();
    for (let tile = 2; tile <= LARGEST; tile *= 2) this.buttons.set(tile, this.#button(tile));
    this.buttons.set(0, this.#button(0));
    this.element = h('div', { class: 'palette', role: 'group', 'aria-label': text('analyse.palette') },
      ...this.buttons.values());
  }

  #button(tile) {
    const digits = tile ? String(tile) : text('analyse.eraser');
    return h('button', {
      type: 'button',
      class: tile ? 'palette-tile tile-face' : 'palette-tile palette-eraser',
      dataset: tile ? { exponent: exponentOf(tile) } : {},
      style: { '--digits': digits.length },
      'aria-pressed': 'false',
      'aria-label': tile ? undefined : text('analyse.eraser_name'),
      onclick: () => this.pick(this.picked === tile ? null : tile),
    }, digits);
  }

  /** @param {number | null} tile to paint with; null to let clicks count again */
  pick(tile) {
    this.picked = tile;
    for (const [known, button] of this.buttons) {
      button.setAttribute('aria-pressed', String(known === tile));
    }
    this.onPick(tile);
  }
}
