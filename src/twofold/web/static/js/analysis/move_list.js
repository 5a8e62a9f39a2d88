/** The moves as a list to click: a game's in rows, variations indented below where they begin. */

import { gradeMark, gradeName } from '../analysis_texts.js';
import { button, h, part, render } from '../dom.js';
import { ARROWS, moveName } from '../moves.js';
import { text } from '../text.js';

/** Of a row and of a move in it, in CSS pixels: rows that are out of sight are not there. */
const ROW_PX = 28;
const MOVE_PX = 31;
const NUMBER_PX = 58;

/** Grades with a mark. */
const MARKED = new Set(['inaccuracy', 'mistake', 'blunder']);

/** Rows above and below those in sight. */
const MARGIN = 4;

/** The list; it scrolls by itself to the move at hand. */
export class MoveList {
  #rows = [];
  #rowOf = new Map();
  #built = '';

  /**
   * @param {object} actions
   * @param {(position: import('./tree.js').Position) => void} actions.onPick called with the
   *   position after the move that was picked
   * @param {(position: import('./tree.js').Position) => void} actions.onEnd called with the last
   *   position of a line
   * @param {(position: import('./tree.js').Position) => void} actions.onRemove called with the first
   *   position of a variation
   */
  constructor(actions) {
    this.actions = actions;
    this.space = h('div', { class: 'moves-space' });
    this.element = part(h('div', { class: 'moves', role: 'group', tabindex: 0,
      'aria-label': text('analyse.moves'), onscroll: () => this.#draw() }, this.space));
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  /**
   * Show a tree.
   *
   * @param {import('./tree.js').Tree} tree
   * @param {import('./board_panel.js').Walk} walk
   * @param {(position: import('./tree.js').Position) => ?string} gradeOf the grade of the move that
   *   led to a position, where it is judged
   */
  show(tree, walk, gradeOf) {
    Object.assign(this, { tree, walk, gradeOf });
    this.#draw(true);
  }

  #draw(isMoved = false) {
    if (!this.tree) return;
    this.#build();
    const { element, walk } = this;
    const at = this.#rowOf.get(walk.next ?? walk.position) ?? 0;
    if (isMoved && this.at !== at) this.#reveal(at);
    this.at = at;
    const first = Math.max(0, Math.floor(element.scrollTop / ROW_PX) - MARGIN);
    const count = Math.ceil(element.clientHeight / ROW_PX) + 2 * MARGIN;
    render(this.space, this.#rows.slice(first, first + count)
      .map((row, index) => this.#row(row, first + index)));
  }

  /** Lay out the rows, where the tree or the width has changed. */
  #build() {
    const { tree } = this;
    const width = this.element.clientWidth || 20 * MOVE_PX;
    const built = `${width} ${tree.version}`;
    if (built === this.#built && tree === this.builtTree) return;
    [this.#built, this.builtTree] = [built, tree];
    const most = Math.max(3, Math.floor((width - NUMBER_PX) / MOVE_PX));
    this.#rows = rowsOf(tree.root, most);
    this.#rowOf = new Map();
    this.#rows.forEach(({ moves, end }, index) => [...moves, end].forEach((move) => this.#rowOf.set(move, index)));
    this.space.style.height = `${this.#rows.length * ROW_PX}px`;
  }

  #reveal(row) {
    const { element } = this;
    const [top, height] = [row * ROW_PX, element.clientHeight];
    const isOut = top < element.scrollTop || top + ROW_PX > element.scrollTop + height;
    if (isOut) element.scrollTop = top - (height - ROW_PX) / 2;
  }

  #row({ moves, depth, isFirst, end }, index) {
    const [move] = moves;
    return h('div', { key: index, class: depth ? 'moves-row line is-variation' : 'moves-row line',
      style: { top: `${index * ROW_PX}px`, '--depth': Math.min(depth, 3) } },
    h('span', { class: 'moves-number number', text: String(move?.number ?? '') }),
    moves.map((one) => this.#move(one)),
    end && h('button', { type: 'button', tabindex: -1, class: 'bare moves-move moves-end',
      'aria-current': this.walk.position === end ? 'true' : null, 'aria-label': text('review.end'), text: '■',
      onclick: () => this.actions.onEnd(end) }),
    isFirst && depth > 0 && button({ icon: 'close', label: text('analyse.remove') },
      () => this.actions.onRemove(move), { class: 'bare moves-remove', tabindex: -1 }));
  }

  #move(position) {
    const grade = this.gradeOf(position);
    const words = text('analyse.move', { number: position.number, move: moveName(position.move),
      label: grade ? gradeName(grade) : '' });
    return h('button', { type: 'button', tabindex: -1, 'aria-label': words, title: words,
      class: `bare moves-move ${grade ? `grade-${grade}` : ''}`,
      'aria-current': this.walk.next === position ? 'true' : null, onclick: () => this.actions.onPick(position) },
    ARROWS[position.move], MARKED.has(grade) && gradeMark(grade));
  }
}

/** The rows of a tree: at most so many moves in each, and a row ends where variations begin. */
function rowsOf(root, most) {
  const rows = [];
  const isFull = ({ depth, moves }) => moves.length >= most - Math.min(depth, 3);
  const add = (first, depth) => {
    let row = null;
    for (let at = first; at; [at] = at.children) {
      if (!row || isFull(row)) row = newRow(rows, depth, at === first);
      row.moves.push(at);
      const others = at === at.parent.children[0] ? at.parent.children.slice(1) : [];
      for (const other of others) add(other, depth + 1);
      if (others.length && at.children.length) row = newRow(rows, depth, false);
      else if (!at.children.length) (isFull(row) ? newRow(rows, depth, false) : row).end = at;
    }
  };
  if (root.children.length) add(root.children[0], 0);
  return rows;
}

function newRow(rows, depth, isFirst) {
  const row = { depth, moves: [], isFirst, end: null };
  rows.push(row);
  return row;
}
