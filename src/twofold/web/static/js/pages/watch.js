/** Watch: players race on the same dice, move by move; a person may race with them. */

import { selectField } from '../controls.js';
import { describeKeys } from '../dialog.js';
import { button, field, h, listenTo, onLeave, render } from '../dom.js';
import { analysisLink, readable } from '../links.js';
import { listenKeys, listenSwipes, releaseFocusAfterPointer } from '../moves.js';
import { net } from '../net.js';
import { plays, rulesField } from '../player_picker.js';
import { settings } from '../settings.js';
import { text } from '../text.js';
import { LaneView } from '../watch/lane_view.js';
import {
  FASTEST_ANIMATED, MAX_LANES, PLEASANT, SPEEDS, formatSpeed, parseSpeed, placeOf, Race,
  speedBeside,
} from '../watch/race.js';

/** What the page opens with where nobody is named: three ways to think. */
const FIRST_RACE = ['', 'expectimax', 'greedy'];

const ME = 'me';
const LARGEST_RANDOM = 1e6;
const STOP_TILES = Array.from({ length: 12 }, (_, step) => 64 << step); // 64 to 131072
const ANIMATIONS_A_MOVE = 0.3; // seconds that the animations of a move take in the original
const ICONS = { go: 'run', play_out: 'run', pause: 'pause', again: 'dice' };

// At top speed nobody reads a figure that changes sixty times a second: a quarter of the frames
// draw them.
const FIGURE_PERIOD = 4;

/**
 * @param {HTMLElement} root
 * @param {object} context of main.js
 */
export function mount(root, context) {
  new WatchPage(root, context);
}

class WatchPage {
  #frame = null;
  #drawn = 0;
  #error = '';
  #isFull = false;
  #near = null; // the lane that was pointed at last

