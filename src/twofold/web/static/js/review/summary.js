/** The review as a whole: accuracy, the other figures, how many moves have each label. */

import { button, fill, h } from '../dom.js';
import { formatFit } from '../figures.js';
import { number, percent, sentence, text } from '../text.js';
import { isForced } from './judging.js';
import { badge, classOf, isMistake, labelName, LABELS } from './labels.js';

/** Two panels: `head` has the figures, `element` the labels and what one can do with them. */
export class Summary {
  /**
   * @param {import('./judging.js').Judging} judging
   * @param {{onNext: (wanted: (label: string) => boolean) => void, onLearn: () => void,
   *   onGo: (move: number) => void}} actions
   */
  constructor(judging, actions) {
    this.judging = judging;
    this.actions = actions;
    this.progress = h('progress', {
      max: 1,
      value: 0,
      'aria-label': text('review.progress_label'),
    });
    this.progressText = h('p', { class: 'small soft' });
    this.busy = h('div', { class: 'stack tight' }, this.progressText, this.progress);
    this.error = h('p', { class: 'error', role: 'alert' });
    this.figures = h('dl', { class: 'review-figures' });
    this.noChoice = h('p', { class: 'small soft', hidden: true, text: text('review.no_choice') });
    this.parts = new PartsView(judging.game, actions.onGo);
    this.ownNote = h('p', { class: 'small soft', hidden: true, text: text('review.labels_own') });
    this.bar = h('div', { class: 'label-bar', 'aria-hidden': 'true' });
    this.list = h('ul', { class: 'label-list' });
    this.next = button({ icon: 'step', text: text('review.next') }, () =>
      actions.onNext(isMistake),
    );
    this.learn = button({ icon: 'review', text: text('review.learn_short') }, actions.onLearn, {
      class: 'primary',
      title: text('review.learn'),
    });
    this.buttons = h('div', { class: 'row' }, this.next, this.learn);
    this.rows = new Map(LABELS.map((label) => [label, this.#row(label)]));
    fill(
      this.list,
      [...this.rows.values()].map((row) => row.element),
    );
    this.head = h(
      'section',
      { class: 'card review-figures-card', 'aria-label': text('review.summary') },
      this.figures,
      this.noChoice,
      this.parts.element,
    );
    this.element = h(
      'section',
      { class: 'card review-labels stack', 'aria-label': text('review.labels') },
      this.busy,
      this.error,
      this.ownNote,
      this.bar,
      this.list,
      this.buttons,
    );
  }

  #row(label) {
    const count = h('span', { class: 'label-count number' });
    const share = h('span', { class: 'label-share number soft' });
    const element = h(
      'li',
      null,
      h(
        'button',
        {
          type: 'button',
          class: 'bare label-row',
          onclick: () => this.actions.onNext((one) => one === label),
        },
        badge(label),
        h('span', { class: 'grow', text: labelName(label) }),
        count,
        share,
      ),
    );
    return { element, count, share };
  }

  /** Show what is known. */
  show() {
    const { judging } = this;
    this.error.textContent = sentence(judging.error);
    this.busy.hidden = !judging.isGoing;
    this.progress.value = judging.done / Math.max(1, judging.game.last);
    this.progressText.textContent = text('review.progress', {
      done: judging.done,
      total: judging.game.last,
    });
    this.#showFigures();
    this.parts.show(this.judging.reviewed);
    this.#showLabels();
  }

  /** The figures of the moves judged so far. */
  #showFigures() {
    const judged = this.judging.judgements.filter(Boolean);
    const choices = judged.filter((one) => !isForced(one));
    const share = (value) => (choices.length ? percent(value, 1) : '–');
    const mean = (value) => sum(choices.map(value)) / choices.length;
    const figures = [
      ['accuracy', share(this.judging.accuracy)],
      ['match', share(100 * mean((one) => Number(isPerfect(one))))],
      ['kept_share', share(100 * mean((one) => one.ratio))],
      ['run', judged.length ? number(longestRun(judged)) : '–'],
      ['fit', choices.length ? formatFit(choices.reduce((all, one) => all * one.ratio, 1)) : '–'],
    ];
    this.noChoice.hidden = !judged.length || choices.length > 0;
    fill(
      this.figures,
      figures.map(([name, value]) =>
        h(
          'div',
          { class: `review-figure figure-${name}`, title: text(`review.${name}_help`) },
          h('dt', { text: text(`review.${name}`) }),
          h('dd', { class: 'number', text: value }),
        ),
      ),
    );
  }

  #showLabels() {
    const counts = new Map(LABELS.map((label) => [label, 0]));
    const { game, judgements } = this.judging;
    const own = judgements.filter((_, place) => !game.isHelped(place));
    own.forEach((one) => counts.set(one.label, counts.get(one.label) + 1));
    const total = Math.max(1, own.length);
    this.ownNote.hidden = game.ownMoves === 0 || game.ownMoves === game.last;
    for (const [label, count] of counts) {
      const row = this.rows.get(label);
      row.count.textContent = number(count);
      row.share.textContent = percent((100 * count) / total, 1);
      row.element.firstChild.disabled = count === 0;
    }
    fill(
      this.bar,
      LABELS.map(
        (label) =>
          counts.get(label) > 0 &&
          h('span', { class: `label-${classOf(label)}`, style: { flexGrow: counts.get(label) } }),
      ),
    );
    this.next.disabled = LABELS.every((label) => !isMistake(label) || counts.get(label) === 0);
    this.learn.disabled = !this.judging.mistakes().length;
  }
}

const isPerfect = (one) => one.label === 'perfect';

const sum = (values) => values.reduce((all, one) => all + one, 0);

/** The most perfect moves in a row. */
function longestRun(judged) {
  let [longest, run] = [0, 0];
  for (const one of judged) {
    run = isPerfect(one) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** Games with a smaller tile are not divided: as `LEAST_TILE` of the server. */
const LEAST_TILE = 64;

/** The parts; hidden where there is only one of each kind. */
class PartsView {
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
