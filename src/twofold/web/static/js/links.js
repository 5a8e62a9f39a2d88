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

/** Longest record that is unpacked from a link, in characters; the server takes no longer one. */
const MOST_CHARACTERS = 4 * 2 ** 20;

const START = '#g=';
const IN_LINKS = { alphabet: 'base64url', omitPadding: true };

/**
 * The link to a game.
 *
 * @param {string} record text of its record
 * @param {string} query of the position in it, such as `move=5`, and a line tried from there
 * @returns {Promise<string>}
 */
export async function shareLink(record, query) {
  const packed = new Response(new Blob([record]).stream().pipeThrough(new CompressionStream('deflate-raw')));
  return `${window.location.origin}/analyse?${query}${START}${new Uint8Array(await packed.arrayBuffer()).toBase64(IN_LINKS)}`;
}

/**
 * The record that a link holds.
 *
 * @param {string} hash what follows in the address, `#g=` included
 * @returns {Promise<string>} rejects with a sentence where it does not hold a whole one
 */
export async function sharedRecord(hash) {
  let record = '';
  try {
    const packed = new Blob([Uint8Array.fromBase64(hash.slice(START.length), IN_LINKS)]);
    const reader = packed.stream().pipeThrough(new DecompressionStream('deflate-raw'))
      .pipeThrough(new TextDecoderStream('utf-8', { fatal: true })).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      record += part.value;
      if (record.length > MOST_CHARACTERS) throw new Error('too long');
    }
  } catch {
    throw new Error(text('review.bad_link'));
  }
  return record;
}
