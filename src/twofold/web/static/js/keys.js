/** Keys of a page: moves and commands, left alone where they belong to a control or the browser. */

import { listenTo } from './dom.js';
import { keyOf, moveOfKey } from './moves.js';

const TAKES_KEYS =
  'input:not([type="checkbox"], [type="button"]), select, textarea, [contenteditable]';
const TAKES_ENTER = 'a, button, summary, input, select, textarea, [role="button"], [tabindex="0"]';

/**
 * Listen to the keys of the page.
 *
 * Commands are named by their key (`n`, `?`, `Enter`, `Space`), with `ctrl+` and `shift+` before
 * it; Command counts as Ctrl. Other keys with Ctrl, Alt or Meta held are left to the browser.
 *
 * @param {{move?: function(string, KeyboardEvent): void,
 *   commands?: Object<string, function(KeyboardEvent): void>}} handlers
 * @returns {function(): void} ends it
 */
export function listenKeys({ move = null, commands = {} }) {
  const onKey = (event) => {
    if (event.defaultPrevented || event.isComposing || isTaken(event)) return;
    const name = commandOf(event);
    const command = (event.shiftKey && commands[`shift+${name}`]) || commands[name];
    const letter = command || !move ? '' : moveOfKey(event);
    if (!command && !letter) return;
    event.preventDefault();
    if (command) command(event);
    else move(letter, event);
  };
  return listenTo(document, { keydown: onKey });
}

/** Whether a click on a link is to be followed in this page: none that opens another tab or window. */
export function isPlain(event) {
  return !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button);
}

/**
 * Give the keys back to the page after the mouse or a finger has used a control: else Space would
 * press a button once more, and arrows would move a slider.
 *
 * @param {HTMLElement} root
 * @returns {function(): void} ends it
 */
export function releaseFocusAfterPointer(root) {
  let byPointer = false;
  const note = (event) => { byPointer = event.type === 'pointerdown'; };
  const release = (event) => {
    if (byPointer && event.target.matches?.('button, button *, select, input:not([type="text"])')) {
      document.activeElement?.blur?.();
    }
  };
  const offs = [listenTo(document, { pointerdown: note, keydown: note }, true),
    listenTo(root, { click: release, change: release }, true)];
  return () => offs.forEach((off) => off());
}

function commandOf(event) {
  const key = event.key === ' ' ? 'Space' : keyOf(event);
  const held = event.ctrlKey || event.metaKey;
  if (event.altKey) return '';
  // Shift is part of a sign such as `?`, but not of a letter
  const shift = event.shiftKey && (held || key.length > 1);
  return `${held ? 'ctrl+' : ''}${shift ? 'shift+' : ''}${key}`;
}

function isTaken(event) {
  if (document.querySelector('dialog[open]')) return true;
  const { target } = event;
  if (!(target instanceof Element)) return false;
  if (target.closest(TAKES_KEYS)) return true;
  return (event.key === 'Enter' || event.key === ' ') && target.closest(TAKES_ENTER) !== null;
}
