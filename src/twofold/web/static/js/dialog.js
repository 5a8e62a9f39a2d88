/** Dialogs: a heading, a way to close, a body and perhaps buttons; the one that lists the keys of a page. */

import { button, h } from './dom.js';
import { text } from './text.js';

let count = 0;

/**
 * Show a modal dialog; it takes itself away when it is closed.
 *
 * @param {{title: string, body: Node|Node[], foot?: Node[], wide?: boolean,
 *   onClose?: function(): void}} parts
 * @returns {{element: HTMLDialogElement, close: function(): void}}
 */
export function openDialog({ title, body, foot = [], wide = false, onClose = () => {} }) {
  count += 1;
  const id = `dialog-${count}`;
  const close = () => element.close();
  const element = h('dialog', { class: wide ? 'wide' : '', 'aria-labelledby': id },
    h('div', { class: 'dialog-head line apart' }, h('h2', { id, text: title }),
      button({ icon: 'close', label: text('all.close') }, close, { class: 'quiet' })),
    h('div', { class: 'dialog-body' }, body),
    foot.length > 0 && h('div', { class: 'dialog-foot row' }, foot));
  element.addEventListener('close', () => { element.remove(); onClose(); });
  element.addEventListener('click', (event) => { if (event.target === element) close(); });
  document.body.append(element);
  element.showModal();
  return { element, close };
}

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
