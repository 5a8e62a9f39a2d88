/** One board of a race, with its player, its figures and what can be done with its game. */

import { announce } from '../announce.js';
import { BoardView } from '../board.js';
import { button, h, setText } from '../dom.js';
import { formatShort } from '../figures.js';
import { exponentOf } from '../notation.js';
import { hasReached } from '../play/intents.js';
import { PlayerPicker } from '../player_picker.js';
import { settings } from '../settings.js';
import { slide } from '../slides.js';
import { fixed, number, text } from '../text.js';
import { aboutPlayer } from './about.js';

const FIGURES = ['score', 'moves', 'largest', 'rate'];

/** Shows a `LaneGame`. */
export class LaneView {
  #drawn = null;
  #milestones = '';
  #figures = {};

  /**
   * @param {number} place of the lane, from 0
   * @param {string} spec of its player
   * @param {object} actions
   * @param {(spec: string) => void} actions.onPick
   * @param {() => void} actions.onRemove
   * @param {() => void} actions.onPlay
   * @param {() => void} actions.onReview
   * @param {(move: number) => void} actions.onSeek
   */
  constructor(place, spec, actions) {
    this.actions = actions;
    this.board = new BoardView();
    this.picker = new PlayerPicker({ spec, onPick: actions.onPick, quiet: true });
    this.remove = button({ icon: 'close', label: text('watch.remove') }, actions.onRemove,
      { class: 'quiet' });
    this.name = h('strong', { class: 'lane-name' });
    this.summary = h('span');
    this.lead = h('p', { class: 'lane-lead' });
    this.note = h('p', { class: 'lane-note', role: 'status' });
    this.none = h('p', { class: 'soft small' });
    this.milestones = h('ol', { class: 'lane-milestones' });
    this.element = this.#build();
    this.setPlace(place, 1);
  }

  #build() {
    const actions = h('div', { class: 'lane-actions row' },
      this.#action('play', 'watch.play_on', this.actions.onPlay),
      this.#action('review', 'watch.review', this.actions.onReview));
    return h('article', { class: 'lane' },
      h('div', { class: 'lane-head' }, this.picker.element, this.remove),
      h('div', { class: 'lane-stage' }, this.board.element),
      h('div', { class: 'lane-info' },
        h('p', { class: 'lane-summary soft small' }, this.name, this.summary),
        h('div', { class: 'lane-state' }, this.lead, this.note),
        this.#figureList(),
        h('div', { class: 'lane-made' }, h('h2', { class: 'label', text: text('watch.milestones') }),
          this.none, this.milestones),
        actions));
  }

