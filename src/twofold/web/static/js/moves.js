/** The four moves: letters, names, arrows; the keys and swipes that make them, and other keys of a page. */

import { listenTo } from './dom.js';
import { text } from './text.js';

/** Letters in the order of every list of moves: up, right, down, left. */
export const LETTERS = ['u', 'r', 'd', 'l'];

/** Arrow of each letter. */
export const ARROWS = { u: '↑', r: '→', d: '↓', l: '←' };

/** Icon of each letter. */
export const ICONS = { u: 'up', l: 'left', d: 'down', r: 'right' };

const KEYS = {
  ArrowUp: 'u', ArrowRight: 'r', ArrowDown: 'd', ArrowLeft: 'l',
  w: 'u', d: 'r', s: 'd', a: 'l',
  k: 'u', l: 'r', j: 'd', h: 'l',
};

/**
 * Name of a move in words, such as `up`.
 *
 * @param {string} letter
 * @returns {string}
 */
export function moveName(letter) {
  return text(`move.${letter}`);
}

/**
 * What a key means, whatever layout the keyboard has: a letter in lower case or the key's name.
 *
 * @param {KeyboardEvent} event
 * @returns {string} on layouts without Latin letters, the letter at that place
 */
export function keyOf(event) {
  if (event.key.length > 1) return event.key;
  const isLatin = event.key.charCodeAt(0) < 128;
  if (!isLatin && event.code.startsWith('Key')) return event.code.slice(3).toLowerCase();
  return event.key.toLowerCase();
}

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
 */
export function listenKeys({ move = null, commands = {} }) {
  const keydown = (event) => {
    if (event.defaultPrevented || event.isComposing || isTaken(event)) return;
    const name = commandOf(event);
    const command = (event.shiftKey && commands[`shift+${name}`]) || commands[name];
    const isHeld = event.ctrlKey || event.altKey || event.metaKey;
    const letter = command || !move || isHeld ? '' : KEYS[keyOf(event)];
    if (!command && !letter) return;
    event.preventDefault();
    if (command) command(event);
    else move(letter, event);
  };
  listenTo(document, { keydown });
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
 */
export function releaseFocusAfterPointer(root) {
  let byPointer = false;
  const note = (event) => { byPointer = event.type === 'pointerdown'; };
  const release = (event) => {
    const isOf = (selector) => event.target.closest?.(selector);
    if (byPointer && isOf('button, select, input:not([type="text"])') && !isOf('[popovertarget]')) document.activeElement?.blur?.();
  };
  listenTo(document, { pointerdown: note, keydown: note }, true);
  listenTo(root, { click: release, change: release }, true);
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

/** A finger that went so far is a swipe, in CSS pixels, as in the original. */
const LEAST_PX = 10;

/** Past this the direction is plain before the finger is lifted. */
const PLAIN_PX = 24;

/**
 * Listen to swipes: a move as soon as a finger has gone far enough, the larger axis decides. The
 * mouse swipes where a board is; elsewhere it selects text.
 *
 * @param {HTMLElement} element style it with `touch-action: pinch-zoom`
 * @param {function(string): void} onMove gets the letter of the move
 */
export function listenSwipes(element, onMove) {
  let start = null;
  let swiped = false;
  const finish = (event, least) => {
    if (!start || !event.isPrimary) return;
    const letter = direction(event.clientX - start.x, event.clientY - start.y, least);
    if (!letter) return;
    start = null;
    swiped = true;
    onMove(letter);
  };
  listenTo(element, {
    pointerdown: (event) => {
      swiped = false;
      const isMouse = event.pointerType === 'mouse';
      if (!event.isPrimary || (isMouse && !(event.button === 0 && event.target.closest('.board')))) return;
      if (isMouse) element.setPointerCapture(event.pointerId);
      start = { x: event.clientX, y: event.clientY };
    },
    pointermove: (event) => finish(event, PLAIN_PX),
    pointerup: (event) => {
      finish(event, LEAST_PX);
      start = null;
    },
    pointercancel: () => { start = null; },
  });
  // A swipe that began on a button does not press it.
  listenTo(element, { click: (event) => {
    if (!swiped) return;
    swiped = false;
    event.preventDefault();
    event.stopPropagation();
  } }, true);
}

function direction(x, y, least) {
  if (Math.max(Math.abs(x), Math.abs(y)) <= least) return '';
  if (Math.abs(x) > Math.abs(y)) return x > 0 ? 'r' : 'l';
  return y > 0 ? 'd' : 'u';
}
