/** Lists to pick from, whose last entry lets one type something else: of players, of rules; limits of a player. */

import { field, h, part, render } from './dom.js';
import { net } from './net.js';
import { playerName } from './player_names.js';
import { text } from './text.js';

const OTHER = '\u0000other';
let count = 0;

/** A select, and in its place a text field while one types what is not in the list. */
export class ChoiceField {
  #isTyping = false;
  #id = `choice-${++count}`;

  /**
   * @param {object} options
   * @param {string} options.label names the list
   * @param {string} options.otherLabel names the text field
   * @param {string} [options.otherHint] example shown in the empty text field
   * @param {{value: string, text: string, title?: string}[]} [options.choices] to pick from
   * @param {string} [options.value] what is chosen
   * @param {string} [options.error] what is wrong with it; empty if nothing is
   * @param {(value: string) => string} [options.nameOf] how a value that is not in the list is shown
   * @param {(value: string) => void} options.onPick called when a person has chosen
   * @param {boolean} [options.quiet] whether the label is for screen readers alone
   * @param {boolean} [options.disabled]
   */
  constructor(options) {
    this.element = part(h('div', { class: 'field choice' }));
    this.set({ choices: [], value: '', error: '', otherHint: '', quiet: false, disabled: false, nameOf: (other) => other, ...options });
  }

  /** Change some of the options, as of the constructor. */
  set(options) {
    if (Object.entries(options).every(([name, value]) => this[name] === value)) return;
    Object.assign(this, options);
    this.#draw();
  }

  /** Whether what is chosen is in the list; else it was typed. */
  get isListed() {
    return this.choices.some(({ value }) => value === this.value);
  }

  #draw() {
    const { choices, value: chosen, nameOf } = this;
    const isOwn = choices.length > 0 && !this.isListed;
    const all = [...choices, ...isOwn ? [{ value: chosen, text: nameOf(chosen), title: chosen }] : [],
      { value: OTHER, text: text('picker.other') }];
    const note = `${this.#id}-error`;
    const common = { 'aria-describedby': note, 'aria-invalid': String(this.error !== '') };
    render(this.element,
      h('label', { for: this.#id, class: this.quiet ? 'visually-hidden' : '', text: this.label }),
      h('select', { id: this.#id, class: 'select', disabled: this.disabled, hidden: this.#isTyping, ...common,
        onchange: ({ target }) => this.#selected(target.value) },
      all.map(({ value, title, text: words }) => h('option', { value, title, text: words }))),
      h('input', { type: 'text', class: 'input', 'aria-label': this.otherLabel, placeholder: this.otherHint, hidden: !this.#isTyping,
        ...common, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false',
        onblur: ({ target }) => this.#typed(target.value.trim()), onkeydown: (event) => this.#key(event) }),
      h('p', { id: note, class: 'field-error bad', role: 'alert', text: this.error }));
    this.element.querySelector('select').value = choices.length ? chosen : OTHER;
  }

  #selected(value) {
    if (value !== OTHER) return void this.#pick(value);
    this.#isTyping = true;
    this.#draw();
    const input = this.element.querySelector('input');
    input.value = this.value;
    input.focus();
    input.select();
  }

  #typed(value) {
    if (!this.#isTyping) return;
    this.#isTyping = false;
    if (value === this.value) this.#draw();
    else this.#pick(value);
  }

  #key(event) {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    this.#typed(event.key === 'Escape' ? this.value : event.target.value.trim());
    this.element.querySelector('select').focus();
  }

  #pick(value) {
    Object.assign(this, { value, error: '' });
    this.#draw();
    this.onPick(value);
  }
}

/** Rules as the list shows them: with the sign of its first line between rows and columns. */
const shownRules = (rules) => rules.replace(/^(\d+)x(?=\d)/, '$1×');

const SHAPES = ['', '3x3', '3x4', '4x5', '5x5', '6x6', '8x8'];

/**
 * A field for rules; its value is empty for the original ones.
 *
 * @param {(rules: string) => void} onPick
 * @param {string} [value]
 */
export function rulesField(onPick, value = '') {
  return new ChoiceField({ label: text('picker.rules'), otherLabel: text('picker.rules_text'),
    otherHint: text('picker.rules_example'), nameOf: shownRules, value, onPick,
    choices: SHAPES.map((shape) => ({ value: shape, text: shownRules(shape) || text('picker.rules_original') })) });
}

/** A field for a player. */
export class PlayerPicker extends ChoiceField {
  /**
   * @param {object} options as of a `ChoiceField`; the `value` is a spec, empty for the default player
   */
  constructor(options) {
    super({ label: text('picker.player'), nameOf: playerName, otherLabel: text('picker.player_spec'),
      otherHint: text('picker.player_example'), ...options });
    this.element.classList.add('player-picker');
    net.on('welcome', () => this.#list());
    this.#list();
  }

  /** The spec; the default player's where none was given. Empty before it is known. */
  get spec() {
    return this.value || this.#players[0]?.spec || '';
  }

  /** Its name. */
  get name() {
    return playerName(this.spec);
  }

  /** The spec as a link has it: empty for the default player. */
  get picked() {
    return this.spec === this.#players[0]?.spec ? '' : this.spec;
  }

  /**
   * List the players that play on boards of a shape.
   *
   * @param {number} rows
   * @param {number} cols
   */
  setShape(rows, cols) {
    if (this.rows === rows && this.cols === cols) return;
    Object.assign(this, { rows, cols });
    this.#list();
  }

  /** Whether the board is not 4x4. */
  get isOther() {
    return (this.rows ?? 4) !== 4 || (this.cols ?? 4) !== 4;
  }

  get #players() {
    return net.players.filter((player, place) => !place || plays(player, this.rows, this.cols));
  }

