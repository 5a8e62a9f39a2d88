/** What sets up a board: tiles to paint with, random, empty, its shape, its score and its text. */

import { select } from '../controls.js';
import { button, field, h, part, render } from '../dom.js';
import { exponentOf } from '../notation.js';
import { text } from '../text.js';
import { emptyBoard, randomBoard, readPosition, reshaped } from './tree.js';

const LARGEST = 131072;
const LARGEST_SIDE = 8;
const MOST_POINTS = 1e12; // that the server takes
const TOUCH = window.matchMedia('(pointer: coarse)');

/** The panel below the board while it is set up. */
export class Setup {
  #brush = null;
  #words = ''; // of the board, as they are shown
  #asked = null; // the text that the server reads
  #error = null; // why it could not

  /**
   * @param {import('./board_editor.js').BoardEditor} editor
   * @param {object} actions
   * @param {(board: string, score: ?number) => void} actions.onBoard called with a new board
   * @param {(score: ?number) => void} actions.onScore
   * @param {(step: 1 | -1) => void} actions.onStep called to take back or do again
   */
  constructor(editor, { onBoard, onScore, onStep }) {
    Object.assign(this, { editor, onBoard, onScore, onStep });
    this.element = part(h('section', { class: 'stack', 'aria-label': text('analyse.tools') }));
  }

  /**
   * Show a position and what can be done with it.
   *
   * @param {import('./tree.js').Position} position
   * @param {import('./tree.js').History} history
   */
  show(position, history) {
    Object.assign(this, { position, history });
    if (position !== this.shown) {
      // what somebody has typed on since the server was asked stays
      const isTypedOn = this.#asked !== null && this.#input.value !== this.#asked;
      this.#words = isTypedOn ? this.#input.value : position.board;
      [this.shown, this.#asked, this.#error] = [position, null, null];
    }
    this.#draw();
  }

  #draw() {
    const { history, position: { rows, cols, score } } = this;
    const tiles = [0];
    for (let tile = 2; tile <= LARGEST; tile *= 2) tiles.splice(-1, 0, tile);
    const step = (icon, key, by, can) => button({ icon, label: text(key) }, () => this.onStep(by), { disabled: !can });
    render(this.element,
      h('div', { key: 'palette', class: 'palette', role: 'group', 'aria-label': text('analyse.palette') },
        tiles.map((tile) => this.#tile(tile))),
      h('p', { class: 'soft small', text: text(TOUCH.matches ? 'analyse.help_touch' : 'analyse.help') }),
      h('div', { key: 'tools', class: 'setup row' },
        h('div', { class: 'group' }, step('undo', 'analyse.back', -1, history.canBack),
          step('redo', 'analyse.forward', 1, history.canForward)),
        button({ icon: 'dice', text: text('analyse.random') }, () => this.#put(randomBoard(rows, cols))),
        button({ icon: 'delete', text: text('analyse.clear') }, () => this.#put(emptyBoard(rows, cols))),
        h('div', { class: 'setup-shape line' },
          this.#side('analyse.rows', rows, (count) => this.#reshape(count, cols)),
          h('span', { 'aria-hidden': 'true', text: '×' }),
          this.#side('analyse.cols', cols, (count) => this.#reshape(rows, count))),
        field(text('analyse.score'), h('input', {
          id: 'analyse-score', class: 'input number', type: 'text', inputmode: 'numeric', maxlength: 15,
          autocomplete: 'off', placeholder: text('analyse.score_unknown'), value: String(score ?? ''),
          onchange: ({ target }) => {
            const digits = target.value.trim().replace(/[,.\s’](?=\d{3}(?!\d))/g, ''); // people write 12,345
            if (/^\d*$/.test(digits) && digits <= MOST_POINTS) this.onScore(digits ? Number(digits) : null);
            target.value = String(this.position.score ?? '');
          },
        }))),
      h('div', { key: 'notation', class: 'field' },
        h('label', { for: 'analyse-notation', text: text('analyse.notation') }),
        h('textarea', { id: 'analyse-notation', class: 'textarea mono notation-input', rows: 1, autocomplete: 'off',
          autocapitalize: 'off', spellcheck: 'false', 'aria-describedby': 'analyse-notation-error',
          'aria-invalid': String(this.#error !== null), value: this.#words,
          onchange: () => this.#read(), onpaste: () => setTimeout(() => this.#read()), onkeydown: (event) => this.#key(event) }),
        h('p', { id: 'analyse-notation-error', class: 'field-error bad', role: 'alert',
          text: this.#error?.message ?? '', title: this.#error?.detail ?? '' })));
  }

  /** Have a board of the tools, whatever was typed before. */
  #put(board) {
    this.#asked = this.shown = null;
    this.onBoard(board);
    this.show(this.position, this.history);
    this.#input.value = this.#words;
  }

  get #input() {
    return this.element.querySelector('textarea');
  }

  #key(event) {
    if (event.key === 'Escape') {
      this.#input.value = this.position.board;
      this.#say(null);
    }
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    this.#read();
  }

  /** Have the server read the text; an answer to an earlier one is left. */
  async #read() {
    const words = this.#input.value; // a tab before the rest is an empty cell
    if (words.trim() === this.position.board) return;
    this.#asked = words;
    const [found, error] = await readPosition(words).then((read) => [read, null], (refused) => [null, refused]);
    if (this.#asked !== words) return;
    if (found) this.onBoard(found.board, found.score);
    else this.#say(error);
  }

  #say(error) {
    [this.#asked, this.#error] = [null, error];
    this.#draw();
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
    if (this.position) this.#draw();
  }

  #side(label, value, onPick) {
    const sides = Array.from({ length: LARGEST_SIDE }, (_, index) => index + 1);
    return select(sides.map((side) => [side, String(side)]), value, (side) => onPick(Number(side)), { 'aria-label': text(label) });
  }

  #reshape(rows, cols) {
    this.#put(reshaped(this.position, rows, rows === 1 ? Math.max(2, cols) : cols)); // one cell is none
  }
}
