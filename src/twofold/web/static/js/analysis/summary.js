/** What a game was like: accuracy, parts, how many moves have each grade; the rest in details. */

import { gradeMark, gradeName } from '../analysis_texts.js';
import { button, h } from '../dom.js';
import { formatFit } from '../figures.js';
import { number, percent, sentence, text } from '../text.js';
import { GRADES, isForced, isMistake } from './judging.js';

/** Games with a smaller tile are not divided: as `LEAST_TILE` of the server. */
const LEAST_TILE = 64;

const sum = (values) => values.reduce((all, one) => all + one, 0);

const isBest = (one) => one.grade === 'best';

/**
 * The figures.
 *
 * @param {import('./judging.js').Judging} judging
 * @param {(move: number) => void} onGo called with the move number at which a phase begins
 * @returns {Array} for `render`
 */
export function figures(judging, onGo) {
  const judged = judging.judgements.filter(Boolean);
  const choices = judged.filter((one) => !isForced(one));
  const share = (value) => (choices.length ? percent(value, 1) : '–');
  const mean = (value) => sum(choices.map(value)) / choices.length;
  const fit = () => formatFit(choices.reduce((all, one) => all * one.ratio, 1));
  return [
    figure('accuracy', share(judging.accuracy)),
    judged.length > 0 && !choices.length
      && h('p', { class: 'small soft', text: text('review.no_choice') }),
    parts(judging, onGo),
    h('details', { class: 'review-more' }, h('summary', { text: text('analyse.details') }),
      h('div', { class: 'review-figures fit' },
        figure('match', share(100 * mean((one) => Number(isBest(one))))),
        figure('kept_share', share(100 * mean((one) => one.ratio))),
        figure('run', judged.length ? number(longestRun(judged)) : '–'),
        figure('fit', choices.length ? fit() : '–'))),
  ];
}

function figure(name, value) {
  return h('dl', { class: `review-figure figure-${name}`, title: text(`review.${name}_help`) },
    h('dt', { text: text(`review.${name}`) }), h('dd', { class: 'number', text: value }));
}

/** The most perfect moves in a row. */
function longestRun(judged) {
  let [longest, run] = [0, 0];
  for (const one of judged) {
    run = isBest(one) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** Own moves and those of autoplay, and the phases; blank until all is judged, so that nothing moves. */
function parts({ game, reviewed }, onGo) {
  const blank = [part('–', { accuracy: null, moves: 0 })];
  const isShared = reviewed ? reviewed.own : game.ownMoves > 0 && game.ownMoves < game.last;
  const phases = reviewed?.phases ?? [];
  const isDivided = reviewed ? phases.length > 1 : game.largestAt(game.last) >= LEAST_TILE;
  const makers = () => ['own', 'helped'].map((name) => part(text(`review.part_${name}`), reviewed[name]));
  return (isShared || isDivided) && h('div', { class: 'review-parts' },
    isShared && list('review.parts_makers', reviewed ? makers() : blank),
    isDivided && list('review.parts_phases', reviewed
      ? phases.map((phase) => part(phaseButton(phase, onGo), phase)) : blank));
}

function phaseButton({ after, before, start }, onGo) {
  const kind = before ? 'before' : after ? 'after' : 'whole';
  const words = text(`review.phase_${kind}`, { after: String(after), before: String(before) });
  return h('button', { type: 'button', class: 'review-part-go bare', onclick: () => onGo(start) }, words);
}

function list(key, children) {
  return h('div', { class: 'review-part-list' },
    h('span', { class: 'small soft', text: text(key) }), h('dl', null, children));
}

function part(name, { moves, accuracy }) {
  const words = accuracy === null ? text('review.no_choice') : text('review.moves', { count: moves });
  return h('div', { class: 'review-part', title: words }, h('dt', null, name),
    h('dd', { class: 'number', text: accuracy === null ? '–' : percent(accuracy, 1) }));
}

/**
 * How many of the person's moves have each grade, and what one can do about them.
 *
 * @param {import('./judging.js').Judging} judging
 * @param {{onNext: (wanted: (grade: string) => boolean) => void, onLearn: () => void}} actions
 * @returns {Array} for `render`
 */
export function grades(judging, { onNext, onLearn }) {
  const { game, judgements, done, error, isGoing } = judging;
  const own = judgements.filter((_, place) => !game.isHelped(place));
  const counts = new Map(GRADES.map((grade) => [grade, 0]));
  own.forEach((one) => counts.set(one.grade, counts.get(one.grade) + 1));
  const total = Math.max(1, own.length);
  const hasMistakes = GRADES.some((grade) => isMistake(grade) && counts.get(grade));
  return [
    h('div', { class: 'stack tight review-busy', hidden: !isGoing },
      h('p', { class: 'small soft', text: text('review.progress', { done, total: game.last }) }),
      h('progress', { max: 1, value: done / Math.max(1, game.last),
        'aria-label': text('review.progress_label') })),
    h('p', { class: 'error', role: 'alert', text: sentence(error) }),
    game.ownMoves > 0 && game.ownMoves < game.last
      && h('p', { class: 'small soft', text: text('review.labels_own') }),
    h('div', { class: 'label-bar', 'aria-hidden': 'true' }, GRADES.map((grade) => counts.get(grade) > 0
      && h('span', { key: grade, class: `grade-${grade}`, style: { flexGrow: counts.get(grade) } }))),
    h('ul', { class: 'label-list fit' }, GRADES.map((grade) => h('li', null,
      h('button', { type: 'button', class: 'bare label-row', disabled: !counts.get(grade),
        onclick: () => onNext((one) => one === grade) },
      gradeMark(grade), h('span', { class: 'grow', text: sentence(gradeName(grade)) }),
      h('span', { class: 'label-count number', text: number(counts.get(grade)) }),
      h('span', { class: 'label-share number soft', text: percent((100 * counts.get(grade)) / total, 1) }))))),
    h('div', { class: 'row' },
      button({ icon: 'review', text: text('review.learn_short') }, onLearn,
        { class: 'primary', title: text('review.learn'), disabled: !judging.mistakes().length }),
      button({ icon: 'step', text: text('review.next') }, () => onNext(isMistake),
        { disabled: !hasMistakes })),
  ];
}
