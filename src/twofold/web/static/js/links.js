/** Addresses that people can read, and what they name. */

import { text } from './text.js';

const MOST_LETTERS = 40;

const READABLE = { '%2C': ',', '%2F': '/', '%3A': ':', '%3D': '=', '%40': '@' };

/**
 * A query or fragment whose signs stay signs where none of them separates anything.
 *
 * @param {URLSearchParams} params
 */
export function readable(params) {
  return params.toString().replace(/%2C|%2F|%3A|%3D|%40/g, (code) => READABLE[code]);
}

/**
 * The address where a position is analysed, with its game if it has one.
 *
 * @param {{game?: string, move?: number, line?: string, board?: string, player?: string,
 *   limit?: string, score?: string}} position `game` is the id of a saved game, `move` a move number
 *   in it, `line` steps tried from there, such as `l@5:2.u@0:2`; `board` is a position without a
 *   game, in any form; `limit` is `5s` or `3ply`
 */
export function analysisLink({ game = '', move = 0, line = '', board = '', score = '', ...about }) {
  const all = game ? { game, move: move || '', line, ...about } : { board, line, ...about, score };
  const params = readable(new URLSearchParams(Object.entries(all).filter(([, value]) => value)));
  return `/analyse${game ? '?' : '#'}${params}`;
}

/**
 * What an address of an analysis names.
 *
 * @param {URLSearchParams} params
 * @param {string} hash `#` included
 * @returns {{game: string, move: number, line: string, board: string, player: string,
 *   limit: string, score: string}} empty for what it does not name
 */
export function parseAnalysis(params, hash) {
  const all = params.has('game') ? params : new URLSearchParams(hash.replace(/^#/, ''));
  const value = (name) => all.get(name) ?? '';
  return { game: value('game'), move: Number(value('move')), line: value('line'), board: value('board'),
    player: value('player'), limit: value('limit'), score: value('score') };
}

/**
 * The sentences for a link with a board that the server cannot read.
 *
 * @param {string} board of the link
 * @param {string} message of the refusal
 */
export function badBoard(board, message) {
  const shown = board.length > MOST_LETTERS ? `${board.slice(0, MOST_LETTERS)}…` : board;
  return text('all.bad_board', { board: shown, message });
}

/**
 * @typedef {{study: string} | {runs: string[]}} Choice
 */

/**
 * @param {URLSearchParams} params of `/lab?study=NAME` or `/lab?run=NAME&run=NAME`
 * @returns {Choice | null}
 */
export function choiceOf(params) {
  const runs = params.getAll('run').filter(Boolean);
  if (params.get('study')) return { study: params.get('study') };
  return runs.length ? { runs: [...new Set(runs)] } : null;
}

/**
 * @param {Choice | null} choice
 * @returns {string}
 */
export function addressOf(choice) {
  const pairs = choice?.study ? [['study', choice.study]] : (choice?.runs ?? []).map((name) => ['run', name]);
  return pairs.length ? `/lab?${readable(new URLSearchParams(pairs))}` : '/lab';
}

/**
 * @param {Choice | null} one
 * @param {Choice | null} other
 * @returns {boolean}
 */
export function isSame(one, other) {
  return addressOf(one) === addressOf(other);
}

/**
 * The address of a file's data: names have slashes, which stay.
 *
 * @param {'studies' | 'runs'} kind
 * @param {string} name
 * @returns {string}
 */
export function dataAddress(kind, name) {
  return `/api/${kind}/${name.split('/').map(encodeURIComponent).join('/')}`;
}

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
