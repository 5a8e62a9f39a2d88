/** How players and runs are marked in tables, legends and plots. */

import { h, svg } from '../dom.js';
import { broken } from './data_table.js';

/**
 * A player as in every table and legend: its line with its marker, place, name.
 *
 * @param {{label: string, colour: number, dashes: number[], marker: string}} player
 * @param {number} place from 0 on
 * @returns {HTMLElement}
 */
export function playerName(player, place) {
  return h('span', { class: 'lab-player' },
    svg('svg', { class: `lab-swatch lab-series-${player.colour}`, viewBox: '0 0 28 12', 'aria-hidden': 'true' },
      svg('path', { class: 'lab-swatch-line', d: 'M0 6H28', 'stroke-dasharray': player.dashes.join(' ') || null }),
      svg('path', { d: player.marker, fill: 'currentColor' })),
    h('span', { class: 'soft', text: `${place + 1}` }), h('span', null, broken(player.label)));
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
