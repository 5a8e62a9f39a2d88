/** How a player thinks, in one line. */

import { net } from '../net.js';
import { playerSummary } from '../player_picker.js';
import { text } from '../text.js';

/** Players that are explained, by name: the first words of their spec. */
const EXPLAINED = new Set(['ntuple', 'expectimax', 'policy', 'greedy', 'corner', 'random']);

/** What the page opens with where nobody is named: three ways to think. */
export const FIRST_RACE = ['', 'expectimax', 'greedy'];

/**
 * How a player thinks; for those that are not explained what the list says of them.
 *
 * @param {string} spec
 * @param {boolean} isOther whether the board is not 4x4, where no strength has a network
 */
export function aboutPlayer(spec, isOther) {
  const { plain } = net.players.find((player) => player.spec === spec) ?? {};
  const [name, values = ''] = plain && isOther ? ['expectimax'] : (plain || spec).split(':');
  if (name === 'policy' && /\bply=\d/.test(values)) return text('watch.about_policy_search');
  return EXPLAINED.has(name) ? text(`watch.about_${name}`) : playerSummary(spec);
}
