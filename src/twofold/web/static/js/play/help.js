/** The help beside the game: what a player thinks of the position, and letting it play. */

import { barLabel, barText } from '../analysis_texts.js';
import { AnalysisView } from '../analysis_view.js';
import { button, h, icon } from '../dom.js';
import { EvalBar } from '../eval_bar.js';
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
  #onBest;
  #ref = 0;
  #timer = null;
  #askedAt = 0;
  #counted = {}; // the position whose hints were counted last, and the connection of that time
  #offs;

  /** The evaluation bar, to stand beside the board. */
  bar = new EvalBar();

  /**
   * @param {import('./live_game.js').LiveGame} game
   * @param {function(string): void} onBest gets the letter of the best move, or an empty text
   * @param {Element} above takes the same buttons where the panel is below the board
   */
  constructor(game, onBest, above) {
    this.#game = game;
    this.#onBest = onBest;
    this.view = new AnalysisView({ onMove: (letter) => game.move(letter), line: false,
      announce: true });
    this.picker = new PlayerPicker({ spec: settings.get('player'), label: text('play.help_player'),
      onPick: (spec) => this.#picked(spec) });
    this.toggle = h('input', { type: 'checkbox', class: 'switch', role: 'switch',
      checked: settings.get('hints'), onchange: () => settings.set('hints', this.toggle.checked) });
    this.element = this.#build();
    above.append(this.#buildShort());
    this.#offs = [
      net.on('analysis', (reply) => this.#onReply(reply)),
      net.on('refused', (reply) => reply.ref === this.#ref && this.#onRefused(reply)),
      net.on('ready', () => this.update()),
      settings.on('hints', () => this.#switched()),
    ];
    this.#switched();
  }

  /** Spec of the player who helps; empty for the default one. */
  get player() {
    return settings.get('player');
  }

  /** The pace chosen; null for as fast as it goes. */
  get pace() {
    const pace = settings.get('pace');
    return pace > 0 ? pace : null;
  }

  /** The position has changed: what was thought of the one before is stale. */
  update() {
    this.#ref = 0;
    this.#onBest('');
    this.#showAuto();
    const { rules } = this.#game.state ?? {};
    if (rules) this.picker.setShape(rules.rows, rules.cols);
    clearTimeout(this.#timer);
    this.#showDaily();
    if (!settings.get('hints') || this.isDaily || this.#game.isCatchingUp) return;
    const gap = this.#game.isAuto ? AUTO_GAP_MS : GAP_MS;
    const wait = this.#askedAt + gap - performance.now();
    if (wait <= 0) this.#ask();
    else this.#timer = setTimeout(() => this.#ask(), wait);
  }

  /** Whether this is a daily game, which is played without help. */
  get isDaily() {
    return Boolean(this.#game.state?.daily);
  }

  /** Play one move of the player who helps. */
  best() {
    if (!this.isDaily) this.#game.best(this.player);
  }

  /** Let the player play, or take the game over. */
  auto() {
    if (this.#game.isAuto) this.#game.pause();
    else if (!this.isDaily) this.#game.autoplay(this.player, this.pace);
  }

  /** Ask and listen no more. */
  close() {
    clearTimeout(this.#timer);
    for (const off of this.#offs) off();
    this.picker.close();
    if (net.state === 'open' && this.#ref) net.send({ type: 'stop' });
  }

  #build() {
    const hidden = { class: 'help-analysis', hidden: true };
    this.analysis = h('div', hidden, this.view.element);
    this.daily = h('p', { class: 'small soft', hidden: true, text: text('daily.play_note') });
    this.autoButton = button({ icon: 'run', text: text('play.auto') }, () => this.auto());
    this.bestButton = button({ icon: 'step', text: text('play.best_move') }, () => this.best());
    return h('section', { class: 'card stack help', 'aria-labelledby': 'help-title' },
      h('div', { class: 'row apart' }, h('h2', { id: 'help-title', text: text('play.help') }),
        h('label', { class: 'check wide-only' }, text('play.hints'), this.toggle)),
      this.daily,
      this.analysis,
      this.picker.element,
      h('div', { class: 'row help-buttons' }, this.bestButton, this.autoButton),
      this.#paceField());
  }

  #buildShort() {
    this.autoShort = button({ icon: 'run', label: text('play.auto') }, () => this.auto());
    this.bestShort = button({ icon: 'step', label: text('play.best_move') }, () => this.best());
    return h('div', { class: 'group narrow-only' }, this.bestShort, this.autoShort);
  }

  #paceField() {
    const index = Math.max(0, PACES.indexOf(this.pace));
    const output = h('output', { for: 'help-pace', class: 'number' });
    const input = h('input', { type: 'range', id: 'help-pace',
      min: 0, max: PACES.length - 1, step: 1, value: index,
      oninput: () => this.#setPace(PACES[Number(input.value)], input, output) });
    this.paceInput = input;
    this.#showPace(PACES[index], input, output);
    return h('div', { class: 'field' }, h('span', { class: 'row apart label' },
      h('label', { for: 'help-pace', text: text('play.pace') }), output), input);
  }

  #setPace(pace, input, output) {
    settings.set('pace', pace ?? 0);
    this.#showPace(pace, input, output);
    if (this.#game.isAuto) this.#game.autoplay(this.player, pace);
  }

  #showPace(pace, input, output) {
    output.textContent = pace === null ? text('play.pace_most') : text('play.pace_value', { pace });
    input.setAttribute('aria-valuetext', output.textContent);
  }

  #picked(spec) {
    settings.set('player', spec);
    this.update();
    if (this.#game.isAuto) this.#game.autoplay(spec, this.pace);
  }

  #switched() {
    const on = settings.get('hints');
    this.toggle.checked = on;
    this.analysis.hidden = !on;
    this.bar.element.hidden = true; // until a player gives a value for it
    if (!on && this.#ref) net.send({ type: 'stop' });
    this.view.clear();
    this.update();
  }

  #showDaily() {
    this.daily.hidden = !this.isDaily;
    for (const one of [this.toggle, this.picker.field.select, this.paceInput]) one.disabled = this.isDaily;
    this.analysis.hidden = this.isDaily || !settings.get('hints');
    if (!this.isDaily) return;
    this.view.clear();
    this.bar.element.hidden = true;
  }

  #showAuto() {
    const { isAuto, now } = this.#game;
    if (this.autoButton.dataset.auto !== String(isAuto)) {
      this.autoButton.dataset.auto = String(isAuto);
      const label = text(isAuto ? 'play.take_over' : 'play.auto');
      this.autoButton.replaceChildren(icon(isAuto ? 'pause' : 'run'), h('span', { text: label }));
      this.autoShort.replaceChildren(icon(isAuto ? 'pause' : 'run'));
      this.autoShort.setAttribute('aria-label', label);
      this.autoShort.title = label;
    }
    const [noAuto, noBest] = [!now?.legal && !isAuto, !now?.legal || isAuto];
    for (const one of [this.autoButton, this.autoShort]) one.disabled = noAuto || this.isDaily;
    for (const one of [this.bestButton, this.bestShort]) one.disabled = noBest || this.isDaily;
  }

  #ask() {
    const { now, state } = this.#game;
    if (!now || !now.legal || net.state !== 'open') {
      this.view.clear();
      this.bar.clear();
      return;
    }
    this.#askedAt = performance.now();
    if (net.ready) this.view.wait();
    else this.view.clear(text('play.loading_player'));
    this.#ref = net.send({ type: 'analyse', board: now.board, rules: state.rules.text,
      score: String(now.score), player: this.player, game: this.#countedFor(state, now) });
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
    if (reply.ref !== this.#ref) return;
    this.view.show(reply);
    this.bar.show(reply.bar, barText(reply), barLabel(reply));
    this.bar.element.hidden = reply.bar === null;
    this.picker.setError('');
    if (reply.hints !== null) this.#game.now.hints = reply.hints; // this one is counted
    this.#onBest(reply.best);
  }

  #onRefused({ message }) {
    this.view.clear(message);
    this.bar.clear();
  }
}
