/** Names of players as people read them: `network, 2 plies` for `ntuple:net=default,ply=2`. */

import { net } from './net.js';
import { settings } from './settings.js';
import { text } from './text.js';

const ME = 'me';
const AND = ' + ';
const OWN_PLIES = { expectimax: 3, quick: 3 }; // without a depth, and not said
const TABLES = /\btables=(?!(?:auto|none)\b)/; // `auto` does not say whether there are any
const SIMPLE = new Set(['greedy', 'corner', 'random', 'quick', 'exact']);
const HEURISTICS = new Set(['rows', 'snake', 'smooth']);
const NETWORKS = { ntuple: 'default', policy: 'policy' }; // where none is named
const PROGRAMS = {
  baeldung: 'Baeldung',
  datumbox: 'Datumbox',
  'it3105-gradient': 'IT3105, gradient',
  'it3105-snake': 'IT3105, snake',
};


/** Parts of a spec that give a player no other name. */
const UNNAMED = /^(?:net=default|table_mb=.*|threads=.*|tables(?:_sha256)?=.*|net_sha256=.*|downgrade=.*|\w+=none|cut=0)$/;

/**
 * The name of who played or judged; of several joined by `+`, all of them.
 *
 * @param {string} players specs, `me`, or free text of a record, which stays as it is
 */
export function playerNames(players) {
  return players.split(AND).map(playerName).join(AND);
}

/**
 * The name of one player, as the lists have it.
 *
 * @param {string} player
 */
export function playerName(player) {
  if (player === ME) return text('player.me');
  const [, kind, values = ''] = /^([a-z][a-z0-9-]*)(?::(.*))?$/.exec(player) ?? [];
  if (!kind) return listed(player) ?? player;
  const core = coreOf(player); // the server's list of strengths, or that of the last visit
  const known = settings.get('strengths').find(({ spec, plain }) => spec === player || coreOf(plain || spec) === core);
  if (known) return text(`player.${known.strength}`);
  const own = listed(player);
  if (own && own !== player && /\bnet=/.test(values)) return own; // of a run
  const plain = deep(nameOf(kind, values) ?? own ?? kind, kind, values);
  return TABLES.test(values) ? text('player.with_tables', { name: plain }) : plain;
}

/** A spec without what gives a player no other name; where it hands over belongs to its tables. */
function coreOf(spec) {
  const [, kind, values] = /^([^:]*):?(.*)$/.exec(spec);
  const hasTables = TABLES.test(values);
  const parts = values.split(',').filter((part) => !UNNAMED.test(part) && !(hasTables && part.startsWith('late=')));
  return [kind, ...parts.sort()].join(' ');
}

/** A name with the depth behind it, where it is known: `3`, or `3/2@3` for 2 or 3. */
function deep(name, kind, values) {
  const [, first, second] = /\bply=(\d+)(?:\/(\d+)@)?/.exec(values) ?? [];
  const plies = Number(first ?? 0);
  if (!second) return plies && plies !== OWN_PLIES[kind] ? text('player.plies', { name, count: plies }) : name;
  const [least, most] = [plies, Number(second)].sort((one, other) => one - other);
  return text('player.plies_range', { name, least, most });
}

/** What values boards for a search; null for a player of another kind. */
function nameOf(kind, values) {
  if (kind === 'expectimax') {
    const name = /\beval=([a-z0-9-]+)/.exec(values)?.[1] ?? 'rows';
    return HEURISTICS.has(name) ? text(`player.${name}`) : name;
  }
  if (SIMPLE.has(kind)) return text(`player.${kind}`);
  const usual = Object.hasOwn(NETWORKS, kind) && NETWORKS[kind];
  if (!usual) return Object.hasOwn(PROGRAMS, kind) ? PROGRAMS[kind] : null;
  const [, network] = /\bnet="?(?:[^,"]*[\\/])?([\w-]+)/.exec(values) ?? [];
  const name = kind === 'policy' ? 'player.policy' : 'player.network';
  return !network || network === usual ? text(name) : text(`${name}_named`, { network });
}

/** The name in the list of the server, without what only a list needs. */
function listed(spec) {
  return net.players.find((player) => player.spec === spec)?.name.replace(/^default[^:]*: /, '');
}
