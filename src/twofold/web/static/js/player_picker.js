/** Picks a player: one of the list, or any spec. */

import { ChoiceField } from './choice_field.js';
import { language } from './language.js';
import { net } from './net.js';
import { playerName } from './player_names.js';
import { text } from './text.js';

/** A field for a player. */
export class PlayerPicker {
  /**
   * @param {object} options
   * @param {string} [options.spec] of the player; empty for the default one
   * @param {string} [options.label]
   * @param {boolean} [options.quiet] whether the label is for screen readers alone
   * @param {boolean} [options.valued] whether only players that value moves are listed
   * @param {(spec: string) => void} options.onPick
   */
  constructor({ spec = '', label = text('picker.player'), quiet = false, valued = false, onPick }) {
    this.valued = valued;
    this.field = new ChoiceField({
      label, quiet, onPick, value: spec, nameOf: playerName,
      otherLabel: text('picker.player_spec'), otherHint: text('picker.player_example'),
    });
    this.element = this.field.element;
    this.element.classList.add('player-picker');
    this.off = net.on('welcome', () => this.#list());
    this.#list();
  }

  /** The spec; the default player's where none was given. Empty before it is known. */
  get spec() {
    return this.field.value || this.#players[0]?.spec || '';
  }

  /** Its name, as the list has it. */
  get name() {
    return this.field.select.selectedOptions[0]?.textContent ?? this.spec;
  }

  /** The spec as a link has it: empty for the default player. */
  get picked() {
    return this.spec === this.#players[0]?.spec ? '' : this.spec;
  }

  set spec(spec) {
    this.field.value = spec;
    this.#list();
  }

  /**
   * Name the default player as it is on boards of a shape: a network knows 4x4 alone.
   *
   * @param {number} rows
   * @param {number} cols
   */
  setShape(rows, cols) {
    const isOther = rows !== 4 || cols !== 4;
    if (this.isOther === isOther) return;
    this.isOther = isOther;
    this.#list();
  }

  /** @param {string} message what is wrong with the spec; empty if nothing is */
  setError(message) {
    this.field.setError(message);
  }

  /** Listen no more. */
  close() {
    this.off();
  }

  get #players() {
    return net.players.filter((player) => player.values || !this.valued);
  }

  #list() {
    const players = this.#players;
    if (!this.field.value && players.length) this.field.value = players[0].spec;
    this.field.setChoices(players.map((player, place) => this.#choice(player, place === 0)));
  }

  #choice(player, isDefault) {
    const { spec, name, summary, elsewhere } = player;
    const isElsewhere = Boolean(this.isOther && elsewhere);
    const english = isElsewhere ? elsewhere : name;
    const words = language === 'en' ? english : named(player, isDefault, isElsewhere);
    return { value: spec, text: words, title: isElsewhere ? '' : summary };
  }
}

/** The server's names are English. */
function named({ spec, plain }, isDefault, isElsewhere) {
  const more = isElsewhere ? 'rows' : playerName(plain);
  const name = plain ? `${playerName(spec)} (${more})` : playerName(spec);
  return isDefault ? text('picker.default', { name }) : name;
}

/**
 * One line about a player of the list; empty for others.
 *
 * @param {string} spec
 */
export function playerSummary(spec) {
  return net.players.find((player) => player.spec === spec)?.summary ?? '';
}
