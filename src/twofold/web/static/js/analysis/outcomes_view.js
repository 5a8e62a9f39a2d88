/** How games end from a position under optimal play: a row for each largest tile, exact. */

import { h } from '../dom.js';
import { fixed, number, percent, text } from '../text.js';

const LEAST = 1e-6; // a tile that is the largest at the end less often has no row

/** Shows `OutcomesReply`s; takes no room until there is one. */
export class OutcomesView {
  /** @param {object} options
   *  @param {(words: string) => void} options.announce tells the result to screen readers */
  constructor({ announce }) {
    this.announce = announce;
    this.rows = h('tbody');
    this.table = this.#table();
    this.progress = h('progress', { class: 'outcomes-progress', max: 1,
      'aria-label': text('outcomes.progress') });
    this.note = h('p', { class: 'outcomes-note soft small' });
    this.element = h('section', { class: 'card outcomes', hidden: true,
      'aria-label': text('outcomes.label') },
    h('h2', { class: 'outcomes-title', text: text('outcomes.label') }),
    this.table, this.progress, this.note);
  }

  #table() {
    const headings = ['tile', 'chance', 'reached'].map((name) => h('th', {
      scope: 'col', class: `outcomes-${name}`, text: text(`outcomes.${name}`),
    }));
    headings.splice(1, 0, h('td', { class: 'outcomes-track' }));
    return h('table', { class: 'outcomes-tiles' },
      h('thead', null, h('tr', null, headings)), this.rows);
  }

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
    this.board = reply.board;
    this.element.hidden = false;
    this.element.classList.remove('is-old');
    this.progress.hidden = reply.final;
    this.progress.value = reply.done;
    this.table.hidden = !reply.tiles.length;
    if (reply.tiles.length) this.#showTiles(reply);
    this.note.textContent = reply.tiles.length ? this.#facts(reply) : this.#wait(reply);
    if (reply.final) this.announce(this.#spoken(reply));
  }

  #showTiles({ tiles }) {
    const most = Math.max(...tiles.map(({ chance }) => chance));
    const shown = tiles.filter(({ chance }) => chance >= LEAST);
    this.rows.replaceChildren(...shown.map((one) => row(one, one.chance === most)));
  }

  #wait(reply) {
    return reply.final ? why(reply) : text('outcomes.wait', { percent: Math.floor(100 * reply.done) });
  }

  #facts(reply) {
    const moves = number(Math.round(reply.moves * 10) / 10);
    return text('outcomes.facts', { problem: problem(reply), worth: worth(reply), moves });
  }

  #spoken(reply) {
    const { tiles } = reply;
    if (!tiles.length) return why(reply);
    const likeliest = tiles.reduce((a, b) => (b.chance > a.chance ? b : a));
    return text('outcomes.spoken', {
      tile: number(likeliest.tile), chance: formatChance(likeliest.chance),
    });
  }
}

/** Why there are no outcomes. */
function why({ reason, seconds, note }) {
  return reason ? text(`outcomes.${reason}`, { seconds }) : note;
}

function problem({ setting, goal, of_goal: isChance }) {
  const kind = isChance ? 'chance' : goal ? 'to' : 'score';
  return text(`outcomes.problem_${kind}`, { setting, tile: number(goal) });
}

function worth({ value, goal, of_goal: isChance }) {
  return isChance
    ? text('outcomes.worth_chance', { chance: formatChance(value), tile: number(goal) })
    : text('outcomes.worth_points', { points: fixed(value, 2) });
}

function row({ tile, chance, reached }, isLikeliest) {
  const exponent = Math.log2(tile);
  const fill = h('span', { class: 'outcomes-fill' });
  fill.style.transform = `scaleX(${Math.max(chance, 0.006).toFixed(4)})`;
  return h('tr', { class: isLikeliest ? 'is-likeliest' : null },
    h('th', { scope: 'row', class: 'outcomes-tile' },
      h('span', { class: 'outcomes-face', dataset: { exponent } }, String(tile))),
    h('td', { class: 'outcomes-track' },
      h('span', { class: 'outcomes-bar', 'aria-hidden': 'true' }, fill)),
    h('td', { class: 'outcomes-chance' }, formatChance(chance)),
    h('td', { class: 'outcomes-reached' }, formatChance(reached)));
}

/** A chance in percent: two decimals, of small ones the first digit that is not 0. */
function formatChance(chance) {
  const share = 100 * chance;
  if (share >= 99.995 && share < 100 - 1e-6) return `> ${percent(99.99, 2)}`;
  if (share >= 0.01 || share <= 0) return percent(share, 2);
  return percent(share, Math.min(8, -Math.floor(Math.log10(share))));
}
