/** Accuracy by parts of a game: one's own moves and those of autoplay, and each phase. */

import { fill, h } from '../dom.js';
import { percent, text } from '../text.js';

/** Games with a smaller tile are not divided: as `LEAST_TILE` of the server. */
const LEAST_TILE = 64;

/** The parts; hidden where there is only one of each kind. */
export class PartsView {
  /**
   * @param {import('./game.js').ReviewGame} game
   * @param {(move: number) => void} onGo called with the move number at which a phase begins
   */
  constructor(game, onGo) {
    Object.assign(this, { game, onGo });
    this.element = h('div', { class: 'review-parts', hidden: true });
  }

  /** @param {object | null} reviewed the `reviewed` message */
  show(reviewed) {
    if (!reviewed) return this.#expect();
    const makers = reviewed.own ? ['own', 'helped'].map((name) => this.#maker(name, reviewed)) : [];
    const phases = reviewed.phases.map((phase) => this.#phase(phase));
    fill(
      this.element,
      makers.length > 0 && list('review.parts_makers', makers),
      phases.length > 1 && list('review.parts_phases', phases),
    );
    this.element.hidden = !makers.length && phases.length < 2;
    return undefined;
  }

  /** Keep the place of what will be shown, so that nothing moves when it comes. */
  #expect() {
    const { game } = this;
    const isShared = game.ownMoves > 0 && game.ownMoves < game.last;
    const isDivided = game.largestAt(game.last) >= LEAST_TILE;
    const blank = () => h('div', { class: 'review-part' }, h('dt', null, '–'), h('dd'));
    fill(
      this.element,
      isShared && list('review.parts_makers', [blank()]),
      isDivided && list('review.parts_phases', [blank()]),
    );
    this.element.hidden = !isShared && !isDivided;
  }

  #maker(name, reviewed) {
    return part(text(`review.part_${name}`), reviewed[name]);
  }

  /** A button that leads to the beginning of a phase. */
  #phase(phase) {
    const name = text(phaseKey(phase), {
      after: String(phase.after),
      before: String(phase.before),
    });
    const go = { type: 'button', class: 'review-part-go', onclick: () => this.onGo(phase.start) };
    return part(h('button', go, name), phase);
  }
}

function phaseKey({ after, before }) {
  if (before) return 'review.phase_before';
  return after ? 'review.phase_after' : 'review.phase_whole';
}

function list(key, parts) {
  return h(
    'div',
    { class: 'review-part-list' },
    h('span', { class: 'review-part-kind small soft', text: text(key) }),
    h('dl', null, parts),
  );
}

function part(name, { moves, accuracy }) {
  return h(
    'div',
    { class: 'review-part', title: accuracy === null ? text('review.no_choice') : text('review.moves', { count: moves }) },
    h('dt', null, name),
    h('dd', { class: 'number', text: accuracy === null ? '–' : percent(accuracy, 1) }),
  );
}