  constructor(root, { params, hash, navigate, title }) {
    this.navigate = navigate;
    this.views = new Map();
    this.race = new Race(() => this.#schedule());
    const { players, ...link } = parseLink(params, new URLSearchParams(hash.slice(1)));
    Object.assign(this.race, link);
    this.rules = rulesField((rules) => this.#restart(this.race.seed, rules), link.rules);
    this.element = h('div', { class: 'watch stack' });
    root.append(this.element);
    for (const spec of players) this.#add(spec);
    if (this.race.person) title(text('watch.race_title'));
    this.#listen();
    this.#speedSet();
    this.#begin();
  }

  #listen() {
    const commands = {
      Space: () => this.#go(),
      f: () => this.#toggleFull(),
      '+': () => this.#setSpeed(speedBeside(this.race.speed, 1)),
      '=': () => this.#setSpeed(speedBeside(this.race.speed, 1)),
      '-': () => this.#setSpeed(speedBeside(this.race.speed, -1)),
    };
    const walk = { ArrowLeft: () => this.race.back(), ArrowRight: () => this.race.forward(), a: () => this.#analyse() };
    const inRace = { ...commands, Space: () => this.#isRacing || this.#go() };
    const { person } = this.race;
    describeKeys('watch', person ? { move: '← ↑ → ↓|W A S D', full: 'F' }
      : { go: 'Space', step: '← →', speed: '+ -', full: 'F', analyse: 'A' });
    listenKeys(person ? { commands: inRace, move: (letter, event) => this.#move(letter, event.repeat) }
      : { commands: { ...commands, ...walk } });
    releaseFocusAfterPointer(this.element);
    listenTo(document, { fullscreenchange: () => {
      this.#isFull = Boolean(document.fullscreenElement);
      this.#schedule();
    } });
    net.on('gone', ({ game }) => { // with the connection: the race begins again, once for all its games
      if (!this.race.lanes.some((lane) => lane.game === game)) return;
      clearTimeout(this.restarting);
      this.restarting = setTimeout(() => this.#begin());
    });
    net.on('state', ({ state }) => state === 'open' && this.isCut && this.#begin());
    if (person) listenSwipes(this.views.get(person).board.element, (letter) => this.#move(letter));
    onLeave(() => {
      clearTimeout(this.restarting);
      cancelAnimationFrame(this.#frame);
      this.#frame = 0; // nothing is drawn any more
      if (document.fullscreenElement) document.exitFullscreen();
    });
  }

  get #isRacing() {
    return Boolean(this.race.person && !this.race.person.isFinished);
  }

  #move(letter, isHeld = false) {
    const { race } = this;
    if (race.cursor !== null) race.seek(race.last);
    if (!race.isGoing && this.#isRacing) race.go();
    race.person.move(letter, isHeld);
  }

  // ---- the race

  /** Begin the race anew and let it go. */
  async #begin(work = () => this.race.begin()) {
    this.#error = '';
    this.#link();
    for (const view of this.views.values()) view.setError('');
    try {
      await work();
      this.isCut = false;
    } catch (error) {
      this.isCut = error.kind === 'ConnectionLost';
      this.#error = this.isCut ? '' : error.message;
    }
    this.#schedule();
  }

  #restart(seed, rules = this.race.rules) {
    Object.assign(this.race, { seed, rules });
    this.rules.set({ value: rules });
    this.#begin();
  }

  #add(spec, isNew = false) {
    const lane = this.race.add(spec, {
      stepped: (step) => this.#isAnimated && this.views.get(lane).step(step),
      sending: (letter) => this.views.get(lane).board.begin(letter),
      failed: (message) => this.#failed(lane, message),
    });
    const view = new LaneView(lane, {
      onPick: (picked) => { lane.spec = picked; this.#begin(() => this.race.enter(lane)); },
      onRemove: () => {
        this.race.remove(lane);
        this.views.delete(lane);
        this.#link();
        this.#schedule();
      },
      onPlay: () => this.#takeOver(lane, lane.position, (game) => `/?game=${game}`),
      onAnalyse: () => this.#analyse(lane),
      onSeek: (move) => this.race.seek(move),
      onNear: () => { this.#near = lane; },
    });
    this.views.set(lane, view);
    view.board.speed = this.animationSpeed ?? 1;
    if (isNew) this.#begin(() => this.race.enter(lane));
  }

  /** A player that is on no board yet. */
  get #another() {
    const shown = this.race.lanes.map(({ spec }) => spec || net.players[0]?.spec);
    const { rows, cols } = [...this.views.values()].at(-1)?.board ?? {};
    const free = net.players.find((player) => !shown.includes(player.spec) && plays(player, rows, cols));
    return free?.spec ?? '';
  }

  #failed(lane, message) {
    this.views.get(lane).setError(message);
    this.#schedule();
  }

  /** The lane that has the focus, or was pointed at, or the first. */
  get #atHand() {
    const { lanes } = this.race;
    const focused = lanes.find((lane) => this.views.get(lane).element.contains(document.activeElement));
    return focused ?? lanes.find((lane) => lane === this.#near) ?? lanes[0];
  }

  /** A game is analysed as far as it was played, from the move looked at. */
  #analyse(lane = this.#atHand) {
    const move = lane.shown?.move_number ?? 0;
    this.#takeOver(lane, lane.now, (game) => analysisLink({ game, move }));
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
      net.afterLoss(error, () => this.#failed(lane, ''));
    }
  }

  /** A race of the person against the player at hand, on dice that both do not know yet. */
  #raceYourself() {
    const { rules } = this.race;
    const lane = this.#atHand;
    const picked = this.views.get(lane).picker.picked || net.players[0]?.spec || '';
    this.navigate(formatLink({ ...this.race, players: [ME, picked], rules, seed: randomSeed() }));
  }

  #link() {
    const players = this.race.lanes.map((lane) => this.views.get(lane).picker?.picked ?? ME);
    window.history.replaceState(window.history.state, '', formatLink({ ...this.race, players }));
  }

  // ---- speed and size

  #go() {
    const { race } = this;
    if (race.isGoing) race.pause();
    else if (race.cursor === null && race.isFinished) this.#restart(randomSeed());
    else race.go();
  }

