/** What a browser or one tab of it remembers; nothing where it allows no storage. */

/**
 * @param {string} key
 * @returns {string} what the tab remembers when it is reloaded; empty for nothing
 */
export function remembered(key) {
  return read('sessionStorage', key) ?? '';
}

/**
 * Have this tab remember a text, whatever happens in others.
 *
 * @param {string} key
 * @param {string} value
 */
export function remember(key, value) {
  write('sessionStorage', key, value);
}

/**
 * @param {string} key
 * @returns {object} what the browser keeps; empty for nothing
 */
export function kept(key) {
  try {
    return JSON.parse(read('localStorage', key)) ?? {};
  } catch {
    return {};
  }
}

/**
 * Have this browser keep an object.
 *
 * @param {string} key
 * @param {object} value
 */
export function keep(key, value) {
  write('localStorage', key, JSON.stringify(value));
}

function read(storage, key) {
  try {
    return window[storage].getItem(key);
  } catch {
    return null;
  }
}

function write(storage, key, value) {
  try {
    window[storage].setItem(key, value);
  } catch {
    // it lasts as long as the page
  }
}
