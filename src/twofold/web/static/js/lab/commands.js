/** Command lines to be copied. */

import { button, h } from '../dom.js';
import { text } from '../text.js';
import { toast } from '../toast.js';
import { scrollBox } from './scroll_box.js';

/**
 * @param {string[]} lines
 * @returns {HTMLElement}
 */
export function commandBlock(lines) {
  const copy = async () => {
    await navigator.clipboard.writeText(`${lines.join('\n')}\n`);
    toast(text('lab.copied'));
  };
  const block = h('pre', null, lines.map((line) => h('code', { text: `${line}\n` })));
  return h('div', { class: 'lab-commands' }, scrollBox(text('lab.commands'), block),
    navigator.clipboard && button({ icon: 'copy', label: text('lab.copy') }, copy, { class: 'quiet' }));
}
