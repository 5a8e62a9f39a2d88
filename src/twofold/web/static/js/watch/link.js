/** What a link to the Watch page says: `/watch?player=..&player=..&rules=..&seed=..&speed=..`. */

import { readable } from '../links.js';
import { FIRST_RACE } from './about.js';
import { MAX_LANES } from './race.js';
import { PLEASANT, parseSpeed, speedKey } from './speed.js';

const LARGEST_RANDOM = 1e6;

/**
 * @typedef {object} WatchLink
 * @property {string[]} players specs; an empty one for the default player
 * @property {string} rules
 * @property {string} seed
 * @property {number | null} speed
 * @property {number} stopTile
 */

/**
 * Read the query of an address.
 *
 * @param {URLSearchParams} params
 * @returns {WatchLink}
 */
export function parseLink(params) {
  const players = params.getAll('player').slice(0, MAX_LANES);
  return {
    players: players.length ? players : FIRST_RACE,
    rules: params.get('rules') ?? '',
    seed: params.get('seed') || randomSeed(),
    speed: parseSpeed(params.get('speed')),
    stopTile: Number(params.get('stop')) || 0,
  };
}

/**
 * The query of a link.
 *
 * @param {WatchLink} link
 */
export function formatLink({ players, rules, seed, speed, stopTile }) {
  const params = new URLSearchParams();
  const isFirst = players.join() === FIRST_RACE.join();
  for (const player of isFirst ? [] : players) params.append('player', player);
  if (rules) params.set('rules', rules);
  params.set('seed', seed);
  if (speed !== PLEASANT) params.set('speed', speedKey(speed));
  if (stopTile) params.set('stop', String(stopTile));
  return `/watch?${readable(params)}`;
}

/** A seed that can be read aloud. */
export function randomSeed() {
  return String(1 + Math.floor(Math.random() * LARGEST_RANDOM));
}
