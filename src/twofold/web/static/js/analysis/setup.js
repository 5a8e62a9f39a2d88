/** What sets up a board: tiles to paint with, random, empty, its shape, its score and its text. */

import { select } from '../controls.js';
import { button, field, h, render } from '../dom.js';
import { exponentOf } from '../notation.js';
import { showRefusal } from '../refusals.js';
import { text } from '../text.js';
import { emptyBoard, randomBoard, readPosition, reshaped } from './tree.js';

const LARGEST = 131072;
const LARGEST_SIDE = 8;
const TOUCH = window.matchMedia('(pointer: coarse)');

/** The panel below the board while it is set up. */
export class Setup {
  #brush = null;

  /**
   * @param {import('./board_editor.js').BoardEditor} editor
   * @param {object} actions
   * @param {(board: string, score: ?number) => void} actions.onBoard called with a new board
   * @param {(score: ?number) => void} actions.onScore
   * @param {(step: 1 | -1) => void} actions.onStep called to take back or do again
   */
  constructor(editor, { onBoard, onScore, onStep }) {
    Object.assign(this, { editor, onBoard, onScore, onStep });
    this.notation = new NotationField({
      onRead: readPosition,
      onGo: ({ board, score }) => onBoard(board, score),
    });
    this.palette = h('div', { class: 'palette', role: 'group', 'aria-label': text('analyse.palette') });
    this.tools = h('div', { class: 'setup' });
    this.element = h('section', { class: 'stack', 'aria-label': text('analyse.tools') },
      this.palette,
      h('p', { class: 'soft small', text: text(TOUCH.matches ? 'analyse.help_touch' : 'analyse.help') }),
      this.tools, this.notation.element);
  }

  /**
   * Show a position and what can be done with it.
   *
   * @param {import('./tree.js').Position} position
   * @param {import('./tree.js').History} history
   */
  show(position, history) {
    Object.assign(this, { position, history });
    const { rows, cols, score } = position;
    this.notation.show(position);
    const tiles = [0];
    for (let tile = 2; tile <= LARGEST; tile *= 2) tiles.splice(-1, 0, tile);
    render(this.palette, tiles.map((tile) => this.#tile(tile)));
    render(this.tools,
      h('div', { class: 'group' },
        button({ icon: 'undo', label: text('analyse.back') }, () => this.onStep(-1),
          { disabled: !history.canBack }),
        button({ icon: 'redo', label: text('analyse.forward') }, () => this.onStep(1),
          { disabled: !history.canForward })),
      button({ icon: 'dice', text: text('analyse.random') }, () => this.onBoard(randomBoard(rows, cols))),
      button({ icon: 'delete', text: text('analyse.clear') }, () => this.onBoard(emptyBoard(rows, cols))),
      h('div', { class: 'setup-shape' },
        this.#side('analyse.rows', rows, (count) => this.#reshape(count, cols)),
        h('span', { 'aria-hidden': 'true', text: '×' }),
        this.#side('analyse.cols', cols, (count) => this.#reshape(rows, count))),
      field(text('analyse.score'), h('input', {
        id: 'analyse-score', class: 'input number', type: 'text', inputmode: 'numeric', maxlength: 15,
        autocomplete: 'off', placeholder: text('analyse.score_unknown'), value: String(score ?? ''),
        // people write 12,345
        onchange: ({ target }) => this.onScore(scoreIn(target.value)),
      })));
  }

  #tile(tile) {
    const digits = tile ? String(tile) : text('analyse.eraser');
    return h('button', {
      type: 'button', class: tile ? 'palette-tile tile-face' : 'palette-tile palette-eraser',
      dataset: tile ? { exponent: exponentOf(tile) } : {}, style: { '--digits': digits.length },
      'aria-pressed': String(this.#brush === tile),
      'aria-label': tile ? undefined : text('analyse.eraser_name'),
      onclick: () => this.pick(this.#brush === tile ? null : tile),
    }, digits);
  }

  /** @param {number | null} tile to paint with, 0 clears; null to let clicks count */
  pick(tile) {
    this.#brush = tile;
    this.editor.setBrush(tile);
    if (this.position) this.show(this.position, this.history);
  }

  #side(label, value, onPick) {
    const sides = Array.from({ length: LARGEST_SIDE }, (_, index) => index + 1);
    return select(sides.map((side) => [side, String(side)]), value, (side) => onPick(Number(side)), { 'aria-label': text(label) });
  }

  #reshape(rows, cols) {
    this.onBoard(reshaped(this.position, rows, rows === 1 ? Math.max(2, cols) : cols)); // one cell is none
  }
}

function scoreIn(words) {
  const digits = words.replace(/\D/g, '');
  return digits ? Number(digits) : null;
}

/** A text field whose text the server reads. */
export class NotationField {
  #asked = null; // the text that the server reads

  /**
   * @param {object} actions
   * @param {(words: string) => Promise<object>} actions.onRead finds a position, or rejects with
   *   what is wrong
   * @param {(position: object) => void} actions.onGo called with what was read
   */
  constructor({ onRead, onGo }) {
    Object.assign(this, { onRead, onGo });
    this.error = h('p', { id: 'analyse-notation-error', class: 'field-error bad', role: 'alert' });
    this.input = h('textarea', {
      id: 'analyse-notation', class: 'textarea mono notation-input', rows: 1, autocomplete: 'off',
      autocapitalize: 'off', spellcheck: 'false', 'aria-describedby': 'analyse-notation-error',
      onchange: () => this.#read(), onpaste: () => setTimeout(() => this.#read()),
      onkeydown: (event) => this.#key(event),
    });
    this.element = h('div', { class: 'field' },
      h('label', { for: 'analyse-notation', text: text('analyse.notation') }), this.input, this.error);
  }

  /**
   * Show a position, unless somebody has typed on since the server was asked to read a text; what
   * it answers from now on is left.
   *
   * @param {import('./tree.js').Position} position
   */
  show(position) {
    if (position === this.shown) return;
    const isTypedOn = this.#asked !== null && this.input.value !== this.#asked;
    this.#asked = null;
    this.shown = position;
    if (!isTypedOn) this.#reset();
  }

  #reset() {
    this.input.value = this.shown.board;
    this.#setError(null);
  }

  #key(event) {
    if (event.key === 'Escape') {
      this.#asked = null;
      this.#reset();
    }
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    this.#read();
  }

  async #read() {
    const words = this.input.value; // a tab before the rest is an empty cell
    if (words.trim() === this.shown.board) return;
    this.#asked = words;
    try {
      const position = await this.onRead(words);
      if (this.#asked === words) this.onGo(position);
    } catch (refused) {
      if (this.#asked !== words) return;
      this.#asked = null;
      this.#setError(refused);
    }
  }

  #setError(error) {
    showRefusal(this.error, error);
    this.input.setAttribute('aria-invalid', String(error !== null));
  }
}
