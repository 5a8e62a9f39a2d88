/** The evaluation bar: how good a position is, from 0 to 1, with words. */

import { barLabel, barText } from './analysis_texts.js';
import { h, part, render } from './dom.js';
import { text } from './text.js';

/** A bar that fills from the bottom. */
export class EvalBar {
  constructor() {
    this.element = part(h('div', { role: 'meter', 'aria-label': text('analysis.bar'), 'aria-valuemin': 0, 'aria-valuemax': 100 }));
    this.show(null);
  }

  /** @param {object | null} reply an `AnalysisReply`; null, or one without a value, leaves the bar empty */
  show(reply) {
    const bar = reply?.bar ?? null;
    const percent = Math.round(100 * Math.max(0, Math.min(1, bar ?? 0)));
    const words = bar === null ? text('analysis.no_bar') : barText(reply);
    this.element.className = `eval-bar ${bar === null ? 'is-empty' : percent < 50 ? 'is-low' : ''}`;
    Object.assign(this.element, { title: words, ariaValueNow: String(percent), ariaValueText: words });
    render(this.element, h('span', { class: 'eval-track' },
      h('span', { class: 'eval-fill', style: { transform: `scaleY(${percent / 100})` } }),
      h('span', { class: 'eval-middle' }), h('span', { class: 'eval-label', text: bar === null ? '' : barLabel(reply) })));
  }
}
