/** Games of a list in words: rules, dates, how they were played. */

import { locale } from '../language.js';
import { describeRules } from '../play/rules_text.js';
import { playerNames } from '../player_names.js';
import { text } from '../text.js';

/**
 * How far a game of a list is: in progress, over, its goal reached.
 *
 * @param {object} game a `GameInfo`
 * @returns {string}
 */
export function statusText({ status, max_tile: tile, rules }) {
  const isWon = status === 'over' && tile >= Number(/ goal=(\d+)/.exec(rules)[1]);
  return text(`play.status_${isWon ? 'won_over' : status}`);
}

/**
 * The rules of a list in words: what differs from the original ones.
 *
 * @param {string} rules every part written, such as `3x3 spawn=2:0.9,4:0.1 start=2 goal=256 stop=never`
 * @returns {string}
 */
export function rulesText(rules) {
  const [shape, ...parts] = rules.split(' ');
  const [rows, cols] = shape.split('x').map(Number);
  const { spawn, start, goal, stop } = Object.fromEntries(parts.map((part) => part.split('=')));
  const weights = spawn.split(',').map((one) => one.split(':').map(Number));
  return describeRules({ rows, cols, goal: Number(goal), spawn: weights, start_tiles: Number(start),
    stop_at_goal: stop === 'goal' });
}

/** A date and time in ISO 8601 as people write them; one that cannot be read stays as it is. */
export const timeText = formatter({ dateStyle: 'medium', timeStyle: 'short' });

/** A date alone, or that of milliseconds since 1970. */
export const dateText = formatter({ dateStyle: 'medium' });

function formatter(how) {
  const format = new Intl.DateTimeFormat(locale, how);
  return (date) => (Number.isNaN(new Date(date).getTime()) ? String(date) : format.format(new Date(date)));
}

const LONGEST_PLAYER = 120;

/**
 * Who played, beside the person, cut if it is long; empty for the person alone.
 *
 * @param {string} player as in a record
 * @returns {string}
 */
export function playerText(player) {
  const names = player === 'me' ? '' : playerNames(player);
  return names.length > LONGEST_PLAYER ? `${names.slice(0, LONGEST_PLAYER - 1)}…` : names;
}

/**
 * How a game was played.
 *
 * @param {string} kind `hand`, `helped`, `player`, `board` or `file`
 * @returns {string}
 */
export function kindText(kind) {
  return text(`games.kind_${kind}`);
}
