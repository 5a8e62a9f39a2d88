/** Text to the clipboard. */

import { toast } from './announce.js';
import { h, icon, listenTo } from './dom.js';
import { analysisLink } from './links.js';
import { text } from './text.js';

const OPEN_MENU = 'details.menu[open]';

listenTo(document, { click: closeOthers, keydown: closeByKey }, true);

/**
 * Copy a text and say so; where the browser does not allow it, say that.
 *
 * @param {string} words
 * @param {string} done said once it is copied
 * @param {string} failed said otherwise
 * @param {{text: string, run: function(): void}} [action] a button of what is said once it is copied
 */
export async function copyText(words, done, failed, action = null) {
  try {
    await navigator.clipboard.writeText(words);
    toast(done, action);
  } catch {
    toast(failed);
  }
}

/**
 * A menu that copies a position: its tiles, the board as text, a link.
 *
 * @param {{board: string, tiles: number[], rows: number, cols: number, score?: number}} position
 * @param {Object<string, function(): void>} [more] further things to copy, by the end of their text
 * @returns {HTMLElement}
 */
export function copyMenu({ board, tiles, rows, cols, score }, more = {}) {
  const lines = Array.from({ length: rows }, (_, row) => tiles.slice(row * cols, (row + 1) * cols).join(' '));
  const link = new URL(analysisLink({ board, score: String(score ?? '') }), window.location.href);
  const copy = (words) => copyText(words, text('analyse.copied'), text('analyse.not_copied'));
  const items = {
    tiles: () => copy(lines.join('\n')), board: () => copy(board), link: () => copy(link.href), ...more,
  };
  const item = ([name, run]) => h('button', { type: 'button', class: 'bare', onclick: ({ target }) => {
    target.closest('details').open = false;
    run();
  } }, text(`analyse.copy_${name}`));
  return h('details', { class: 'menu' },
    h('summary', { class: 'button' }, icon('copy'),
      h('span', { class: 'button-text', text: text('analyse.copy') })),
    h('div', { class: 'menu-items' }, Object.entries(items).map(item)));
}

/** A click closes the menus that it is not in. */
function closeOthers({ target }) {
  for (const menu of document.querySelectorAll(OPEN_MENU)) if (!menu.contains(target)) menu.open = false;
}

/** Escape closes the menu, and no more than that. */
function closeByKey(event) {
  const menu = event.key === 'Escape' && !document.querySelector('dialog[open]') && document.querySelector(OPEN_MENU);
  if (!menu) return;
  event.preventDefault();
  event.stopPropagation();
  menu.open = false;
  menu.querySelector('summary').focus();
}
