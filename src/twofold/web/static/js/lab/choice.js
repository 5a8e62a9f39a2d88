/** What the lab shows: a study, or one or more training runs; it stands in the address. */

import { readable } from '../links.js';

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
