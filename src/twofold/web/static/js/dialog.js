/** Dialogs: a heading, a way to close, a body and perhaps buttons. */

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
    h('div', { class: 'dialog-head' }, h('h2', { id, text: title }),
      button({ icon: 'close', label: text('all.close') }, close, { class: 'quiet' })),
    h('div', { class: 'dialog-body' }, body),
    foot.length > 0 && h('div', { class: 'dialog-foot' }, foot));
  element.addEventListener('close', () => { element.remove(); onClose(); });
  element.addEventListener('click', (event) => { if (event.target === element) close(); });
  document.body.append(element);
  element.showModal();
  return { element, close };
}
