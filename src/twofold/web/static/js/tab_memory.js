/** What a tab remembers when it is reloaded, whatever happens in others. */

/**
 * @param {string} key
 * @returns {string} what was remembered; empty for nothing
 */
export function remembered(key) {
  try {
    return window.sessionStorage.getItem(key) ?? '';
  } catch {
    return ''; // no storage
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
export function remember(key, value) {
  try {
    window.sessionStorage.setItem(key, value);
  } catch {
    // no storage: nothing is remembered
  }
}
