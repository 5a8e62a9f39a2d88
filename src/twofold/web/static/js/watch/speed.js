/** Speeds of the slider, about evenly spread on a logarithmic scale. */

import { text } from '../text.js';

/** Moves a second; the last one, null, is as many as the player can make. */
export const SPEEDS = [
  1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 500, 1000, 2000, 5000,
  null,
];

/** Speed at the start. */
export const PLEASANT = 8;

/** Fastest speed at which every move is animated. */
export const FASTEST_ANIMATED = 12;

/** The place of a speed on the slider: of the nearest one there is. */
export function placeOf(speed) {
  if (speed === null) return SPEEDS.length - 1;
  const place = SPEEDS.findIndex((known) => known === null || known >= speed);
  return Math.max(0, Math.min(place, SPEEDS.length - 2));
}

/** The speed so many steps up or down the scale. */
export function speedBeside(speed, steps) {
  return SPEEDS[Math.max(0, Math.min(placeOf(speed) + steps, SPEEDS.length - 1))];
}

/** A speed in words. */
export function formatSpeed(speed) {
  return speed === null ? text('play.pace_most') : text('watch.speed', { count: speed });
}

/** Read the speed of a link: a number, or `max`. */
export function parseSpeed(said) {
  if (said === 'max') return null;
  return Number(said) > 0 ? SPEEDS[placeOf(Number(said))] : PLEASANT;
}

/** A speed as links have it. */
export function speedKey(speed) {
  return speed === null ? 'max' : String(speed);
}
