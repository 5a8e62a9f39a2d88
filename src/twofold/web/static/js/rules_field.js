/** Picks the rules: a shape of the list, or any text that `Rules.parse` reads. */

import { ChoiceField } from './choice_field.js';
import { text } from './text.js';

const SHAPES = ['', '3x3', '3x4', '4x5', '5x5', '6x6', '8x8'];

/** A field for rules; its value is empty for the original ones. */
export class RulesField extends ChoiceField {
  /**
   * @param {object} options
   * @param {string} [options.value]
   * @param {(rules: string) => void} options.onPick
   */
  constructor({ value = '', onPick }) {
    super({
      label: text('picker.rules'), otherLabel: text('picker.rules_text'),
      otherHint: text('picker.rules_example'), value, onPick,
    });
    this.setChoices(SHAPES.map((shape) => ({
      value: shape, text: shape || text('picker.rules_original'),
    })));
  }
}