  #list() {
    const players = this.#players;
    // a strength has one name: `fast`, not `ntuple:ply=1`
    const listed = players.find(({ spec, plain }, place) => (this.value ? plain === this.value && spec !== plain : !place));
    this.set({ value: listed?.spec ?? this.value, choices: players.map(({ spec }, place) => {
      const name = playerName(spec);
      return { value: spec, text: place || this.quiet ? name : text('picker.default', { name }), title: spec };
    }) });
  }
}

/**
 * Whether a player of the list plays on boards of a shape.
 *
 * @param {object} player a `PlayerInfo`
 * @param {number} [rows]
 * @param {number} [cols]
 */
export function plays({ shapes }, rows = 4, cols = 4) {
  return !shapes.length || shapes.includes(`${rows}x${cols}`);
}

/**
 * Whether the search of a player can be limited in time and depth; one that is not in the list is
 * like those of its name.
 *
 * @param {string} spec empty for the default player
 */
export function takesLimits(spec) {
  const kind = spec.split(':')[0];
  const found = net.players.find((player) => !spec || player.spec === spec)
    ?? net.players.find((player) => player.spec.split(':')[0] === kind);
  return found?.takes_limits ?? true;
}

const SECONDS = [0.5, 1, 2, 5, 10, 30];
const PLIES = [1, 2, 3, 4, 5, 6, 7, 8];

/**
 * A list of times and depths.
 *
 * @param {string} limit that is chosen, such as `5s` or `3ply`; empty for the player's own
 * @param {(limit: string) => void} onPick
 */
export function limitField(limit, onPick) {
  const option = (value, words) => h('option', { value, selected: value === limit, text: words });
  const group = (label, counts, unit, key) => h('optgroup', { label: text(label) },
    counts.map((one) => option(`${one}${unit}`, text(key, { count: one }))));
  return field(text('analyse.limit'), h('select', { id: 'analyse-limit', class: 'select', onchange: ({ target }) => onPick(target.value) },
    option('', text('analyse.limit_default')),
    group('analysis.time', SECONDS, 's', 'analyse.seconds'), group('analysis.depth', PLIES, 'ply', 'analyse.plies')));
}

/**
 * A limit as an `AnalyseRequest` has it.
 *
 * @param {string} limit
 * @returns {{seconds?: number, ply?: number}}
 */
export function parseLimit(limit) {
  const [, number, unit] = /^([\d.]+)(s|ply)$/.exec(limit) ?? [];
  if (!unit) return {};
  return unit === 's' ? { seconds: Number(number) } : { ply: Number(number) };
}
