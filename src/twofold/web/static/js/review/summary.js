/** The review as a whole: accuracy, the other figures, how many moves have each label. */

import { button, fill, h } from '../dom.js';
import { formatFit } from '../figures.js';
import { number, percent, sentence, text } from '../text.js';
import { LABELS, badge, classOf, isMistake, labelName } from './labels.js';
import { isForced } from './judging.js';
import { PartsView } from './parts_view.js';

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
