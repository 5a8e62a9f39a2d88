/** How players and runs are marked in tables, legends and plots. */

import { h, svg } from '../dom.js';
import { playerName as nameOf } from '../player_names.js';
import { broken } from './data_table.js';

/** A spec of which a name says everything. */
const NAMED = /^(?:[a-z0-9-]+|(?:expectimax|ntuple):(?:,?(?:net=default|(?:eval|ply|tables)=[^,]+))+)$/;

/**
 * The names of players, by their labels: a label stays where a name would say less.
 *
 * @param {string[]} labels
 * @returns {Map<string, string>}
 */
export function namesOf(labels) {
  const names = labels.map((label) => (NAMED.test(label) ? nameOf(label) : label));
  const isOnce = (name) => names.indexOf(name) === names.lastIndexOf(name);
  return new Map(labels.map((label, place) => [label, isOnce(names[place]) ? names[place] : label]));
}

/**
 * A player as in every table and legend: its line with its marker, place, name.
 *
 * @param {{name: string, label: string, colour: number, dashes: number[], marker: string}} player
 * @param {number} place from 0 on
 * @returns {HTMLElement}
 */
export function playerName(player, place) {
  return h('span', { class: 'lab-player' },
    svg('svg', { class: `lab-swatch lab-series-${player.colour}`, viewBox: '0 0 28 12', 'aria-hidden': 'true' },
      svg('path', { class: 'lab-swatch-line', d: 'M0 6H28', 'stroke-dasharray': player.dashes.join(' ') || null }),
      svg('path', { d: player.marker, fill: 'currentColor' })),
    h('span', { class: 'soft', text: `${place + 1}` }), h('span', { title: player.label }, broken(player.name)));
}

/**
 * A line of a chart with its name.
 *
 * @param {string} name
 * @param {number} colour 1 to 6
 * @param {boolean} dashed
 * @returns {HTMLElement}
 */
export function lineName(name, colour, dashed) {
  return h('span', { class: 'lab-player' },
    svg('svg', { class: `lab-swatch lab-series-${colour - 1}`, viewBox: '0 0 28 12', 'aria-hidden': 'true' },
      svg('path', { class: 'lab-swatch-line', d: 'M0 6H28', 'stroke-dasharray': dashed ? '5 3' : null })),
    h('span', null, broken(name)));
}