  #setSpeed(speed) {
    this.race.set({ speed });
    this.#speedSet();
    this.#link();
  }

  get #isAnimated() {
    const { speed, person } = this.race;
    return Boolean(person) || (speed !== null && speed <= FASTEST_ANIMATED);
  }

  #speedSet() {
    const own = settings.get('speed');
    const pace = this.race.person ? 0 : this.race.speed ?? 0;
    this.animationSpeed = own && Math.max(own, pace * ANIMATIONS_A_MOVE);
    for (const view of this.views.values()) view.board.speed = this.animationSpeed;
  }

  /** Boards over the whole screen; over the whole window where a browser has no full screen. */
  async #toggleFull() {
    this.#isFull = !this.#isFull;
    if (this.#isFull) await this.element.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement) await document.exitFullscreen();
    this.#schedule();
  }

  // ---- drawing

  #schedule() {
    this.#frame ??= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#frame = null;
    this.#drawn += 1;
    const { race } = this;
    const isCalm = this.#isAnimated || !race.isGoing || race.isPreparing;
    const hasFigures = isCalm || this.#drawn % FIGURE_PERIOD === 0;
    const { move, order } = race.ranking();
    const isDecided = race.isFinished && race.cursor === null;
    const front = Math.max(0, ...race.lanes.filter((lane) => lane.isAble).map(({ last }) => last));
    /** Points that a game has more than the best of the others; null without others. */
    const leadOf = (lane) => {
      const [own, other] = [true, false].map((isOwn) => order.find((one) => (one.lane === lane) === isOwn));
      return own && other ? own.score - other.score : null;
    };
    race.lanes.forEach((lane, place) => this.views.get(lane).draw({ isAnimated: this.#isAnimated, hasFigures }, {
      place: place + 1, count: race.lanes.length, lead: leadOf(lane), move, isDecided,
      isPreparing: race.isPreparing, isCatchingUp: lane.isRunning && front - lane.last > 50,
    }));
    if (!hasFigures) return;
    this.element.classList.toggle('is-full', this.#isFull);
    render(this.element,
      h('h1', { class: 'visually-hidden', text: text(race.person ? 'watch.race_title' : 'nav.watch') }),
      h('p', { class: 'error', role: 'alert', text: this.#error }),
      h('p', { class: 'race-standing number', text: this.#standing(move, order) }),
      h('div', { class: 'lanes', dataset: { count: race.lanes.length } },
        race.lanes.map((lane) => this.views.get(lane).element)),
      !this.#isRacing && (race.last > 0 || !this.#error) && this.#transport(isDecided), this.#form());
  }

  /** Who is ahead, in a sentence; in a race of a person, also whose game is over. */
  #standing(move, order) {
    const { race } = this;
    if (race.lanes.length < 2 || !order.length) return '';
    const [first, second] = order;
    const name = (lane) => this.views.get(lane).name;
    const points = second ? first.score - second.score : 0;
    const key = first.lane.isPerson ? 'watch.you_lead' : 'watch.leads';
    const areLevel = order.at(-1).score === first.score;
    const words = points ? text(key, { move, player: name(first.lane), points, tile: String(first.largest) })
      : areLevel ? text('watch.level', { move })
        : text('watch.share_lead', { move, player: name(first.lane), other: name(second.lane) });
    const other = race.lanes.find((lane) => !lane.isPerson && lane.isFinished);
    if (race.person?.isFinished) return `${text('watch.mine_over')} ${words}`;
    if (race.person && other) return `${text('watch.theirs_over', { player: name(other), score: other.now.score })} ${words}`;
    return words;
  }

  #transport(isEnd) {
    const { race } = this;
    const place = race.cursor ?? race.last;
    const where = text(place === race.last ? 'watch.newest' : 'watch.where', { move: place, last: race.last });
    const face = isEnd ? 'again' : race.isGoing ? 'pause' : race.person && race.cursor === null ? 'play_out' : 'go';
    return h('section', { key: 'transport', class: 'transport card row', 'aria-label': text('watch.controls') },
      h('div', { class: 'transport-buttons group' },
        button({ icon: 'back', label: text('watch.back') }, () => race.back(), { disabled: place <= 0 }),
        button({ icon: ICONS[face], text: text(`watch.${face}`) }, () => this.#go(), { class: 'primary transport-go' }),
        button({ icon: 'step', label: text('watch.forward') }, () => race.forward(), { disabled: isEnd })),
      h('div', { class: 'transport-scrub line' },
        h('input', { type: 'range', min: 0, max: race.last, step: 1, value: String(place), 'aria-label': text('watch.scrubber'),
          'aria-valuetext': where, oninput: ({ target }) => race.seek(Number(target.value)) }),
        h('span', { class: 'transport-where number', text: where })),
      h('div', { class: 'transport-speed line' },
        h('label', { class: 'label', for: 'watch-speed', text: text('play.pace') }),
        h('input', { id: 'watch-speed', type: 'range', min: 0, max: SPEEDS.length - 1, step: 1,
          value: String(placeOf(race.speed)), 'aria-valuetext': formatSpeed(race.speed),
          oninput: ({ target }) => this.#setSpeed(SPEEDS[Number(target.value)]) }),
        h('output', { class: 'transport-speed-text number', for: 'watch-speed', text: formatSpeed(race.speed) })),
      button({ icon: this.#isFull ? 'small' : 'full', label: text(this.#isFull ? 'watch.full_off' : 'watch.full') },
        () => this.#toggleFull(), { class: 'quiet transport-full' }));
  }

  #form() {
    const { race } = this;
    const seeded = ({ target }) => {
      const seed = target.value.trim();
      if (seed !== race.seed) this.#restart(seed || randomSeed());
      else target.value = seed; // a browser says that it has changed even where it was typed as it is
    };
    const seed = h('input', { id: 'watch-seed', class: 'input number', type: 'text', inputmode: 'numeric', autocomplete: 'off',
      value: race.seed, onchange: seeded,
      onkeydown: ({ key, target }) => { if (key === 'Enter') target.blur(); } }); // the keys go to the race again
    const stops = [[0, text('watch.stop_never')], ...STOP_TILES.map((tile) => [tile, String(tile)])];
    return h('section', { class: 'race-form row', 'aria-label': text('watch.race') },
      this.rules.element, field(text('play.seed'), seed),
      button({ icon: 'dice', text: text('watch.restart') }, () => this.#restart(randomSeed())),
      selectField('watch-stop', text('watch.stop'), stops, race.stopTile, (tile) => { race.set({ stopTile: Number(tile) }); this.#link(); }),
      button({ icon: 'new', text: text('watch.add') }, () => this.#add(this.#another, true),
        { class: 'race-add', disabled: race.lanes.length >= MAX_LANES }),
      !race.person && button({ icon: 'play', text: text('watch.race_yourself') }, () => this.#raceYourself(),
        { class: 'race-add' }));
  }
}

/** Read an address: players in the query, or in the fragment those that a person races with. */
function parseLink(query, hash) {
  const rivals = hash.getAll('race');
  const params = rivals.length ? hash : query;
  const players = rivals.length ? [ME, ...rivals] : params.getAll('player');
  return {
    players: players.length ? players.slice(0, MAX_LANES) : FIRST_RACE,
    rules: params.get('rules') ?? '',
    seed: params.get('seed') || randomSeed(),
    speed: parseSpeed(params.get('speed')),
    stopTile: Number(params.get('stop')) || 0,
  };
}

function formatLink({ players, rules, seed, speed, stopTile }) {
  const params = new URLSearchParams();
  const isRace = players.includes(ME);
  const named = isRace ? players.filter((player) => player !== ME) : players;
  const isFirst = players.join() === FIRST_RACE.join();
  for (const player of isFirst ? [] : named) params.append(isRace ? 'race' : 'player', player);
  if (rules) params.set('rules', rules);
  params.set('seed', seed);
  if (speed !== PLEASANT) params.set('speed', speed ?? 'max');
  if (stopTile) params.set('stop', String(stopTile));
  return `/watch${isRace ? '#' : '?'}${readable(params)}`;
}

/** A seed that can be read aloud. */
function randomSeed() {
  return String(1 + Math.floor(Math.random() * LARGEST_RANDOM));
}
