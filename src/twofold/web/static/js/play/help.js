/** The help beside the game: what a player thinks of the position, and letting it play. */

import { AnalysisView, EvalBar } from '../analysis_view.js';
import { slider } from '../controls.js';
import { button, h, onLeave, part, render } from '../dom.js';
import { net } from '../net.js';
import { PlayerPicker } from '../player_picker.js';
import { settings } from '../settings.js';
import { text } from '../text.js';

/** Paces on the slider, moves a second; the last one is as fast as it goes. */
const PACES = [0.5, 1, 2, 4, 8, 15, 30, null];

/** While a player moves, positions are not analysed more often than this. */
const AUTO_GAP_MS = 300;
const GAP_MS = 30;

/** The panel; `bar` is the evaluation bar, which stands beside the board. */
export class HelpPanel {
  #game;
  #page;
  #ref = 0;
  #timer = null;
  #askedAt = 0;
  #counted = {}; // the position whose hints were counted last, and the connection of that time

  /** The evaluation bar, to stand beside the board. */
  bar = new EvalBar();

  /** Letter of the best move here, as far as hints say; empty for none. */
  hint = '';

  /**
   * @param {import('./live_game.js').LiveGame} game
   * @param {{hinted: function(): void}} page `hinted` hears that the hint has changed
   */
  constructor(game, page) {
    this.#game = game;
    this.#page = page;
    this.view = new AnalysisView({ onMove: (letter) => game.move(letter) });
    this.picker = new PlayerPicker({ value: settings.get('player'), label: text('play.help_player'),
      onPick: (spec) => this.#set('player', spec) });
    this.element = part(h('section', { class: 'card stack help', 'aria-labelledby': 'help-title' }));
    net.on('analysis', (reply) => reply.ref === this.#ref && this.#onReply(reply));
    net.on('refused', ({ ref, message }) => ref === this.#ref && this.#clear(message));
    net.on('ready', () => this.update());
    settings.on('hints', () => this.#switched());
    onLeave(() => {
      clearTimeout(this.#timer);
      if (net.state === 'open' && this.#ref) net.send({ type: 'stop' });
    });
    this.#switched();
  }

  /** Whether this is a daily game, which is played without help. */
  get isDaily() {
    return Boolean(this.#game.state?.daily);
  }

  /** The position has changed: what was thought of the one before is stale. */
  update() {
    const { isAuto, isCatchingUp, state } = this.#game;
    this.#ref = 0;
    this.#show('');
    if (state) this.picker.setShape(state.rules.rows, state.rules.cols);
    clearTimeout(this.#timer);
    this.#draw();
    if (!this.#isOn || isCatchingUp) return;
    const wait = this.#askedAt + (isAuto ? AUTO_GAP_MS : GAP_MS) - performance.now();
    if (wait <= 0) this.#ask();
    else this.#timer = setTimeout(() => this.#ask(), wait);
  }

  /** Play one move of the player who helps. */
  best() {
    if (!this.isDaily) this.#game.best(settings.get('player'));
  }

  /** Let the player play, or take the game over. */
  auto() {
    if (this.#game.isAuto) this.#game.pause();
    else if (!this.isDaily) this.#autoplay();
  }

  /** Buttons for one move and for all. @param {boolean} isShort whether they have icons alone */
  buttons(isShort) {
    const { isAuto, now } = this.#game;
    const face = (icon, words) => ({ icon, [isShort ? 'label' : 'text']: text(words) });
    const canGo = Boolean(now?.legal) && !this.isDaily;
    return [
      button(face('step', 'play.best_move'), () => this.best(), { disabled: !canGo || isAuto }),
      button(face(isAuto ? 'pause' : 'run', isAuto ? 'play.take_over' : 'play.auto'),
        () => this.auto(), { disabled: !canGo && !isAuto }),
    ];
  }

  get #isOn() {
    return settings.get('hints') && !this.isDaily;
  }

  #draw() {
    const { isDaily } = this;
    this.picker.set({ disabled: isDaily });
    render(this.element,
      h('div', { class: 'row apart' }, h('h2', { id: 'help-title', text: text('play.help') }),
        h('label', { class: 'check wide-only' }, text('play.hints'), h('input', {
          type: 'checkbox', class: 'switch', role: 'switch', checked: settings.get('hints'),
          disabled: isDaily, onchange: (event) => settings.set('hints', event.target.checked) }))),
      isDaily && h('p', { class: 'small soft', text: text('daily.play_note') }),
      h('div', { class: 'row help-buttons' }, this.buttons(false)),
      this.#paceField(),
      this.picker.element,
      this.#isOn && this.view.element); // last: nothing moves when it comes
  }

  #paceField() {
    const index = Math.max(0, PACES.indexOf(settings.get('pace') || null));
    const pace = PACES[index];
    const words = pace ? text('play.pace_value', { pace }) : text('play.pace_most');
    return slider('help-pace', text('play.pace'), words, { min: 0, max: PACES.length - 1, value: String(index),
      disabled: this.isDaily }, (place) => this.#set('pace', PACES[place] ?? 0));
  }

  /** Prefer another player or pace; one that plays now goes on with it. */
  #set(name, value) {
    settings.set(name, value);
    if (name === 'player') {
      this.update();
      if (!this.#isOn && !this.picker.isListed) this.#check(value);
    } else this.#draw();
    if (this.#game.isAuto) this.#autoplay();
  }

  /** Ask whether there is a player that was typed, with the least that it can analyse here. */
  async #check(player) {
    const { now, state } = this.#game;
    if (!now?.legal) return;
    const error = await net.post('/api/analyse', { board: now.board, rules: state.rules.text, player, ply: 1 })
      .then(() => '', ({ message }) => message);
    if (this.picker.value === player) this.picker.set({ error });
  }

  #autoplay() {
    this.#game.autoplay(settings.get('player'), settings.get('pace') || null);
  }

  #switched() {
    if (!settings.get('hints') && this.#ref) net.send({ type: 'stop' });
    this.#clear();
    this.update();
  }

  #show(letter) {
    if (this.hint === letter) return;
    this.hint = letter;
    this.#page.hinted();
  }

  #clear(words = '') {
    this.view.clear(words);
    this.bar.element.hidden = true;
  }

  #ask() {
    const { now, state } = this.#game;
    if (!now?.legal || net.state !== 'open') return void this.#clear();
    this.#askedAt = performance.now();
    if (net.ready) this.view.wait();
    else this.view.clear(text('play.loading_player'));
    this.#ref = net.send({ type: 'analyse', board: now.board, rules: state.rules.text,
      score: String(now.score), player: settings.get('player'),
      game: this.#countedFor(state, now) });
  }

  /** The game in which these hints are counted; none where they are asked again after a loss. */
  #countedFor({ game }, now) {
    const position = `${game} ${now.move_number} ${now.board}`;
    const { welcome } = net;
    if (this.#counted.position === position && this.#counted.welcome !== welcome) return '';
    if (!now.autoplay) this.#counted = { position, welcome }; // a player's positions do not count
    return game;
  }

  #onReply(reply) {
    this.view.show(reply);
    this.bar.show(reply);
    this.bar.element.hidden = reply.bar === null;
    if (reply.hints !== null) this.#game.hinted(reply.hints); // this one is counted
    this.#show(reply.best);
  }
}
