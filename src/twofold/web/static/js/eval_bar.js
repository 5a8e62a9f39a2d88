/** The evaluation bar: how good a position is, from 0 to 1, with words. */

import { h } from './dom.js';
import { text } from './text.js';

/** A bar that fills from the bottom. */
export class EvalBar {
  constructor() {
    this.fill = h('span', { class: 'eval-fill' });
    this.label = h('span', { class: 'eval-label' });
    this.element = h('div', {
      class: 'eval-bar', role: 'meter', 'aria-label': text('analysis.bar'),
      'aria-valuemin': '0', 'aria-valuemax': '100', 'aria-valuenow': '0',
    }, h('span', { class: 'eval-track' },
      this.fill, h('span', { class: 'eval-middle' }), this.label));
    this.clear();
  }

  /**
   * Show a value.
   *
   * @param {number | null} bar from 0 to 1; null where there is none
   * @param {string} words what the value says
   * @param {string} label what stands on the bar
   */
  show(bar, words, label) {
    if (bar == null) return this.clear();
    const percent = Math.round(Math.max(0, Math.min(1, bar)) * 100);
    this.fill.style.transform = `scaleY(${percent / 100})`;
    this.label.textContent = label;
    this.element.classList.toggle('is-low', percent < 50);
    this.element.classList.remove('is-empty');
    this.element.title = words;
    this.element.setAttribute('aria-valuenow', String(percent));
    this.element.setAttribute('aria-valuetext', words);
    return undefined;
  }

  /** Show nothing. */
  clear() {
    this.fill.style.transform = 'scaleY(0)';
    this.label.textContent = '';
    this.element.classList.add('is-empty');
    this.element.title = text('analysis.no_bar');
    this.element.setAttribute('aria-valuenow', '0');
    this.element.setAttribute('aria-valuetext', text('analysis.no_bar'));
  }
}
