/** Dialogs: a heading, a way to close, a body and perhaps buttons; those of all pages: keys and settings. */

import { chips, selectField, toggle } from './controls.js';
import { button, h } from './dom.js';
import { settings } from './settings.js';
import { LANGUAGES, text } from './text.js';

let count = 0;

/**
 * Show a modal dialog; it takes itself away when it is closed.
 *
 * @param {{title: string, body: Node|Node[], foot?: Node[], wide?: boolean,
 *   onClose?: function(): void}} parts
 * @returns {HTMLDialogElement}
 */
export function openDialog({ title, body, foot = [], wide = false, onClose = () => {} }) {
  count += 1;
  const id = `dialog-${count}`;
  const dialog = h('dialog', { class: wide ? 'wide' : '', 'aria-labelledby': id, closedby: 'any' },
    h('div', { class: 'dialog-head line apart' }, h('h2', { id, text: title }),
      button({ icon: 'close', label: text('all.close') }, () => dialog.close(), { class: 'quiet' })),
    h('div', { class: 'dialog-body' }, body),
    foot.length > 0 && h('div', { class: 'dialog-foot row' }, foot));
  dialog.addEventListener('close', () => { dialog.remove(); onClose(); });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
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

const CHOICES = {
  theme: ['system', 'light', 'dark'],
  palette: ['usual', 'original', 'contrast', 'safe'],
  speed: [0, 0.5, 1, 1.5, 2],
  say: ['all', 'short', 'off'],
};

/** Show the settings; every change takes effect at once. */
export function showSettings() {
  const keep = (name) => [settings.get(name), (value) => settings.set(name, value)];
  const choice = (name, hasNote = true) => {
    const field = chips(text(`settings.${name}`), `setting-${name}`,
      CHOICES[name].map((value) => [value, text(`settings.${name}_${value}`)]), ...keep(name));
    if (hasNote) field.append(h('p', { class: 'note', text: text(`settings.${name}_note`) }));
    return field;
  };
  const languages = [['system', text('settings.language_system')], ...Object.entries(LANGUAGES)];
  openDialog({
    title: text('nav.settings'),
    body: h('div', { class: 'stack wide' },
      choice('theme', false), choice('palette'), choice('speed'), toggle(text('settings.pad'), ...keep('pad')), choice('say'),
      selectField('setting-language', text('settings.language'), languages, ...keep('language'))),
  });
}
