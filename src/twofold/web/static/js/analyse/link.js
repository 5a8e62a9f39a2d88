/** What a link to the Analyse page says, after `#` so that it reaches no server. */

import { readable } from '../links.js';

/**
 * @typedef {object} AnalyseLink
 * @property {string} board its text; empty for none
 * @property {string} player spec; empty for the default one
 * @property {string} limit `5s` or `3ply`; empty for the default one
 * @property {string} score points so far; empty if not known
 */

/**
 * Read what follows in an address.
 *
 * @param {string} hash `#` included
 * @returns {AnalyseLink}
 */
export function parseLink(hash) {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const value = (name) => params.get(name) ?? '';
  return { board: value('board'), player: value('player'), limit: value('limit'), score: value('score') };
}

/**
 * The address of an analysis.
 *
 * @param {AnalyseLink} link
 */
export function formatLink(link) {
  const params = new URLSearchParams(Object.entries(link).filter(([, value]) => value));
  return `/analyse#${readable(params)}`;
}
