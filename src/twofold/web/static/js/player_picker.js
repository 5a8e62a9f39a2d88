/** Picks a player, one of the list or any spec, and how long or how deep it thinks. */

import { ChoiceField } from './choice_field.js';
import { field, h, part } from './dom.js';
import { net } from './net.js';
import { playerName } from './player_names.js';
import { text } from './text.js';

/** A field for a player. */
export class PlayerPicker extends ChoiceField {
  /**
   * @param {object} options
   * @param {string} [options.spec] of the player; empty for the default one
   * @param {string} [options.label]
   * @param {boolean} [options.quiet] whether the label is for screen readers alone
   * @param {(spec: string) => void} options.onPick
   */
  constructor({ spec = '', label = text('picker.player'), quiet = false, onPick }) {
    super({
      label, quiet, onPick, value: spec, nameOf: playerName,
      otherLabel: text('picker.player_spec'), otherHint: text('picker.player_example'),
    });
    this.element.classList.add('player-picker');
    this.off = net.on('welcome', () => this.#list());
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

  set spec(spec) {
    this.value = spec;
    this.#list();
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

  /** Listen no more. */
  close() {
    this.off();
  }

  get #players() {
    return net.players.filter((player, place) => !place || plays(player, this.rows, this.cols));
  }

  #list() {
    const players = this.#players;
    const listed = players.find(({ spec, plain }, place) => (this.value ? plain === this.value && spec !== plain : !place));
    if (listed) this.value = listed.spec; // a strength has one name: `fast`, not `ntuple:ply=1`
    this.setChoices(players.map((player, place) => choiceOf(player, place === 0)));
  }
}

/**
 * Whether a player of the list plays on boards of a shape.
 *
 * @param {object} player a `PlayerInfo`
 * @param {number} [rows]
 * @param {number} [cols]
 */
export function plays({ smallest, largest }, rows = 4, cols = 4) {
  return Math.min(rows, cols) >= smallest && Math.max(rows, cols) <= largest;
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

/** A player of the list as a choice; its spec is what a mouse over it tells. */
function choiceOf({ spec }, isDefault) {
  const name = playerName(spec);
  return { value: spec, text: isDefault ? text('picker.default', { name }) : name, title: spec };
}

/**
 * One line about a player of the list; empty for others.
 *
 * @param {string} spec
 */
export function playerSummary(spec) {
  return net.players.find((player) => player.spec === spec)?.summary ?? '';
}

const SECONDS = [0.5, 1, 2, 5, 10, 30];
const PLIES = [1, 2, 3, 4, 5, 6, 7, 8];

/** A list of times and depths; none for a player whose search cannot be limited. */
export class LimitField {
  /**
   * @param {() => void} onPick
   * @param {() => string} specOf the player
   */
  constructor(onPick, specOf) {
    this.specOf = specOf;
    this.select = h('select', { id: 'analyse-limit', class: 'select', onchange: onPick },
      h('option', { value: '', text: text('analyse.limit_default') }),
      group('analysis.time', SECONDS, 's', 'analyse.seconds'),
      group('analysis.depth', PLIES, 'ply', 'analyse.plies'));
    this.element = part(field(text('analyse.limit'), this.select));
    this.off = net.on('welcome', () => this.fit());
  }

  /** Show the list if the player takes limits. */
  fit() {
    this.element.hidden = !takesLimits(this.specOf());
  }

  /** Listen no more. */
  close() {
    this.off();
  }

  get value() {
    return takesLimits(this.specOf()) ? this.select.value : '';
  }

  set value(limit) {
    this.select.value = limit;
    if (this.select.selectedIndex < 0) this.select.value = '';
  }

  /** The limit as an `AnalyseRequest` has it. */
  get request() {
    const [, count, unit] = /^([\d.]+)(s|ply)$/.exec(this.value) ?? [];
    if (!unit) return {};
    return unit === 's' ? { seconds: Number(count) } : { ply: Number(count) };
  }
}

function group(label, counts, unit, key) {
  return h('optgroup', { label: text(label) },
    counts.map((count) => h('option', { value: `${count}${unit}`, text: text(key, { count }) })));
}
