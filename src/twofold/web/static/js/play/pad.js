/** The D-pad: four buttons for the four moves. */

import { button, h } from '../dom.js';
import { ICONS, moveName } from '../moves.js';

/**
 * Four buttons.
 *
 * @param {function(string): void} onMove gets the letter
 * @returns {HTMLElement}
 */
export function movePad(onMove) {
  const one = ([letter, name]) => button({ icon: name, label: moveName(letter) },
    () => onMove(letter), { class: `pad-${name}` });
  return h('div', { class: 'pad' }, Object.entries(ICONS).map(one));
}
