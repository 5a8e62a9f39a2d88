/** How games end from a position under optimal play: a row for each largest tile, exact. */

import { announce } from '../announce.js';
import { h, part, render } from '../dom.js';
import { formatChance } from '../figures.js';
import { fixed, number, text } from '../text.js';

const LEAST = 1e-6; // a tile that is the largest at the end less often has no row

/** Shows `OutcomesReply`s; takes no room until there is one. */
export class OutcomesView {
  element = part(h('section', { class: 'card outcomes stack near', hidden: true, 'aria-label': text('outcomes.label') }));

  /** Take all away: nobody knows how games end. */
  clear() {
    this.element.hidden = true;
  }

  /**
   * Pale what is shown until the outcomes of a position come.
   *
   * @param {string} board its text
   */
  expect(board) {
    this.element.classList.toggle('is-old', board !== this.board);
  }

  /**
   * Show how far it is, or the outcomes.
   *
   * @param {object} reply an `OutcomesReply`
   */
  show(reply) {
    const { board, final: isFinal, done, tiles } = reply;
    this.board = board;
    this.element.hidden = false;
    this.element.classList.remove('is-old');
    const wait = () => (isFinal ? why(reply) : text('outcomes.wait', { percent: Math.floor(100 * done) }));
    render(this.element,
      h('h2', { class: 'outcomes-title', text: text('outcomes.label') }),
      tiles.length > 0 && table(tiles),
      !isFinal && h('progress', { class: 'outcomes-progress', max: 1, value: done, 'aria-label': text('outcomes.progress') }),
      h('p', { class: 'outcomes-note soft small', text: tiles.length ? facts(reply) : wait() }));
    if (isFinal) announce(tiles.length ? spoken(tiles) : why(reply));
  }
}

function table(tiles) {
  const heading = (name) => h('th', { scope: 'col', class: `outcomes-${name}`, text: text(`outcomes.${name}`) });
  const most = Math.max(...tiles.map(({ chance }) => chance));
  return h('table', { class: 'outcomes-tiles table' },
    h('thead', null, h('tr', null, heading('tile'), h('td', { class: 'outcomes-track' }), heading('chance'), heading('reached'))),
    h('tbody', null, tiles.filter(({ chance }) => chance >= LEAST).map((one) => row(one, one.chance === most))));
}

function facts(reply) {
  const moves = number(Math.round(reply.moves * 10) / 10);
  return text('outcomes.facts', { problem: problem(reply), worth: worth(reply), moves });
}

function spoken(tiles) {
  const { tile, chance } = tiles.reduce((a, b) => (b.chance > a.chance ? b : a));
  return text('outcomes.spoken', { tile: String(tile), chance: formatChance(chance, 2) });
}

/** Why there are no outcomes. */
function why({ reason, seconds, note }) {
  return reason ? text(`outcomes.${reason}`, { seconds }) : note;
}

function problem({ setting, goal, of_goal: isChance }) {
  const kind = isChance ? 'chance' : goal ? 'to' : 'score';
  return text(`outcomes.problem_${kind}`, { setting, tile: String(goal) });
}

function worth({ value, goal, of_goal: isChance }) {
  return isChance
    ? text('outcomes.worth_chance', { chance: formatChance(value, 2), tile: String(goal) })
    : text('outcomes.worth_points', { points: fixed(value, 2) });
}

function row({ tile, chance, reached }, isLikeliest) {
  const style = { transform: `scaleX(${Math.max(chance, 0.006).toFixed(4)})` };
  return h('tr', { key: tile, class: isLikeliest ? 'is-likeliest' : null },
    h('th', { scope: 'row', class: 'outcomes-tile' },
      h('span', { class: 'tile-chip outcomes-face', dataset: { exponent: Math.log2(tile) } }, String(tile))),
    h('td', { class: 'outcomes-track' }, h('span', { class: 'outcomes-bar', 'aria-hidden': 'true' }, h('span', { class: 'outcomes-fill', style }))),
    h('td', { class: 'outcomes-chance' }, formatChance(chance, 2)),
    h('td', { class: 'outcomes-reached' }, formatChance(reached, 2)));
}
