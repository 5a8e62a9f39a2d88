/** Games and days in words: rules, dates, players. */

import { playerNames } from '../player_names.js';
import { joined, labelledText, locale, percent, text } from '../text.js';

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

/**
 * Rules in a few words: what differs from the original ones.
 *
 * @param {object} rules a `RulesInfo`
 * @returns {string}
 */
export function describeRules({ rows, cols, goal, spawn, start_tiles: start, stop_at_goal: stops }) {
  const total = spawn.reduce((sum, [, weight]) => sum + weight, 0);
  const tiles = spawn.map(([tile, weight]) => labelledText(String(tile), percent((100 * weight) / total)));
  return joined([
    `${rows}×${cols}`,
    goal !== 2048 && text('play.rules_goal', { goal: String(goal) }),
    String(spawn) !== '2,0.9,4,0.1' && text('play.rules_spawn', { spawn: joined(tiles) }),
    start !== 2 && text('play.rules_start', { count: start }),
    stops && text('play.rules_stop'),
  ].filter(Boolean));
}

// ---- times, and days in UTC, written as `2026-11-23`, as the daily game and the puzzles count them

const DAY_MS = 86_400_000;

/** A date and time in ISO 8601 as people write them; one that cannot be read stays as it is. */
export const timeText = formatter({ dateStyle: 'medium', timeStyle: 'short' });

/** A date alone, or that of milliseconds since 1970. */
export const dateText = formatter({ dateStyle: 'medium' });

/** A day: `Monday, 23 November 2026`. */
export const dayText = formatter({ dateStyle: 'full', timeZone: 'UTC' });

/** `23 November 2026` */
export const dayName = formatter({ dateStyle: 'long', timeZone: 'UTC' });

function formatter(how) {
  const format = new Intl.DateTimeFormat(locale, how);
  return (date) => (Number.isNaN(new Date(date).getTime()) ? String(date) : format.format(new Date(date)));
}

/**
 * @param {string} day
 * @param {number} days later; before with a minus
 * @returns {string}
 */
export function dayAfter(day, days) {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}
