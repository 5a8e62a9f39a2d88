/**
 * A time trial: as many points as one can make in three minutes, from the first move on.
 *
 * Undo is allowed, for it takes time. A game with hints, with moves by a player, or with a seed
 * that was chosen does not count for the best result.
 */

import { announce } from '../announce.js';
import { h, icon, part, render } from '../dom.js';
import { formatClock } from '../figures.js';
import { keep, kept, remember, remembered } from '../memory.js';
import { net } from '../net.js';
import { settings } from '../settings.js';
import { number, text } from '../text.js';
import { isFinished } from './live_game.js';

const LENGTH_MS = 180_000;
const TICK_MS = 100;
const SPOKEN = [60, 10]; // seconds left
const HURRY = 10; // seconds
const TRIAL_KEY = 'twofold.trial'; // in the memory of the tab
const BEST_KEY = 'twofold.trial_best';

/** The line with the time that is left, and the end of it. */
export class Trial {
  #trial = null; // what the tab remembers; null while no game is a time trial
  #seconds = LENGTH_MS / 1000; // left, as shown last
  #ticked = Date.now();

  /**
   * @param {import('./live_game.js').LiveGame} live
   * @param {{overlay: import('./overlay.js').Overlay, keepGoing: function(): void,
   *   newGame: function(): Promise<void>}} page
   */
  constructor(live, page) {
    Object.assign(this, { live, page });
    this.element = part(h('p', { class: 'trial row', hidden: true }));
    this.timer = setInterval(() => this.#tick(), TICK_MS);
    const before = JSON.parse(remembered(TRIAL_KEY) || 'null');
    this.#trial = before?.isOver ? null : before;
  }

  /** @param {boolean} seeded whether the seed of the game was chosen */
  begin(seeded) {
    const { id, now } = this.live;
    this.#trial = { game: id, from: now.move_number, ends: 0, helped: seeded, isOver: false };
    this.#keep();
  }

  /** @param {object} state a `game` message */
  state({ game, was }) {
    const trial = this.#trial;
    if (trial && trial.game === was) trial.game = game;
    else if (trial && trial.game !== game) this.#trial = null; // another game is played
    this.#keep();
  }

  /** @param {object} step a `step` message */
  step({ by, now }) {
    const trial = this.#trial;
    if (!trial || trial.isOver) return;
    trial.ends ||= Date.now() + LENGTH_MS;
    trial.helped ||= Boolean(by);
    this.#keep();
    if (isFinished(now)) this.#end();
  }

  close() {
    clearInterval(this.timer);
  }

  #tick() {
    const trial = this.#trial;
    const passed = Date.now() - this.#ticked;
    this.#ticked += passed;
    if (trial?.ends && net.state !== 'open') trial.ends += passed; // the moves wait, too
    if (!trial || trial.isOver || !this.live.now) return;
    if (trial.ends && !trial.helped && (settings.get('hints') || this.live.isAuto)) {
      trial.helped = true;
      this.#keep();
    }
    const left = trial.ends ? Math.max(0, trial.ends - Date.now()) : LENGTH_MS;
    this.#show(Math.ceil(left / 1000));
    if (!left) this.#timeUp();
  }

  #show(seconds) {
    if (this.#seconds === seconds) return;
    const isDue = SPOKEN.some((one) => seconds <= one && one < this.#seconds);
    this.#seconds = seconds;
    this.#draw();
    if (isDue) announce(text('trial.say_left', { count: seconds }));
  }

  #timeUp() {
    if (this.live.isAuto) this.live.pause();
    this.live.block();
    const facts = this.#end();
    this.page.overlay.timeUp(this.live.state, facts, {
      again: () => this.#again(),
      keepGoing: this.page.keepGoing,
    });
    announce(text('trial.say_over', { facts }));
  }

  async #again() {
    await this.page.newGame();
    if (this.live.isUnplayed) this.begin(false);
  }

  /** Note the result; what it was, in words. */
  #end() {
    const trial = this.#trial;
    const { score, tiles, move_number: moves, undos } = this.live.now;
    const minutes = Math.min(LENGTH_MS, LENGTH_MS - (trial.ends - Date.now())) / 60_000;
    const rules = this.live.state.rules.text;
    const before = best(rules);
    if (!trial.helped && score > before) keep(BEST_KEY, { ...kept(BEST_KEY), [rules]: score });
    Object.assign(trial, { isOver: true, score });
    this.#keep();
    const rate = number(Math.round((moves - trial.from) / minutes));
    return [
      text('trial.result', { count: score, tile: String(Math.max(...tiles)), rate }),
      undos > 0 && text('trial.undone', { count: undos }),
      trial.helped ? text('trial.not_counted') : score > before ? text('trial.new_best')
        : text('trial.best', { count: before }),
    ].filter(Boolean).join(' ');
  }

  #keep() {
    remember(TRIAL_KEY, this.#trial ? JSON.stringify(this.#trial) : '');
    this.#draw();
  }

  #draw() {
    const trial = this.#trial;
    this.element.hidden = !trial;
    if (!trial || !this.live.state) return;
    const points = best(this.live.state.rules.text);
    const isHurried = !trial.isOver && this.#seconds <= HURRY;
    const note = !trial.ends ? text('trial.starts')
      : trial.helped ? text('trial.helped') : points ? text('trial.best', { count: points }) : '';
    render(this.element, icon('timer'), h('span', { text: text('trial.title') }),
      h('strong', { class: `trial-left number ${isHurried ? 'warn' : ''}`, role: 'timer', 'aria-live': 'off',
        text: trial.isOver ? text('trial.points', { count: trial.score }) : formatClock(this.#seconds) }),
      h('span', { class: 'soft number', text: note }));
  }
}

/** The best result under some rules, in this browser. */
function best(rules) {
  return kept(BEST_KEY)[rules] ?? 0;
}
