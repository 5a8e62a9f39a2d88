/** One board of a race, with its player, its figures and what can be done with its game. */

import { announce } from '../announce.js';
import { BoardView } from '../board.js';
import { figureList } from '../controls.js';
import { button, h, part, render } from '../dom.js';
import { net } from '../net.js';
import { exponentOf, stepBetween } from '../notation.js';
import { hasReached } from '../play/live_game.js';
import { PlayerPicker } from '../player_picker.js';
import { settings } from '../settings.js';
import { number, text } from '../text.js';
import { largestOf, smallestMilestone } from './lane_game.js';

/** Players that are explained, by name: the first words of their spec. */
const EXPLAINED = new Set(['ntuple', 'expectimax', 'policy', 'greedy', 'corner', 'random']);

/** Names of strengths: of the default network, or of a search where it has none. */
const STRENGTHS = new Set(['fast', 'normal', 'strong', 'max']);

/** Shows a `LaneGame`. */
export class LaneView {
  #drawn = null;
  #said = 0; // how many tiles were said

  /**
   * @param {import('./lane_game.js').LaneGame} lane
   * @param {object} actions
   * @param {(spec: string) => void} actions.onPick
   * @param {() => void} actions.onRemove
   * @param {() => void} actions.onPlay
   * @param {() => void} actions.onAnalyse
   * @param {(move: number) => void} actions.onSeek
   * @param {() => void} actions.onNear called where it is pointed at
   */
  constructor(lane, actions) {
    Object.assign(this, { lane, actions });
    this.board = new BoardView();
    part(this.board.element);
    if (!lane.isPerson) {
      this.picker = new PlayerPicker({ value: lane.spec, onPick: actions.onPick, quiet: true });
    }
    this.element = part(h('article', { class: lane.isPerson ? 'lane is-person' : 'lane', onpointerenter: () => actions.onNear() }));
    this.error = '';
  }

  /** The name of who plays. */
  get name() {
    return this.picker?.name ?? text('watch.you');
  }

  /** @param {string} message why the player cannot go on; empty if it can */
  setError(message) {
    if (this.picker) this.picker.set({ error: message });
    else this.error = message;
  }

  /** @param {object} step a move to be shown, animated */
  step(step) {
    this.board.step(step);
    this.#drawn = step.now;
  }

  /**
   * Draw the game as it stands.
   *
   * @param {{isAnimated: boolean, hasFigures: boolean}} how whether the step is animated, and
   *   figures are drawn with the board
   * @param {object} seen what the race says of the lane: `place` from 1, `count` of lanes,
   *   `isCatchingUp`, `isPreparing`, `isDecided`, and `lead` in points at a `move`, null alone
   */
  draw({ isAnimated, hasFigures }, seen) {
    const { position } = this.lane;
    if (position && position !== this.#drawn) this.#drawBoard(position, isAnimated);
    if (hasFigures || !position) this.#render(position, seen);
  }

  #drawBoard(position, isAnimated) {
    const { rules } = this.lane;
    this.picker?.setShape(rules.rows, rules.cols);
    const before = this.#drawn;
    const isNext = before?.next_move && position.move_number === before.move_number + 1;
    if (isAnimated && isNext) this.board.step(stepBetween(before.tiles, rules.rows, rules.cols, before.next_move, position.tiles));
    else this.board.show(position.tiles, { rows: rules.rows, cols: rules.cols });
    this.#drawn = position;
  }

