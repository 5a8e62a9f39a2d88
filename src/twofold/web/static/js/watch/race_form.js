/** What a race is about: rules, dice, where to stop, how many boards. */

import { button, field, h } from '../dom.js';
import { RulesField } from '../rules_field.js';
import { text } from '../text.js';

const STOP_TILES = Array.from({ length: 12 }, (_, step) => 64 << step); // 64 to 131072

/** The form under the controls. */
export class RaceForm {
  /**
   * @param {import('./race.js').Race} race
   * @param {object} actions
   * @param {(rules: string) => void} actions.onRules
   * @param {(seed: string) => void} actions.onSeed
   * @param {() => void} actions.onDice called for a new random seed
   * @param {() => void} actions.onAdd
   */
  constructor(race, { onRules, onSeed, onDice, onAdd }) {
    this.race = race;
    this.rules = new RulesField({ value: race.rules, onPick: onRules });
    this.seed = h('input', {
      id: 'watch-seed', class: 'input number', type: 'text', inputmode: 'numeric', autocomplete: 'off',
      value: race.seed, onchange: () => this.#seeded(onSeed),
      onkeydown: (event) => { if (event.key === 'Enter') this.seed.blur(); }, // the keys go to the race again
    });
    this.stop = this.#stopList();
    this.dice = button({ icon: 'dice', text: text('watch.restart') }, onDice);
    this.add = button({ icon: 'new', text: text('watch.add') }, onAdd, { class: 'race-add' });
    this.error = h('p', { class: 'error', role: 'alert' });
    this.element = h('section', { class: 'race-form', 'aria-label': text('watch.race') },
      this.rules.element, field(text('play.seed'), this.seed), this.dice,
      field(text('watch.stop'), this.stop), this.add, this.error);
  }

  #stopList() {
    const options = STOP_TILES.map((tile) => h('option', { value: tile, text: String(tile) }));
    const list = h('select', {
      id: 'watch-stop', class: 'select', onchange: () => this.race.setStopTile(Number(list.value)),
    }, h('option', { value: 0, text: text('watch.stop_never') }), options);
    list.value = this.race.stopTile;
    return list;
  }

  /** A browser says that the seed has changed even where it was typed as it is. */
  #seeded(onSeed) {
    const seed = this.seed.value.trim();
    if (seed === this.race.seed) this.show();
    else onSeed(seed);
  }

  /** Show the rules and the seed as the race has them. */
  show() {
    this.rules.value = this.race.rules;
    this.seed.value = this.race.seed;
  }

  /** @param {boolean} isFull whether no board can be added */
  setFull(isFull) {
    this.add.disabled = isFull;
  }

  /** @param {string} message why the race could not begin; empty if it did */
  setError(message) {
    this.error.textContent = message;
  }
}
