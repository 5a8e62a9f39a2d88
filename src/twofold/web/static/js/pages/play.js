/** Play: a game by hand, with help at hand. */

import { BoardView } from '../board.js';
import { h } from '../dom.js';
import { listenKeys, releaseFocusAfterPointer } from '../keys.js';
import { remember, remembered } from '../memory.js';
import { Befores } from '../play/befores.js';
import { Controls } from '../play/controls.js';
import { GameFacts } from '../play/facts.js';
import { isFinished } from '../play/intents.js';
import { LiveGame } from '../play/live_game.js';
import { lossText } from '../play/loss_text.js';
import { Narrator } from '../play/narrator.js';
import { Overlay } from '../play/overlay.js';
import { movePad } from '../play/pad.js';
import { describeRules, formOf } from '../play/rules_text.js';
import { ScoreView } from '../play/score.js';
import { WaitingLine } from '../play/waiting_line.js';
import { settings } from '../settings.js';
import { listenSwipes } from '../swipe.js';
import { text } from '../text.js';
import { toast } from '../toast.js';

const TAB_KEY = 'twofold.game';
const WON_KEY = 'twofold.won'; // the game whose goal was just reached

/**
 * @param {HTMLElement} root
 * @param {object} context as of main.js
 * @returns {function(): void} unmounts
 */
export function mount(root, context) {
  const page = new PlayPage(root, context);
  page.start();
  return () => page.close();
}

