/** Who judges, and how deep; below the summary, for who wants it otherwise. */

import { ChoiceField } from '../choice_field.js';
import { field, h } from '../dom.js';
import { net } from '../net.js';
import { playerName } from '../player_names.js';
import { choiceOf, plays, takesLimits } from '../player_picker.js';
import { PROBABILITY } from '../figures.js';
import { text } from '../text.js';

/** Texts on the values of a judge that are not points, by unit. */
const UNITS = {
  'discounted points': 'discounted',
  'points, then own unit': 'two_units',
  [PROBABILITY]: 'probabilities',
};
const DEPTHS = [1, 2, 3, 4, 5, 6];

/** The form; it asks for a review as soon as something is chosen. */
export class JudgeForm {
  /**
   * @param {{rows: number, cols: number}} shape of the game's board
   * @param {(player: string, ply: number | null) => void} onChange
   */
  constructor({ rows, cols }, onChange) {
    Object.assign(this, { rows, cols });
    this.field = new ChoiceField({
      label: text('review.judge'),
      otherLabel: text('picker.player_spec'),
      otherHint: text('picker.player_example'),
      value: '',
      nameOf: playerName,
      onPick: () => this.#changed(),
    });
    this.depth = h(
      'select',
      { class: 'select', id: 'review-depth', onchange: () => this.#changed() },
      h('option', { value: '', text: text('review.depth_own') }),
      DEPTHS.map((count) =>
        h('option', { value: count, text: text('analyse.plies', { count }) }),
      ),
    );
    this.limits = field(text('analysis.depth'), this.depth);
    this.deeper = h('p', { class: 'small soft', text: text('review.deeper') });
    this.note = h('summary', { text: text('review.judge') });
    this.unit = h('p', { class: 'small soft', hidden: true });
    this.tables = h('p', { class: 'small soft', hidden: true, text: text('review.lacks_tables') });
    this.onChange = onChange;
    const details = h(
      'details',
      { class: 'judge-form' },
      this.note,
      h(
        'div',
        { class: 'stack' },
        this.field.element,
        this.limits,
        h('p', { class: 'small soft', text: text('review.how') }),
        this.deeper,
      ),
    );
    this.element = h('div', { class: 'stack tight' }, details, this.unit, this.tables);
    this.off = net.on('welcome', () => this.#list());
    this.#list();
  }

  /**
   * Show who was asked to judge.
   *
   * @param {string} player
   * @param {number | null} ply
   */
  choose(player, ply) {
    this.field.value = player;
    this.depth.value = ply ?? '';
    this.#fit();
  }

  /**
   * Say who judged.
   *
   * @param {object | null} reviewed the `reviewed` message
   */
  show(reviewed) {
    this.note.textContent = reviewed
      ? text('review.judged_by', { player: playerName(reviewed.player) })
      : text('review.judge');
    this.note.title = reviewed?.player ?? '';
    this.reviewed = reviewed;
    this.#fit();
    this.unit.hidden = !reviewed || reviewed.unit === 'points';
    if (reviewed) this.unit.textContent = text(`review.${UNITS[reviewed.unit] ?? 'own_unit'}`);
    this.tables.hidden = !reviewed?.lacks_tables;
  }

  /** Listen no more. */
  close() {
    this.off();
  }

  #list() {
    const { rows, cols } = this;
    const judges = net.players.filter((one) => one.values && plays(one, rows, cols));
    const first = net.players[0];
    this.field.setChoices([
      { value: '', text: text('review.judge_own') },
      ...judges.map((player) => choiceOf(player, player === first, rows, cols)),
    ]);
    this.#fit();
  }

  /** Offer a depth where the judge keeps to it. */
  #fit() {
    const spec = this.field.value || this.reviewed?.player || '';
    this.limits.hidden = this.deeper.hidden = !takesLimits(spec);
  }

  #changed() {
    this.reviewed = null;
    this.#fit();
    const ply = this.limits.hidden ? null : Number(this.depth.value);
    this.onChange(this.field.value, ply || null);
  }
}
