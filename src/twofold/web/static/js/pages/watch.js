/** Watch: players race on the same dice, at any speed. */

import { h } from '../dom.js';
import { listenKeys, releaseFocusAfterPointer } from '../keys.js';
import { describeKeys } from '../keys_dialog.js';
import { readable } from '../links.js';
import { net } from '../net.js';
import { plays } from '../player_picker.js';
import { settings } from '../settings.js';
import { text } from '../text.js';
import { FIRST_RACE } from '../watch/about.js';
import { LaneView } from '../watch/lane_view.js';
import { MAX_LANES, Race } from '../watch/race.js';
import { RaceForm } from '../watch/race_form.js';
import { FASTEST_ANIMATED, parseSpeed, PLEASANT, speedKey } from '../watch/speed.js';
import { Transport } from '../watch/transport.js';

const ANIMATIONS_A_MOVE = 0.3; // seconds that the animations of a move take in the original

// At top speed nobody reads a figure that changes sixty times a second: a quarter of the frames
// draw them, two in a row, for lanes are drawn in turn.
const FIGURE_FRAMES = 2;
const FIGURE_PERIOD = 8;

/**
 * @param {HTMLElement} root
 * @param {object} context of main.js
 * @returns {() => void} unmounts
 */
export function mount(root, context) {
  const page = new WatchPage(root, context);
  page.begin();
  return () => page.close();
}

class WatchPage {
  #frame = null;
  #drawn = 0;

  constructor(root, { params, navigate }) {
    this.navigate = navigate;
    this.views = new Map();
    this.race = new Race(() => this.#schedule());
    const link = parseLink(params);
    const { rules, seed, speed, stopTile } = link;
    Object.assign(this.race, { rules, seed, speed, stopTile });
    this.transport = new Transport(this.race, () => this.#restart(randomSeed()));
    this.form = new RaceForm(this.race, {
      onRules: (rules) => this.#restart(this.race.seed, rules),
      onSeed: (seed) => this.#restart(seed || randomSeed()),
      onDice: () => this.#restart(randomSeed()),
      onAdd: () => this.#add(this.#another(), true),
    });
    this.lanes = h('div', { class: 'lanes' });
    root.append(h('div', { class: 'watch' },
      h('h1', { class: 'visually-hidden', text: text('nav.watch') }),
      this.lanes, this.transport.element, this.form.element));
    for (const spec of link.players) this.#add(spec, false);
    this.#listen();
  }

  #listen() {
    const commands = {
      Space: () => this.transport.go(),
      ArrowLeft: () => this.race.back(),
      ArrowRight: () => this.race.forward(),
      '+': () => this.transport.changeSpeed(1),
      '=': () => this.transport.changeSpeed(1),
      '-': () => this.transport.changeSpeed(-1),
    };
    describeKeys('watch', { go: 'Space', step: '← →', speed: '+ -' });
    this.offs = [
      listenKeys({ commands }),
      releaseFocusAfterPointer(this.transport.element),
      net.on('gone', ({ game }) => this.#gone(game)),
      net.on('state', ({ state }) => { if (state === 'open' && this.isCut) this.begin(); }),
    ];
  }

  /** Begin the race anew and let it go. */
  async begin() {
    this.form.setError('');
    this.#link();
    for (const view of this.views.values()) view.picker.setError('');
    try {
      await this.race.begin();
      this.isCut = false;
    } catch (error) {
      this.isCut = error.kind === 'ConnectionLost';
      this.form.setError(this.isCut ? '' : error.message);
      return;
    }
    this.race.go();
  }

  #restart(seed, rules = this.race.rules) {
    Object.assign(this.race, { seed, rules });
    this.form.show();
    this.begin();
  }

  /** A player that is on no board yet. */
  #another() {
    const shown = this.race.lanes.map(({ spec }) => spec || net.players[0]?.spec);
    const { rows, cols } = [...this.views.values()].at(-1)?.picker ?? {};
    const free = net.players.find((player) => !shown.includes(player.spec) && plays(player, rows, cols));
    return free?.spec ?? '';
  }

