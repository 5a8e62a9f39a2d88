/** Text to the clipboard. */

import { toast } from './toast.js';

/**
 * Copy a text and say so; where the browser does not allow it, say that.
 *
 * @param {string} words
 * @param {string} done said once it is copied
 * @param {string} failed said otherwise
 */
export async function copyText(words, done, failed) {
  try {
    await navigator.clipboard.writeText(words);
    toast(done);
  } catch {
    toast(failed);
  }
}