class PlayPage {
  #context;
  #board = new BoardView();
  #scores = new ScoreView();
  #facts = new GameFacts(
    async () => (await import('../sharing/sources.js')).shareLive(this.game));
  #overlay = new Overlay();
  #narrator = new Narrator();
  #waiting = new WaitingLine();
  #help = null;
  #extras = null;
  #closed = false;
  #befores = new Befores();
  #unsay = () => {}; // takes the message of the last new game away
  #offs = [];

  constructor(root, context) {
    this.#context = context;
    this.game = new LiveGame(this.#watcher());
    this.controls = new Controls({
      newGame: () => this.#newGame(), rules: () => this.#askRules(), games: () => this.#showGames(),
      undo: () => this.#undo(), redo: () => this.game.redo(),
    });
    this.#build(root);
    this.#listen(root);
  }

  /** Open the game of the address, of this tab, or the one played last. */
  async start() {
    const { params } = this.#context;
    this.#board.setSpeed(settings.get('speed'));
    await this.game.open(params.get('game') || remembered(TAB_KEY));
    const [{ HelpPanel }, { PlayExtras }] = await Promise.all(
      [import('../play/help.js'), import('../play/extras.js')]);
    if (this.#closed) return;
    this.#extras = new PlayExtras(this.game, { overlay: this.#overlay, facts: this.#facts.list,
      above: this.controls.element, keepGoing: () => this.#keepGoing(),
      newGame: () => this.#newGame() });
    this.#help = new HelpPanel(this.game, (letter) => this.#showBest(letter), this.controls.right);
    this.side.append(this.#help.element, this.#facts.element); // at once: nothing moves
    this.boardPlace.prepend(this.#help.bar.element);
  }

  close() {
    this.#closed = true;
    for (const off of this.#offs) off();
    this.#help?.close();
    this.#extras?.close();
    this.game.close();
  }

  #build(root) {
    this.title = h('h1', { class: 'play-title', text: '2048' });
    this.subtitle = h('p', { class: 'soft play-subtitle',
      text: text('play.subtitle', { goal: '2048' }) });
    this.pad = movePad((letter) => this.game.move(letter));
    this.boardPlace = h('div', { class: 'board-place' },
      h('div', { class: 'board-holder' }, this.#board.element, this.#overlay.element));
    this.how = h('p', { class: 'how', text: text('play.how') });
    this.area = h('div', { class: 'play-area' },
      h('div', { class: 'play-head' }, h('div', { class: 'grow' }, this.title, this.subtitle),
        this.#scores.element),
      this.controls.element, this.boardPlace, this.how, this.#waiting.element);
    this.side = h('div', { class: 'stack wide play-side' });
    root.append(h('div', { class: 'columns play' },
      h('div', { class: 'stack' }, this.area, this.pad), this.side));
  }

  #listen(root) {
    const showPad = () => { this.pad.hidden = !settings.get('pad'); };
    showPad();
    this.#offs = [
      listenKeys({
        move: (letter, event) => this.game.move(letter, event.repeat), commands: this.#commands(),
      }),
      listenSwipes(this.area, (letter) => this.game.move(letter)),
      releaseFocusAfterPointer(root),
      settings.on('speed', (speed) => this.#board.setSpeed(speed)),
      settings.on('hints', (on) => this.controls.showHints(on)),
      settings.on('pad', showPad),
    ];
  }

  #commands() {
    const [undo, redo] = [() => this.#undo(), () => this.game.redo()];
    const best = () => this.#enter();
    return {
      u: undo, 'ctrl+z': undo, y: redo, 'ctrl+y': redo, 'ctrl+shift+z': redo,
      n: () => this.#newGame(), p: () => this.#help?.auto(),
      i: () => this.controls.toggleHints(), Enter: best, Space: best,
      b: () => this.#narrator.board(this.#board.tiles, this.#board.cols),
    };
  }

  #watcher() {
    return {
      state: (state) => this.#onState(state),
      step: (step) => this.#onStep(step),
      frame: ({ now }) => this.#onFrame(now),
      ended: (ended) => this.#onEnded(ended),
      sending: (letter) => this.#board.begin(letter),
      illegal: (letter) => this.#narrator.illegal(letter),
      trouble: (words) => toast(words),
      waiting: () => this.#waiting.show(this.game),
      back: (found) => this.#onBack(found),
    };
  }

  // ---- what happens in the game

  #onState(state) {
    const { rules, now } = state;
    const fits = this.#board.rows === rules.rows && this.#board.cols === rules.cols;
    if (!fits) this.#board.resize(rules.rows, rules.cols);
    this.boardPlace.style.setProperty('--rows', rules.rows);
    this.boardPlace.style.setProperty('--cols', rules.cols);
    this.#board.show(now.tiles, { animate: now.move_number === 0 });
    this.#showRules(rules);
    this.#facts.state(state);
    this.controls.showDaily(Boolean(state.daily));
    if (state.daily) this.subtitle.textContent = text('daily.subtitle', { day: state.daily });
    this.game.blocked = false;
    this.#overlay.hide();
    this.#show(now);
    if (!this.game.isCatchingUp) this.#narrator.state(state);
    this.#extras?.state(state);
    remember(TAB_KEY, state.game);
    if (state.was) this.#befores.rename(state.was, state.game);
    if (state.note) toast(text(`play.note_${state.note}`));
    if (isFinished(now)) this.#showOver(now);
    else if (now.status === 'won' && remembered(WON_KEY) === state.game) this.#showWon(now);
  }

  #onStep(step) {
    this.#board.step(step);
    this.#scores.gain(step.reward);
    this.#show(step.now);
    if (this.#overlay.isShown) this.#keepGoing();
    this.#extras?.step(step);
    if (isFinished(step.now)) this.#showOver(step.now);
    else if (step.goal_reached) this.#onGoal(step.now);
    else if (!this.game.isCatchingUp) this.#narrator.step(step, this.#board.cols);
  }

  #onFrame(now) {
    this.#board.show(now.tiles);
    this.#show(now);
    this.#narrator.progress(now);
  }

  #onEnded({ reason, now, message }) {
    this.#board.show(now.tiles);
    this.#show(now);
    if (reason === 'failed') toast(message);
    if (isFinished(now)) this.#showOver(now);
  }

  /** The moves that waited are made: what the loss has meant, and where the game stands now. */
  #onBack(found) {
    const words = lossText(found);
    if (words) toast(words);
    this.#narrator.back(words, this.game.state, this.game.now);
    this.#help?.update();
  }

  /** The goal is there: a person is asked whether to go on, a player goes on. */
  #onGoal(now) {
    const { goal } = this.game.state.rules;
    this.#narrator.won(goal);
    if (this.game.isAuto) toast(text('play.won_by_player', { goal: String(goal) }));
    else this.#showWon(now);
  }

  #showWon(now) {
    this.game.block();
    this.#board.arrow('');
    remember(WON_KEY, this.game.id);
    this.#overlay.won(this.game.state, now,
      { keepGoing: () => this.#keepGoing(), newGame: () => this.#newGame() });
  }

  #showOver(now) {
    if (this.#overlay.isShown) return;
    this.#narrator.over(this.game.state, now);
    this.#overlay.over(this.game.state, now,
      { undo: () => this.#undo(), newGame: () => this.#newGame() });
  }

  #keepGoing() {
    this.game.blocked = false;
    remember(WON_KEY, '');
    this.#overlay.hide();
    this.#help?.update();
  }

  #show(now) {
    this.#scores.show(now);
    this.controls.show(now, this.#hasBefore);
    this.#facts.show(now);
    this.how.hidden = now.move_number > 0;
    if (now.move_number > this.game.state.first) this.#unsay();
    this.#help?.update();
  }

  #showBest(letter) {
    this.#board.arrow(this.#overlay.isShown ? '' : letter);
    if (letter) this.#facts.show(this.game.now); // with this hint
  }

  #showRules(rules) {
    this.title.textContent = String(rules.goal);
    this.subtitle.textContent = text('play.subtitle', { goal: String(rules.goal) });
    this.#board.setLabel(text('play.board', { rules: describeRules(rules) }));
  }

  // ---- what a person does

  #enter() {
    if (this.game.blocked) this.#keepGoing();
    else this.#help?.best();
  }

  async #newGame() {
    const { rules } = this.game.state ?? {};
    await this.#begin({ rules: rules?.text ?? '' }).catch((error) => toast(error.message));
  }

  /** Begin a game; the one before can be had back with one click. */
  async #begin(options) {
    const before = this.game.id;
    await this.game.begin(options);
    this.#forgetAddress();
    const begun = this.game.id;
    if (!before || begun === before) return;
    this.#befores.note(begun, before);
    this.#show(this.game.now);
    const run = () => this.game.id === begun && this.#takeBack();
    this.#unsay = toast(text('play.new_done'), { text: text('play.undo'), run });
  }

  /** Take the last move back; before the first one, have the game before back. */
  #undo() {
    if (this.#hasBefore) this.#takeBack();
    else this.game.undo();
  }

  get #hasBefore() {
    return this.game.isUnplayed && Boolean(this.#befores.of(this.game.id));
  }

  /** The game before comes back; this one is forgotten if nothing has happened in it. */
  #takeBack() {
    this.#unsay();
    return this.game.open(this.#befores.of(this.game.id), { unplayed: true });
  }

  async #askRules() {
    const { askNewGame } = await import('../play/new_game.js');
    const { ORIGINAL } = await import('../play/rules_text.js');
    const { rules } = this.game.state ?? {};
    askNewGame(rules ? formOf(rules) : ORIGINAL, async ({ trial, ...options }) => {
      await this.#begin(options);
      if (trial) this.#extras?.beginTrial(Boolean(options.seed));
    });
  }

  async #showGames() {
    const { showGames } = await import('../play/games_dialog.js');
    showGames(this.game.id, (game) => {
      this.#forgetAddress();
      this.game.open(game);
    });
  }

  /** The address names another game than the one played now. */
  #forgetAddress() {
    if (window.location.search) window.history.replaceState(null, '', '/');
  }
}
