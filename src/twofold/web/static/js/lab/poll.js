/** Asking again and again, while somebody looks. */

import { listenTo } from '../dom.js';

/**
 * Call a function now and then, one call at a time, while the page is visible. What it throws is
 * left to the next call: the head of the page says when the server is gone.
 *
 * @param {() => Promise<void>} ask
 * @param {number} every milliseconds between the end of a call and the next
 * @returns {() => void} ends it
 */
export function whileVisible(ask, every) {
  let timer = 0;
  let isBusy = false;
  let isOver = false;
  async function turn() {
    clearTimeout(timer);
    if (isBusy || isOver || document.hidden) return;
    isBusy = true;
    try {
      await ask();
    } catch (error) {
      if (error.name !== 'RefusedError') console.error(error);
    }
    isBusy = false;
    if (!isOver) timer = setTimeout(turn, every);
  }
  const off = listenTo(document, { visibilitychange: turn });
  turn();
  return () => {
    isOver = true;
    clearTimeout(timer);
    off();
  };
}
