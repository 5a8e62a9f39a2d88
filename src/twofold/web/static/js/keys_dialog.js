/** The dialog that lists the keys of a page. */

import { openDialog } from './dialog.js';
import { h } from './dom.js';
import { text } from './text.js';

/** Keys by page; those of Play, which describes none before it is drawn, stand here. */
const lists = new Map([['play', {
  move: '← ↑ → ↓|W A S D|H J K L', undo: 'U|Ctrl Z', redo: 'Y|Ctrl Y', new: 'N', hint: 'I', best: 'Enter|Space',
  auto: 'P', board: 'B', copy: 'C', analyse: 'Shift A', help: '?',
}]]);

/**
 * Name the keys of a page, for the dialog.
 *
 * @param {string} page
 * @param {Object<string, string>} keys by the name of what they do; a `|` stands between keys that do
 *   the same. Texts are `keys.<page>_<name>`
 */
export function describeKeys(page, keys) {
  lists.set(page, keys);
}

/**
 * Show the keys.
 *
 * @param {string} page
 */
export function showKeys(page) {
  const keys = Object.entries(lists.get(page) ?? {});
  openDialog({
    title: text('nav.keys'),
    body: keys.length ? h('dl', { class: 'keys' }, keys.map(([name, combos]) => h('div', {},
      h('dt', {}, combos.split('|').map((combo) => h('span', { class: 'keys-combo' },
        combo.split(' ').map((key) => h('kbd', { text: key }))))),
      h('dd', { text: text(`keys.${page}_${name}`) })))) : h('p', { text: text('keys.none') }),
  });
}
