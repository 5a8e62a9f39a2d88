/** Text that is pasted into the page, not into one of its fields. */

import { listenTo } from './dom.js';

/**
 * @param {function(string): void} onPaste gets the text; it is not blank
 * @returns {function(): void} stops listening
 */
export function listenPastes(onPaste) {
  const paste = (event) => {
    const words = event.clipboardData?.getData('text');
    if (!words?.trim() || event.target.closest?.('input, textarea, select')) return;
    event.preventDefault();
    onPaste(words);
  };
  return listenTo(window, { paste });
}
