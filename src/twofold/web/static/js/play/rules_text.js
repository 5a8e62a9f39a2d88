/** Rules as the server reads them, and in words. */

import { joined, percent, text } from '../text.js';

/** @typedef {{rows: number, cols: number, goal: number, fours: number, start: number,
 *   stop: boolean}} RulesForm what the dialog asks for; `fours` is the share of fours in percent */

/** The original rules. */
export const ORIGINAL = { rows: 4, cols: 4, goal: 2048, fours: 10, start: 2, stop: false };

/**
 * The text of rules.
 *
 * @param {RulesForm} form
 * @returns {string}
 */
export function formatRules({ rows, cols, goal, fours, start, stop }) {
  return [`${rows}x${cols}`, `spawn=${spawnText(fours)}`, `start=${start}`, `goal=${goal}`,
    stop ? 'stop=goal' : 'stop=never'].join(' ');
}

/**
 * The form that would make these rules, as far as it can.
 *
 * @param {object} rules a `RulesInfo`
 * @returns {RulesForm}
 */
export function formOf(rules) {
  const total = rules.spawn.reduce((sum, [, weight]) => sum + weight, 0);
  const fours = rules.spawn.find(([tile]) => tile === 4)?.[1] ?? 0;
  return { rows: rules.rows, cols: rules.cols, goal: rules.goal, start: rules.start_tiles,
    stop: rules.stop_at_goal, fours: Math.round((100 * fours) / total) };
}

/**
 * Rules in a few words: what differs from the original ones.
 *
 * @param {object} rules a `RulesInfo`
 * @returns {string}
 */
export function describeRules(rules) {
  const total = rules.spawn.reduce((sum, [, weight]) => sum + weight, 0);
  const { rows, cols, goal, start_tiles: start } = rules;
  const parts = [`${rows}×${cols}`];
  if (goal !== ORIGINAL.goal) parts.push(text('play.rules_goal', { goal: String(goal) }));
  if (!isOriginalSpawn(rules.spawn)) {
    parts.push(text('play.rules_spawn', { spawn: joined(rules.spawn.map(([tile, weight]) => (
      `${tile}: ${percent((100 * weight) / total)}`))) }));
  }
  if (start !== ORIGINAL.start) parts.push(text('play.rules_start', { count: start }));
  if (rules.stop_at_goal) parts.push(text('play.rules_stop'));
  return joined(parts);
}

function isOriginalSpawn(spawn) {
  return JSON.stringify(spawn) === JSON.stringify([[2, 0.9], [4, 0.1]]);
}

function spawnText(fours) {
  if (fours <= 0) return '2:1';
  if (fours >= 100) return '4:1';
  return `2:${(100 - fours) / 100},4:${fours / 100}`;
}