  #add(spec, isNew) {
    let view = null;
    const lane = this.race.add(spec, {
      stepped: (step) => this.#stepped(view, step),
      failed: (message) => this.#failed(lane, message),
    });
    view = new LaneView(this.views.size, spec, {
      onPick: (picked) => this.#pick(lane, picked),
      onRemove: () => this.#remove(lane),
      onPlay: () => this.#takeOver(lane, lane.position, (game) => `/?game=${game}`),
      onReview: () => this.#review(lane),
      onSeek: (move) => this.race.seek(move),
    });
    this.views.set(lane, view);
    this.lanes.append(view.element);
    this.#arrange();
    if (isNew) this.begin();
  }

  #arrange() {
    const count = this.views.size;
    this.lanes.dataset.count = count;
    this.form.setFull(count >= MAX_LANES);
    [...this.views.values()].forEach((view, place) => view.setPlace(place, count));
  }

  #pick(lane, spec) {
    lane.spec = spec;
    this.begin();
  }

  #remove(lane) {
    this.race.remove(lane);
    this.views.get(lane).close();
    this.views.delete(lane);
    this.#arrange();
    this.#link();
  }

  #stepped(view, step) {
    const { speed } = this.race;
    if (speed !== null && speed > FASTEST_ANIMATED) return;
    view.step(step);
  }

  #failed(lane, message) {
    this.views.get(lane).picker.setError(message);
    this.#schedule();
  }

  /** A game that ended with the connection: the race begins again, once for all its games. */
  #gone(game) {
    if (!this.race.lanes.some((lane) => lane.game === game)) return;
    clearTimeout(this.restarting);
    this.restarting = setTimeout(() => this.begin());
  }

  /** A game is reviewed as far as it was played, from the move looked at. */
  #review(lane) {
    const at = lane.shown ? `&move=${lane.shown.move_number}` : '';
    this.#takeOver(lane, lane.now, (game) => `/review?game=${game}${at}`);
  }

  async #takeOver(lane, upTo, address) {
    if (!lane.game) return;
    this.race.pause();
    const { move_number } = upTo;
    try {
      const state = await net.ask({ type: 'new', source: lane.game, move_number, keep: true });
      this.navigate(address(state.game));
    } catch (error) {
      this.#failed(lane, error.message);
    }
  }

  #link() {
    const { rules, seed, speed, stopTile, lanes } = this.race;
    const players = lanes.map((lane) => this.views.get(lane).picker.picked);
    const link = formatLink({ players, rules, seed, speed, stopTile });
    window.history.replaceState(window.history.state, '', link);
  }

  #schedule() {
    this.#frame ??= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#frame = null;
    const { race } = this;
    const animate = race.speed !== null && race.speed <= FASTEST_ANIMATED;
    if (race.speed !== this.drawnSpeed || race.stopTile !== this.drawnStop) this.#drawSpeed();
    this.#drawn += 1;
    const isCalm = animate || !race.isGoing || race.isPreparing;
    const figures = isCalm || this.#drawn % FIGURE_PERIOD < FIGURE_FRAMES;
    const isDecided = race.isFinished && race.cursor === null;
    for (const [lane, view] of this.#due(animate)) {
      view.draw(lane, { animate, figures, lead: leadOf(lane, race.lanes), isDecided });
    }
    if (figures) this.transport.draw();
  }

  /** The lanes to draw now: at top speed two at a time, in turn. */
  #due(animate) {
    const all = [...this.views];
    if (animate || !this.race.isGoing || all.length <= 2) return all;
    this.#schedule();
    return all.filter((_, place) => place % 2 === this.#drawn % 2);
  }

  #drawSpeed() {
    const { speed, stopTile } = this.race;
    this.drawnSpeed = speed;
    this.drawnStop = stopTile;
    this.transport.showSpeed();
    this.#link();
    const own = settings.get('speed');
    const factor = own && Math.max(own, (speed ?? 0) * ANIMATIONS_A_MOVE);
    for (const view of this.views.values()) view.board.setSpeed(factor);
  }

  close() {
    clearTimeout(this.restarting);
    cancelAnimationFrame(this.#frame);
    this.#frame = null;
    for (const off of this.offs) off();
    this.race.close();
    for (const view of this.views.values()) view.close();
  }
}

/** Points that a lane has more than the best of the others in the race; null without others. */
function leadOf(lane, lanes) {
  const others = lane.isRefused ? [] : lanes.filter((other) => other !== lane && !other.isRefused);
  const scores = others.map((other) => other.position?.score ?? 0);
  return scores.length ? (lane.position?.score ?? 0) - Math.max(...scores) : null;
}

const LARGEST_RANDOM = 1e6;

/**
 * @typedef {object} WatchLink
 * @property {string[]} players specs; an empty one for the default player
 * @property {string} rules
 * @property {string} seed
 * @property {number | null} speed
 * @property {number} stopTile
 */

/**
 * Read the query of an address.
 *
 * @param {URLSearchParams} params
 * @returns {WatchLink}
 */
function parseLink(params) {
  const players = params.getAll('player').slice(0, MAX_LANES);
  return {
    players: players.length ? players : FIRST_RACE,
    rules: params.get('rules') ?? '',
    seed: params.get('seed') || randomSeed(),
    speed: parseSpeed(params.get('speed')),
    stopTile: Number(params.get('stop')) || 0,
  };
}

/**
 * The query of a link.
 *
 * @param {WatchLink} link
 */
function formatLink({ players, rules, seed, speed, stopTile }) {
  const params = new URLSearchParams();
  const isFirst = players.join() === FIRST_RACE.join();
  for (const player of isFirst ? [] : players) params.append('player', player);
  if (rules) params.set('rules', rules);
  params.set('seed', seed);
  if (speed !== PLEASANT) params.set('speed', speedKey(speed));
  if (stopTile) params.set('stop', String(stopTile));
  return `/watch?${readable(params)}`;
}

/** A seed that can be read aloud. */
function randomSeed() {
  return String(1 + Math.floor(Math.random() * LARGEST_RANDOM));
}
