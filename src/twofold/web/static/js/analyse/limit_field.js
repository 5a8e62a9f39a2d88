/** How long, or how deep, a player may think. */

import { h } from '../dom.js';
import { text } from '../text.js';

const SECONDS = [0.5, 1, 2, 5, 10, 30];
const PLIES = [1, 2, 3, 4, 5, 6, 7, 8];

/** A list of times and depths. */
export class LimitField {
  /**
   * @param {string} limit as links have it: `5s`, `3ply`, or empty
   * @param {() => void} onPick
   */
  constructor(limit, onPick) {
    this.select = h('select', { id: 'analyse-limit', class: 'select', onchange: onPick },
      h('option', { value: '', text: text('analyse.limit_default') }),
      group('analyse.limit_time', SECONDS, 's', 'analyse.seconds'),
      group('analyse.limit_depth', PLIES, 'ply', 'analyse.plies'));
    this.element = h('div', { class: 'field' },
      h('label', { for: 'analyse-limit', text: text('analyse.limit') }), this.select);
    this.value = limit;
  }

  get value() {
    return this.select.value;
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
