/**
 * Links that hold a whole game: the text of its record, deflated, after `#`.
 *
 * What follows `#` never leaves the browser, so that such a link tells no server which game it is.
 */

/** Longest record that is unpacked from a link, in bytes; the server takes no longer one. */
const MOST_BYTES = 4 * 2 ** 20;

const START = '#g=';

/** What was behind `#` is no game. */
class ShareError extends Error {}

/**
 * The link to a game.
 *
 * @param {string} record text of its record
 * @param {string} query of the position in it, such as `move=5`, and a line tried from there
 * @returns {Promise<string>}
 */
export async function shareLink(record, query) {
  const packed = await pass(new TextEncoder().encode(record), new CompressionStream('deflate-raw'));
  return `${window.location.origin}/analyse?${query}${START}${toBase64(packed)}`;
}

/**
 * The record that a link holds.
 *
 * @param {string} hash what follows in the address, `#` included
 * @returns {Promise<string | null>} null where the address holds none; rejects with a `ShareError`
 */
export async function sharedRecord(hash) {
  if (!hash.startsWith(START)) return null;
  try {
    const unpacking = new DecompressionStream('deflate-raw');
    const bytes = await pass(fromBase64(hash.slice(START.length)), unpacking);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ShareError(error.message);
  }
}

/** Send bytes through a stream. */
async function pass(bytes, stream) {
  const writer = stream.writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  written.catch(() => {}); // the reader sees the same error
  const parts = [];
  let length = 0;
  const reader = stream.readable.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MOST_BYTES) throw new ShareError('too long');
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}

function toBase64(bytes) {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64(letters) {
  const binary = atob(letters.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}
