/** The board of an analysis: its position, the moves by arrows, the bar, and what walks through it. */

import { EvalBar } from '../analysis_view.js';
import { select } from '../controls.js';
import { button, h, part, render } from '../dom.js';
import { ARROWS, LETTERS, listenSwipes, moveName } from '../moves.js';
import { number, text } from '../text.js';
import { BoardEditor } from './board_editor.js';

/** Faster than this the tiles do not slide. */
const FASTEST_ANIMATED = 5;

/** Shows where a `Walk` is. */
export class BoardPanel {
  /**
   * @param {import('./board_panel.js').Walk} walk
   * @param {object} actions
   * @param {(letter: string) => void} actions.onMove
   * @param {(tiles: number[], group: string) => void} actions.onEdit
   * @param {(cell: number) => void} actions.onCell called when a cell is picked that is not edited
   */
  constructor(walk, { onMove, onEdit, onCell }) {
    Object.assign(this, { walk, onMove });
    this.editor = new BoardEditor({ label: text('analyse.board'), onChange: onEdit, onPick: onCell });
    this.bar = new EvalBar();
    this.edges = h('div', { class: 'board-edges' });
    this.frame = h('div', { class: 'analysis-frame' }, this.editor.element, this.edges);
    this.element = part(h('div', { class: 'analysis-stage' }, this.bar.element, this.frame));
    this.controls = part(h('div', { class: 'analysis-controls' }));
    listenSwipes(this.editor.element, (letter) => this.editor.isEditing || onMove(letter));
  }

  /** Show the place of the walk; a step on from what was shown slides. */
  show() {
    const { walk, editor } = this;
    const { position } = walk;
    const isSlow = !walk.isPlaying || walk.rate <= FASTEST_ANIMATED;
    if (position !== this.shown) {
      const { rows, cols } = editor.view;
      const fits = rows === position.rows && cols === position.cols;
      if (fits && isSlow && this.shown === position.parent && this.shown) editor.view.step(position.step);
      else editor.set(position.tiles, position.rows, position.cols);
      this.frame.style.setProperty('--rows', position.rows);
      this.frame.style.setProperty('--cols', position.cols);
      if (!walk.isPlaying) editor.view.updateGrid();
    }
    this.shown = position;
    editor.mark(walk.isPlaying ? -1 : position.step?.cell ?? -1);
    this.#showControls();
  }

  #showControls() {
    const { walk } = this;
    const go = (icon, label, run, isOff) => button({ icon, label: text(label) }, run, { disabled: isOff });
    const { score, number: made } = walk.position;
    const last = walk.line.at(-1).number;
    const where = score === null ? text('analyse.where', { move: made, last })
      : text('review.where', { move: made, last, score });
    const slider = h('input', { type: 'range', min: 0, max: walk.last, step: 1, value: String(walk.place),
      'aria-label': text('review.slider'), 'aria-valuetext': where,
      oninput: ({ target }) => walk.go(Number(target.value)) });
    render(this.controls, walk.last > 0 && [
      h('div', { class: 'analysis-slider line' }, slider,
        h('output', { class: 'analysis-where number' }, `${number(made)} / ${number(last)}`)),
      h('div', { class: 'row apart' },
        h('div', { class: 'group' },
          go('first', 'review.first', () => walk.go(0), !walk.place),
          go('back', 'review.back', () => walk.go(walk.place - 1), !walk.place),
          button({ icon: walk.isPlaying ? 'pause' : 'run',
            label: text(walk.isPlaying ? 'review.pause' : 'review.play') }, () => walk.toggle(),
          { class: 'primary' }),
          go('step', 'review.forward', () => walk.go(walk.place + 1), !walk.next),
          go('last', 'review.last', () => walk.go(walk.last), !walk.next)),
        select(RATES.map((rate) => [rate, text('review.rate_each', { rate })]), walk.rate,
          (rate) => { walk.rate = Number(rate); }, { class: 'select analysis-rate', 'aria-label': text('review.rate') })),
    ]);
  }

  /**
   * Show the moves at the edges: the best one, the second best, and the one made, in the colour of
   * its grade. Each plays its move.
   *
   * @param {{legal: string, best?: string, second?: string, made?: string, grade?: string}} moves
   */
  showMoves({ legal, best, second, made, grade }) {
    const kindOf = (letter) => {
      if (letter === made) return ['is-made', grade ? `grade-${grade}` : '', 'review.edge_made'];
      if (letter === best) return ['is-best', '', 'review.edge_best'];
      return letter === second ? ['is-second', '', 'review.edge_second'] : ['', '', ''];
    };
    render(this.edges, LETTERS.filter((letter) => legal.includes(letter)).map((letter) => {
      const [kind, colour, key] = kindOf(letter);
      const words = key ? text(key, { move: moveName(letter) }) : moveName(letter);
      return h('button', { key: letter, type: 'button', tabindex: -1, title: words, 'aria-label': words,
        class: `board-edge edge-${letter} ${kind} ${colour} ${letter === best ? 'is-top' : ''}`.trim(),
        onclick: () => this.onMove(letter) }, ARROWS[letter]);
    }));
  }
}

/** Moves a second to choose from. */
const RATES = [1, 2, 5, 10, 30, 100];

/** The line and the place that one looks at. */
export class Walk {
  #timer = null;
  #due = 0;

  /** Moves a second while it plays. */
  rate = 5;

  /**
   * @param {import('./tree.js').Position[]} line
   * @param {() => void} onChange called when the line, the place or playing changes
   */
  constructor(line, onChange) {
    Object.assign(this, { line, onChange, place: 0 });
  }

  /** The position one looks at. */
  get position() {
    return this.line[this.place];
  }

  /** The position after it in the line; undefined at the end. */
  get next() {
    return this.line[this.place + 1];
  }

  /** The place of the last position. */
  get last() {
    return this.line.length - 1;
  }

  /** Whether it goes on by itself. */
  get isPlaying() {
    return this.#timer !== null;
  }

  /**
   * Go to a place, and end playing.
   *
   * @param {number} place past the ends counts as the end
   * @param {import('./tree.js').Position[]} [line] another line
   */
  go(place, line = this.line) {
    cancelAnimationFrame(this.#timer);
    this.#timer = null;
    this.line = line;
    this.#move(place);
  }

  /** Play on from here, or pause; at the end it begins anew. */
  toggle() {
    if (this.isPlaying) return void this.pause();
    this.#due = performance.now() + 1000 / this.rate;
    this.#timer = requestAnimationFrame((now) => this.#tick(now));
    this.#move(this.place === this.last ? 0 : this.place);
  }

  /** Play no more. */
  pause() {
    if (this.isPlaying) this.go(this.place);
  }

  #tick(now) {
    const steps = Math.max(0, Math.ceil(((now - this.#due) * this.rate) / 1000));
    this.#due += (steps * 1000) / this.rate;
    const isOver = this.place + steps >= this.last;
    this.#timer = isOver ? null : requestAnimationFrame((next) => this.#tick(next));
    if (steps) this.#move(this.place + steps);
  }

  #move(place) {
    this.place = Math.max(0, Math.min(this.last, place));
    this.onChange();
  }
}
