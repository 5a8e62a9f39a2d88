/** Text that is pasted into the page, not into one of its fields. */

/**
 * @param {function(string): void} onPaste gets the text; it is not blank
 * @returns {function(): void} stops listening
 */
export function listenPastes(onPaste) {
  const listen = (event) => {
    const words = event.clipboardData?.getData('text');
    if (!words?.trim() || event.target.closest?.('input, textarea, select')) return;
    event.preventDefault();
    onPaste(words);
  };
  window.addEventListener('paste', listen);
  return () => window.removeEventListener('paste', listen);
}