  #action(name, key, onclick) {
    const words = text(`${key}_name`);
    return button({ icon: name, text: text(key), label: words }, onclick, { title: words });
  }

  #figureList() {
    const items = FIGURES.map((name) => {
      this.#figures[name] = h('dd', { text: '–' });
      return h('div', { class: `lane-figure lane-${name}` },
        h('dt', { text: text(`watch.${name}`) }), this.#figures[name]);
    });
    this.largest = h('span', { class: 'tile-chip' });
    this.#figures.largest.replaceChildren(this.largest);
    return h('dl', { class: 'lane-figures' }, items);
  }

  /**
   * Name the lane by its place.
   *
   * @param {number} place from 0
   * @param {number} count of lanes
   */
  setPlace(place, count) {
    this.place = place + 1;
    this.element.setAttribute('aria-label', text('watch.lane', { place: place + 1 }));
    this.picker.field.setLabel(text('watch.player', { place: place + 1 }));
    this.label = text('watch.board', { place: place + 1 });
    this.board.setLabel(this.label);
    this.remove.hidden = count === 1;
    this.lead.hidden = count === 1;
  }

  /**
   * Show a move, animated.
   *
   * @param {object} step
   */
  step(step) {
    this.board.step(step);
    this.#drawn = step.now;
  }

  /**
   * Draw the game as it stands.
   *
   * @param {import('./lane_game.js').LaneGame} lane
   * @param {{animate: boolean, figures: boolean, lead: number | null, isDecided: boolean}} how
   *   whether the step is animated, and figures are drawn with the board; `lead` is in points,
   *   negative for a lane that is behind; decided is a race whose games have all ended
   */
  draw(lane, { animate, figures, lead, isDecided }) {
    const { position } = lane;
    if (!position) return;
    if (position !== this.#drawn) this.#drawBoard(lane, position, animate);
    if (!figures) return;
    this.#drawFigures(lane, position);
    setText(this.name, this.picker.name);
    setText(this.summary, aboutPlayer(this.picker.spec, this.picker.isOther));
    this.#drawLead(lead, isDecided, lane.isPreparing);
    this.#drawNote(lane);
    this.element.classList.toggle('is-refused', lane.isRefused);
    setText(this.none, text('watch.none', { tile: lane.milestones.smallest }));
    this.#drawMilestones(lane.milestones.list, position.move_number, isDecided);
  }

  #drawBoard({ rules }, position, animate) {
    if (rules.rows !== this.board.rows || rules.cols !== this.board.cols) {
      this.board.resize(rules.rows, rules.cols, this.label);
      this.picker.setShape(rules.rows, rules.cols);
      this.#drawn = null;
    }
    const step = animate ? stepBetween(this.#drawn, position, rules) : null;
    if (step) this.board.step(step);
    else this.board.show(position.tiles);
    this.#drawn = position;
  }

  #drawFigures(lane, position) {
    const speed = lane.movesPerSecond;
    setText(this.#figures.score, number(position.score));
    setText(this.#figures.moves, number(position.move_number));
    setText(this.#figures.rate, speed === null ? '–' : formatRate(speed));
    const largest = String(Math.max(...position.tiles));
    if (this.largest.textContent === largest) return;
    this.largest.textContent = largest;
    this.largest.dataset.exponent = exponentOf(Number(largest));
  }

  #drawLead(lead, isDecided, isPreparing) {
    const kind = lead === null || lead === 0 ? 'even' : lead > 0 ? 'ahead' : 'behind';
    this.element.dataset.lead = kind;
    const wins = isDecided && kind === 'ahead';
    const words = text(wins ? 'watch.wins' : `watch.${kind}`, { count: Math.abs(lead ?? 0) });
    // none where it is alone, or with others that were refused
    setText(this.lead, lead === null || isPreparing ? '' : words);
    if (wins && !this.won) announce(text('watch.winner', { player: this.picker.name }));
    this.won = wins;
  }

  #drawNote(lane) {
    const isEnd = lane.isFinished && lane.position.move_number === lane.last;
    const state = lane.isPreparing ? 'preparing' : isEnd && lane.now.status;
    this.element.dataset.state = isEnd ? 'over' : 'going';
    const isWon = isEnd && state === 'over' && hasReached(lane.now, lane.rules);
    setText(this.note, state ? text(`watch.${isWon ? 'won_over' : state}`) : '');
  }

  #drawMilestones(list, move, isDecided) {
    const key = list.map((made) => `${made.tile} ${made.move} ${made.exact} ${made.move <= move}`).join();
    if (key === this.#milestones) return;
    this.#milestones = key;
    const isNew = list.length > this.milestones.childElementCount;
    if (isNew && !isDecided) this.#say(list.at(-1)); // else the winner is said
    this.milestones.replaceChildren(...list.map((made) => this.#milestone(made, move)));
    this.none.hidden = list.length > 0;
  }

  #say({ tile, move }) {
    if (settings.get('say') === 'off') return;
    announce(text('watch.said', { place: this.place, tile: String(tile), move }));
  }

  #milestone({ tile, move, exact }, now) {
    const words = text('watch.made', { tile: String(tile), move });
    return h('li', { class: move > now ? 'is-ahead' : '' },
      h('button', {
        type: 'button', class: 'milestone', title: words, 'aria-label': words,
        onclick: () => this.actions.onSeek(move),
      },
      h('span', { class: 'tile-chip', dataset: { exponent: exponentOf(tile) } }, String(tile)),
      h('span', { class: 'milestone-move' }, exact ? number(move) : `≤ ${number(move)}`)));
  }

  /** Let go of what the lane listens to. */
  close() {
    this.picker.close();
    this.element.remove();
  }
}

/** The step from one position to the next, where its move is known; null if it is not. */
function stepBetween(before, after, { rows, cols }) {
  if (!before?.next_move || after.move_number !== before.move_number + 1) return null;
  const made = slide(before.tiles, rows, cols, before.next_move);
  const cell = made.tiles.findIndex((tile, index) => tile !== after.tiles[index]);
  if (cell < 0) return null;
  const { reward, slides } = made;
  return { move: before.next_move, reward, slides, cell, tile: after.tiles[cell], now: after };
}

function formatRate(speed) {
  return speed < 9.95 ? fixed(speed, 1) : formatShort(speed);
}
