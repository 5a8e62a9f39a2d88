/** The buttons over the board. */

import { button, h } from '../dom.js';
import { settings } from '../settings.js';
import { text } from '../text.js';
import { toast } from '../toast.js';

/** New game, rules, undo, redo, hint, games. */
export class Controls {
  /**
   * @param {{newGame: function(): void, rules: function(): void, undo: function(): void,
   *   redo: function(): void, games: function(): void}} actions
   */
  constructor(actions) {
    this.undo = button({ icon: 'undo', label: text('play.undo') }, actions.undo, { class: 'undo' });
    this.undos = h('span', { class: 'undos number', 'aria-hidden': 'true' });
    this.undo.append(this.undos);
    this.redo = button({ icon: 'redo', label: text('play.redo') }, actions.redo);
    this.hint = button({ icon: 'hint', label: text('play.hints') },
      () => this.toggleHints(), { class: 'narrow-only' });
    this.element = h('div',
      { class: 'row controls', role: 'group', 'aria-label': text('play.controls') },
      h('div', { class: 'group' },
        button({ icon: 'new', text: text('play.new') }, actions.newGame, { class: 'primary' }),
        button({ text: text('play.rules') }, actions.rules, { title: text('play.new_rules') })),
      this.right = h('div', { class: 'row controls-right' },
        h('div', { class: 'group' }, this.undo, this.redo),
        this.hint, button({ icon: 'games', label: text('play.games') }, actions.games)));
    this.showHints(settings.get('hints'));
  }

  /** @param {boolean} on whether the help is on */
  showHints(on) {
    this.hint.setAttribute('aria-pressed', String(on));
  }

  toggleHints() {
    if (this.why) toast(this.why);
    else settings.set('hints', !settings.get('hints'));
  }

  /** @param {boolean} isDaily whether it is played without undo and hints */
  showDaily(isDaily) {
    this.hint.disabled = isDaily;
    this.why = isDaily ? text('daily.play_note') : '';
    this.hint.title = this.why || text('play.hints');
    this.undo.title = this.why || text('play.undo');
  }

  /**
   * @param {object} now where the game stands
   * @param {boolean} hasBefore whether undo brings the game before back
   */
  show(now, hasBefore) {
    this.undo.disabled = !now.can_undo && !hasBefore;
    this.redo.disabled = !now.can_redo;
    if (this.undos.textContent === String(now.undos || '')) return;
    this.undos.textContent = now.undos || '';
    const label = now.undos ? text('play.undo_count', { count: now.undos }) : text('play.undo');
    this.undo.setAttribute('aria-label', label);
    this.undo.title = this.why || label;
  }
}