  #render(position, seen) {
    const { lane, element } = this;
    const { place, count, lead } = seen;
    const isEnd = lane.isFinished && position?.move_number === lane.last;
    this.board.setLabel(text('watch.board', { place }));
    this.picker?.set({ label: text('watch.player', { place }) });
    element.setAttribute('aria-label', text('watch.lane', { place, player: this.name }));
    element.classList.toggle('is-refused', lane.isRefused);
    element.dataset.lead = lead > 0 ? 'ahead' : lead < 0 ? 'behind' : 'even';
    element.dataset.state = isEnd ? 'over' : 'going';
    if (position) this.#say(lead > 0 && seen.isDecided);
    render(element,
      h('div', { class: 'lane-head line' }, this.picker?.element ?? h('h2', { class: 'lane-you', text: this.name })),
      h('div', { class: 'lane-stage' }, this.board.element),
      h('div', { class: 'lane-info' },
        h('div', { class: 'lane-state row' },
          h('p', { class: 'lane-lead soft number', text: leadWords(seen) }),
          h('p', { class: 'lane-note', role: 'status', text: this.#note(isEnd, seen) }),
          this.error && h('p', { class: 'error', role: 'alert', text: this.error })),
        position && figureList('lane-figures fit', figuresOf(position)),
        h('p', { class: 'lane-summary soft small' },
          h('strong', { class: 'lane-name', text: lane.isPerson ? '' : this.name }),
          h('span', { text: lane.isPerson ? text('watch.about_you') : aboutPlayer(this.picker) })),
        position && h('div', { class: 'lane-made stack tight' }, h('h2', { class: 'label', text: text('watch.milestones') }),
          lane.milestones.length
            ? h('ol', { class: 'lane-milestones row' }, lane.milestones.map((made) => this.#milestone(made, position.move_number)))
            : h('p', { class: 'soft small', text: text('watch.none', { tile: smallestMilestone(lane.rules) }) })),
        h('div', { class: 'lane-actions row' },
          !lane.isPerson && action('play', 'watch.play_on', this.actions.onPlay),
          action('analyse', 'watch.analyse', this.actions.onAnalyse),
          count > 1 && !lane.isPerson && button({ icon: 'close', label: text('watch.remove') }, this.actions.onRemove))));
  }

  #note(isEnd, { isPreparing, isCatchingUp }) {
    const { lane } = this;
    if (isPreparing && !lane.isReady) return text('watch.preparing');
    if (isCatchingUp) return text('watch.catching_up');
    if (!isEnd) return '';
    const isWon = lane.now.status === 'over' && hasReached(lane.now, lane.rules);
    return text(`watch.${isWon ? 'won_over' : lane.now.status}`);
  }

  #milestone({ tile, move, isExact }, now) {
    const words = text('watch.made', { tile: String(tile), move });
    return h('li', { class: move > now ? 'is-ahead' : '' },
      h('button', { type: 'button', class: 'milestone', title: words, 'aria-label': words,
        onclick: () => this.actions.onSeek(move) },
      chip(tile), h('span', { class: 'milestone-move' }, isExact ? number(move) : `≤ ${number(move)}`)));
  }

  /** Say a tile that is new, or else who has won. */
  #say(isWinner) {
    const { milestones } = this.lane;
    const isNew = milestones.length > this.#said;
    this.#said = milestones.length;
    if (isWinner && !this.isWinner) announce(text(this.lane.isPerson ? 'watch.you_win' : 'watch.winner', { player: this.name }));
    else if (isNew && settings.get('say') !== 'off') {
      const { tile, move } = milestones.at(-1);
      announce(text('watch.said', { player: this.name, tile: String(tile), move }));
    }
    this.isWinner = isWinner;
  }
}

function figuresOf(position) {
  const figures = { score: number(position.score), moves: number(position.move_number), largest: chip(largestOf(position)) };
  return Object.entries(figures).map(([name, value]) => [text(`watch.${name}`), value, { class: `lane-figure lane-${name}` }]);
}

/** How a player thinks; for those that are not explained what the list says of them. */
function aboutPlayer({ spec, isOther }) {
  const { plain, summary = '' } = net.players.find((player) => player.spec === spec) ?? {};
  const [first, values = ''] = plain && isOther ? ['expectimax'] : (plain || spec).split(':');
  const name = STRENGTHS.has(first) ? (isOther ? 'expectimax' : 'ntuple') : first;
  if (name === 'policy' && /\bply=\d/.test(values)) return text('watch.about_policy_search');
  return EXPLAINED.has(name) ? text(`watch.about_${name}`) : summary;
}

/** How far a game is ahead or behind; where it is neither, the standing says so. */
function leadWords({ lead, move, isDecided, isPreparing }) {
  if (!lead || isPreparing) return '';
  const key = isDecided ? (lead < 0 ? 'loses' : 'wins') : lead < 0 ? 'behind' : 'ahead';
  return text(`watch.${key}`, { count: Math.abs(lead), move });
}

function action(name, key, onclick) {
  const words = text(`${key}_name`);
  return button({ icon: name, text: text(key), label: words }, onclick, { title: words });
}

function chip(tile) {
  return h('span', { class: 'tile-chip', dataset: { exponent: exponentOf(tile) } }, String(tile));
}
