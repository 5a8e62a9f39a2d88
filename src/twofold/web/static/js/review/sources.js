/** Records that are dropped on the page or pasted into it. */

import { h } from '../dom.js';
import { listenPastes } from '../pastes.js';
import { sharedRecord } from '../share.js';
import { text } from '../text.js';

/** Largest file that is read, in bytes; the server takes no larger record. */
const MOST_BYTES = 4 * 2 ** 20;

/**
 * Listen to files that are dropped anywhere and to records pasted outside of fields.
 *
 * @param {{onText: (record: string) => void, onFile: (file: File) => void}} actions
 * @returns {() => void} ends it
 */
export function listenSources({ onText, onFile }) {
  const veil = h(
    'div',
    { class: 'drop-veil', hidden: true },
    h('p', { text: text('review.drop') }),
  );
  document.body.append(veil);
  const isFile = (event) =>
    [...(event.dataTransfer?.types ?? [])].some(
      (type) => type === 'Files' || type === 'text/plain',
    );
  const over = (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    veil.hidden = false;
  };
  const leave = (event) => {
    if (!event.relatedTarget) veil.hidden = true;
  };
  const drop = (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    veil.hidden = true;
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
    else onText(event.dataTransfer.getData('text/plain'));
  };
  const listeners = { dragenter: over, dragover: over, dragleave: leave, drop };
  for (const [type, handler] of Object.entries(listeners)) document.addEventListener(type, handler);
  const offPastes = listenPastes(onText);
  return () => {
    veil.remove();
    offPastes();
    for (const [type, handler] of Object.entries(listeners))
      document.removeEventListener(type, handler);
  };
}

/**
 * The file itself, for the server to read: some replays are bytes, not text.
 *
 * @param {File} file
 * @returns {Promise<Blob>} rejects where it is too large for a record
 */
export async function readFile(file) {
  if (file.size > MOST_BYTES)
    throw new Error(text('review.too_large', { size: Math.round(file.size / 2 ** 20) }));
  return file;
}

/**
 * The record that a text means: itself, or what a link in it holds.
 *
 * @param {string} words
 * @returns {Promise<string>}
 */
export async function recordIn(words) {
  const link = /#g=[A-Za-z0-9_-]+/.exec(words.slice(0, MOST_BYTES));
  return link && !words.includes('[') ? sharedRecord(link[0]) : words;
}
