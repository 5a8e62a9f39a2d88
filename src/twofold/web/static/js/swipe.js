/**
 * Swipes: a move as soon as a finger has gone far enough, the larger axis decides. The mouse swipes
 * where a board is; elsewhere it selects text.
 */

import { listenTo } from './dom.js';

/** A finger that went so far is a swipe, in CSS pixels, as in the original. */
const LEAST_PX = 10;

/** Past this the direction is plain before the finger is lifted. */
const PLAIN_PX = 24;

/**
 * Listen to swipes; style the element with `touch-action: pinch-zoom`.
 *
 * @param {HTMLElement} element
 * @param {function(string): void} onMove gets the letter of the move
 * @returns {function(): void} ends it
 */
export function listenSwipes(element, onMove) {
  let start = null;
  let swiped = false;

  const down = (event) => {
    swiped = false;
    if (!event.isPrimary || !canSwipe(event)) return;
    if (event.pointerType === 'mouse') element.setPointerCapture(event.pointerId);
    start = { x: event.clientX, y: event.clientY };
  };
  const moved = (event) => finish(event, PLAIN_PX);
  const up = (event) => {
    finish(event, LEAST_PX);
    start = null;
  };
  const finish = (event, least) => {
    if (!start || !event.isPrimary) return;
    const letter = direction(event.clientX - start.x, event.clientY - start.y, least);
    if (!letter) return;
    start = null;
    swiped = true;
    onMove(letter);
  };
  // A swipe that began on a button does not press it.
  const click = (event) => {
    if (!swiped) return;
    swiped = false;
    event.preventDefault();
    event.stopPropagation();
  };

  const offs = [
    listenTo(element, { pointerdown: down, pointermove: moved, pointerup: up, pointercancel: () => { start = null; } }),
    listenTo(element, { click }, true),
  ];
  return () => offs.forEach((off) => off());
}

function canSwipe({ pointerType, button, target }) {
  return pointerType !== 'mouse' || (button === 0 && target.closest('.board'));
}

function direction(x, y, least) {
  if (Math.max(Math.abs(x), Math.abs(y)) <= least) return '';
  if (Math.abs(x) > Math.abs(y)) return x > 0 ? 'r' : 'l';
  return y > 0 ? 'd' : 'u';
}
