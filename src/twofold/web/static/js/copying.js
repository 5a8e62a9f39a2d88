/** Text to the clipboard. */

import { toast } from './announce.js';
import { button, h } from './dom.js';
import { analysisLink } from './links.js';
import { text } from './text.js';

const MENU = 'copy-menu';

/**
 * Copy a text and say so; where the browser does not allow it, say that.
 *
 * @param {string} words
 * @param {string} [done] said once it is copied
 * @param {string} [failed] said otherwise
 * @param {{text: string, run: function(): void}} [action] a button of what is said once it is copied
 */
export async function copyText(words, done = text('analyse.copied'), failed = text('analyse.not_copied'), action = null) {
  try {
    await navigator.clipboard.writeText(words);
    toast(done, action);
  } catch {
    toast(failed);
  }
}

/**
 * The menu of a page that copies a position: its tiles, the board as text, a link.
 *
 * @param {{board: string, tiles: number[], rows: number, cols: number, score?: number}} position
 * @param {Object<string, function(): void>} [more] further things to copy, by the end of their text
 * @returns {HTMLElement}
 */
export function copyMenu({ board, tiles, rows, cols, score }, more = {}) {
  const lines = Array.from({ length: rows }, (_, row) => tiles.slice(row * cols, (row + 1) * cols).join(' '));
  const link = new URL(analysisLink({ board, score: String(score ?? '') }), window.location.href);
  const items = { tiles: () => copyText(lines.join('\n')), board: () => copyText(board), link: () => copyText(link.href), ...more };
  return h('div', { class: 'menu' },
    button({ icon: 'copy', text: text('analyse.copy') }, null, { popovertarget: MENU }),
    h('div', { id: MENU, class: 'menu-items', popover: 'auto' }, Object.entries(items).map(([name, run]) => (
      h('button', { type: 'button', class: 'bare', popovertarget: MENU, onclick: run }, text(`analyse.copy_${name}`))))));
}
