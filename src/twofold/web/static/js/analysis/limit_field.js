/** How long, or how deep, a player may think. */

import { field, h } from '../dom.js';
import { net } from '../net.js';
import { takesLimits } from '../player_picker.js';
import { text } from '../text.js';

const SECONDS = [0.5, 1, 2, 5, 10, 30];
const PLIES = [1, 2, 3, 4, 5, 6, 7, 8];

/** A list of times and depths; none for a player whose search cannot be limited. */
export class LimitField {
  /**
   * @param {string} limit as links have it: `5s`, `3ply`, or empty
   * @param {() => void} onPick
   * @param {() => string} specOf the player
   */
  constructor(limit, onPick, specOf) {
    this.specOf = specOf;
    this.select = h('select', { id: 'analyse-limit', class: 'select', onchange: onPick },
      h('option', { value: '', text: text('analyse.limit_default') }),
      group('analysis.time', SECONDS, 's', 'analyse.seconds'),
      group('analysis.depth', PLIES, 'ply', 'analyse.plies'));
    this.element = field(text('analyse.limit'), this.select);
    this.value = limit;
    this.off = net.on('welcome', () => this.fit());
  }

  /** Show the list if the player takes limits. */
  fit() {
    this.element.hidden = !takesLimits(this.specOf());
  }

  /** Listen no more. */
  close() {
    this.off();
  }

  get value() {
    return takesLimits(this.specOf()) ? this.select.value : '';
  }

  set value(limit) {
    this.select.value = limit;
    if (this.select.selectedIndex < 0) this.select.value = '';
  }

  /** The limit as an `AnalyseRequest` has it. */
  get request() {
    const [, count, unit] = /^([\d.]+)(s|ply)$/.exec(this.value) ?? [];
    if (!unit) return {};
    return unit === 's' ? { seconds: Number(count) } : { ply: Number(count) };
  }
}

function group(label, counts, unit, key) {
  return h('optgroup', { label: text(label) },
    counts.map((count) => h('option', { value: `${count}${unit}`, text: text(key, { count }) })));
}
