/** Names of players as people read them: `network, 2 plies` for `ntuple:net=default,ply=2`. */

import { net } from './net.js';
import { text } from './text.js';

const ME = 'me';
const AND = ' + ';
const OWN_PLIES = { expectimax: 3, quick: 3 }; // without a depth
const TABLES = /\btables=(?!(?:auto|none)\b)/; // `auto` does not say whether there are any
const SIMPLE = new Set(['greedy', 'corner', 'random']);
const NETWORKS = { ntuple: 'default', policy: 'policy' }; // where none is named
const PROGRAMS = {
  baeldung: 'Baeldung',
  datumbox: 'Datumbox',
  'it3105-gradient': 'IT3105, gradient',
  'it3105-snake': 'IT3105, snake',
  quick: 'quick',
};

/** The strengths, by the depth of the default network, and where each may hand over. */
const STRENGTHS = { 1: 'fast', '3/2@3': 'normal', 3: 'strong', '4/3@4': 'max' };
const LATE = { normal: '24576@4', strong: '24576@5', max: '24576@7' };

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
  const plain = deep(nameOf(kind, values) ?? listed(player) ?? kind, kind, values);
  const name = TABLES.test(values) ? text('player.with_tables', { name: plain }) : plain;
  const strength = strengthOf(kind, values);
  return strength ? text('player.with', { name: text(`player.${strength}`), more: name }) : name;
}

/** The strength that is this player on 4x4; undefined without one. */
function strengthOf(kind, values) {
  const isOther = kind !== 'ntuple' || /\b(?:net=(?!default\b)|(?:cut|nodes|time)=(?!none|0(?:,|$)))/.test(values);
  const strength = STRENGTHS[/\bply=([^,]+)/.exec(values)?.[1]];
  const late = /\blate=(?!none)([^,]+)/.exec(values)?.[1];
  return isOther || (late && late !== LATE[strength]) ? undefined : strength;
}

/** A name with the depth behind it, where it is known: `3`, or `3/2@3` for 2 or 3. */
function deep(name, kind, values) {
  const [, first, second] = /\bply=(\d+)(?:\/(\d+)@)?/.exec(values) ?? [];
  const isTimed = /\b(?:time|nodes)=(?!none)/.test(values);
  const plies = Number(first ?? (isTimed ? 0 : OWN_PLIES[kind] ?? 0));
  if (!second) return plies ? text('player.plies', { name, count: plies }) : name;
  const [least, most] = [plies, Number(second)].sort((one, other) => one - other);
  return text('player.plies_range', { name, least, most });
}

/** What values boards for a search; null for a player of another kind. */
function nameOf(kind, values) {
  if (Object.values(STRENGTHS).includes(kind)) return text(`player.${kind}`);
  if (kind === 'exact') return text('player.exact');
  if (kind === 'expectimax') return /\beval=([a-z0-9-]+)/.exec(values)?.[1] ?? 'rows';
  if (SIMPLE.has(kind)) return text(`player.${kind}`);
  const usual = NETWORKS[kind];
  if (!usual) return PROGRAMS[kind] ?? null;
  const [, network] = /\bnet="?(?:[^,"]*[\\/])?([\w-]+)/.exec(values) ?? [];
  const name = kind === 'policy' ? 'player.policy' : 'player.network';
  return !network || network === usual ? text(name) : text(`${name}_named`, { network });
}

/** The name in the list of the server, without what only a list needs. */
function listed(spec) {
  return net.players.find((player) => player.spec === spec)?.name.replace(/^default[^:]*: /, '');
}
