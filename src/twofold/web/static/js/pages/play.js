/** Play: a game by hand, with help at hand. */

import { toast } from '../announce.js';
import { BoardView } from '../board.js';
import { copyText } from '../copying.js';
import { h, part, render } from '../dom.js';
import { listenKeys, releaseFocusAfterPointer } from '../keys.js';
import { analysisLink } from '../links.js';
import { remember, remembered } from '../memory.js';
import { net } from '../net.js';
import { movePad } from '../pads.js';
import { isFinished, LiveGame } from '../play/live_game.js';
import { Milestones, Narrator } from '../play/narrator.js';
import { Celebration, Overlay } from '../play/overlay.js';
import { describeRules, formOf, ORIGINAL } from '../play/rules_text.js';
import { controlsView, factsView, headView, todayView } from '../play/views.js';
import { settings } from '../settings.js';
import { listenSwipes } from '../swipe.js';
import { number, text } from '../text.js';

const TAB_KEY = 'twofold.game';
const WON_KEY = 'twofold.won'; // the game whose goal was just reached
const TICK_MS = 500;
const FLOAT_MS = 600;
const FLOAT = [{ transform: 'none', opacity: 1 }, { transform: 'translateY(-0.75rem)', opacity: 0 }];
const STILL = window.matchMedia('(prefers-reduced-motion: reduce)');

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
  #overlay = new Overlay();
  #celebration = new Celebration();
  #narrator = new Narrator();
  #milestones = new Milestones();
  #befores = new Map(); // of a game begun here, the id of the game before it
  #beside = null; // help, ending, clock, sounds and time trial, once they are loaded
  #shown = ''; // the game
  #told = {}; // game and move number where it was said that it counts as played by hand no more
  #unsay = () => {}; // takes the message of the last new game away
  #offers = {};
  #isClosed = false;
  #offs = [];

  constructor(root, context) {
    this.#context = context;
    this.root = root;
    this.gain = part(h('span', { class: 'score-gain number', 'aria-hidden': 'true', hidden: true }));
    this.holder = part(h('div', { class: 'board-holder' }, this.#board.element, this.#overlay.element, this.#celebration.element));
    this.pad = part(movePad((letter) => this.game.move(letter)));
    this.game = new LiveGame({
      state: (state) => this.#onState(state),
      step: (step) => this.#onStep(step),
      frame: ({ now }) => this.#onFrame(now),
      ended: (ended) => this.#onEnded(ended),
      hinted: (before) => this.#onHinted(before),
      sending: (letter) => this.#board.begin(letter),
      illegal: (letter) => this.#narrator.illegal(letter),
      trouble: (words) => toast(words),
      waiting: () => this.#draw(),
      back: (back) => this.#onBack(back),
    });
    this.#draw();
    this.#listen(root);
  }

  /** Open the game of the address, of this tab, or the one played last. */
  async start() {
    this.#board.setSpeed(settings.get('speed'));
    const asked = this.#context.params.get('game');
    const opened = this.game.open(asked || remembered(TAB_KEY));
    const { Beside } = await import('../play/beside.js');
    if (this.#isClosed) return;
    this.#beside = new Beside(this.game, this.#overlay, {
      hinted: () => this.#showHint(), keepGoing: () => this.#keepGoing(),
      newGame: () => this.#newGame() });
    this.#update();
    await opened;
    if (asked && this.game.id && this.game.id !== asked) window.history.replaceState(null, '', '/');
    this.#loadOffers();
  }

  close() {
    this.#isClosed = true;
    for (const off of this.#offs) off();
    this.#beside?.close();
    this.game.close();
  }

  // ---- what is shown

  #listen(root) {
    const [undo, redo] = [() => this.#undo(), () => this.game.redo()];
    const best = () => this.#enter();
    const commands = {
      u: undo, 'ctrl+z': undo, y: redo, 'ctrl+y': redo, 'ctrl+shift+z': redo,
      n: () => this.#newGame(), p: () => this.#beside?.help.auto(), i: () => this.#toggleHints(),
      Enter: best, Space: best, c: () => this.#copy(), 'shift+a': () => this.#analyse(),
      b: () => this.#narrator.board(this.#board.tiles, this.#board.cols),
    };
    const timer = setInterval(() => settings.get('clock') && this.#draw(), TICK_MS);
    this.#offs = [
      listenKeys({ move: (letter, event) => this.game.move(letter, event.repeat), commands }),
      listenSwipes(root.querySelector('.play-area'), (letter) => this.game.move(letter)),
      releaseFocusAfterPointer(root),
      () => clearInterval(timer),
      settings.on('speed', (speed) => this.#board.setSpeed(speed)),
      ...['hints', 'clock', 'pad'].map((name) => settings.on(name, () => this.#draw())),
    ];
  }

  /** Show all but the board as the game is now. */
  #draw() {
    if (this.#isClosed) return;
    const { now, state } = this.game;
    const { help, ending, trial, clock } = this.#beside ?? {};
    const { rows = 4, cols = 4 } = state?.rules ?? {};
    const isOver = Boolean(now && isFinished(now));
    render(this.root, h('div', { class: 'columns play' },
      h('div', { class: 'stack' },
        h('div', { class: 'play-area stack' },
          h('div', { class: 'play-head row' }, headView(state, now)),
          this.gain,
          h('div', { class: 'row controls', role: 'group', 'aria-label': text('play.controls') },
            controlsView(state, now, { isUndoable: Boolean(now?.can_undo || this.#hasBefore), help: help?.buttons(true),
              newGame: () => this.#newGame(), rules: () => this.#askRules(), games: () => this.#showGames(),
              undo: () => this.#undo(), redo: () => this.game.redo(), hints: () => this.#toggleHints() })),
          trial?.element,
          h('div', { class: 'board-place', style: { '--rows': rows, '--cols': cols } }, help?.bar.element, this.holder),
          h('p', { class: `play-line ${net.state === 'open' ? '' : 'warn'}`, role: 'status', text: this.#lineText(now) })),
        settings.get('pad') && this.pad,
        todayView(this.#offers, this.game)),
      h('div', { class: 'stack wide play-side' },
        !isOver && help?.element, isOver && ending?.element,
        now && h('section', { class: 'card stack', 'aria-labelledby': 'facts-title' }, factsView(state, now, {
          clock: settings.get('clock') && clock?.show(now),
          takeBack: this.#canTakeBack(now) && (() => this.#takeBackHelp()),
          share: () => this.#share() })))));
  }

  #lineText(now) {
    const { waiting } = this.game;
    if (waiting && net.state !== 'open') return text('play.waiting', { count: waiting });
    return now && now.move_number > 0 ? '' : text('play.how');
  }

  /** The position has changed. */
  #update() {
    this.#draw();
    const { now, state } = this.game;
    if (!now) return;
    if (now.move_number > state.first) this.#unsay();
    const isOver = isFinished(now);
    if (this.#beside) {
      const { help, ending } = this.#beside;
      if (isOver) ending.show();
      else ending.hide();
      help.update();
    }
  }

  #showHint() {
    this.#board.arrow(this.#overlay.isShown ? '' : this.#beside?.help.hint ?? '');
  }

  #showGain(points) {
    const speed = settings.get('speed');
    if (!points || !speed || STILL.matches) return;
    const score = this.root.querySelector('.score');
    this.gain.style.left = `${score.offsetLeft + score.offsetWidth / 2}px`;
    this.gain.style.top = `${score.offsetTop}px`;
    this.gain.textContent = `+${number(points)}`;
    this.gain.hidden = false;
    this.floating?.cancel();
    this.floating = this.gain.animate(FLOAT, { duration: FLOAT_MS / speed, easing: 'ease-in' });
    this.floating.onfinish = () => { this.gain.hidden = true; };
  }

  /** What else there is to do today; it changes where another game is played, or this one has ended. */
  async #loadOffers() {
    const [daily, { games }] = await Promise.all(
      [net.get('/api/daily'), net.get('/api/game-list?count=5')]).catch(() => [null, { games: [] }]);
    this.#offers = { daily, games };
    this.#draw();
  }

  // ---- what happens in the game

  #onState(state) {
    const { rules, now } = state;
    const fits = this.#board.rows === rules.rows && this.#board.cols === rules.cols;
    if (!fits) this.#board.resize(rules.rows, rules.cols);
    this.#board.setLabel(text('play.board', { rules: describeRules(rules) }));
    this.#board.show(now.tiles, { animate: now.move_number === 0 });
    this.game.blocked = false;
    this.#overlay.hide();
    if (state.was) this.#rename(state.was, state.game);
    else if (this.#shown && this.#shown !== state.game) this.#loadOffers();
    this.#shown = state.game;
    this.#beside?.state(state);
    this.#update();
    if (!this.game.isCatchingUp) this.#narrator.state(state);
    remember(TAB_KEY, state.game);
    if (state.note) toast(text(`play.note_${state.note}`));
    if (isFinished(now)) this.#showOver(now);
    else if (now.status === 'won' && remembered(WON_KEY) === state.game) this.#showWon(now);
  }

  #onStep(step) {
    const { before } = this.game;
    const first = this.#milestones.of(this.game.state, before, step).join(' ');
    this.#board.step(step);
    this.#showGain(step.reward);
    if (this.#overlay.isShown) this.#keepGoing();
    this.#beside?.step(step, Boolean(first));
    this.#update();
    this.#tellHelped(before, step.now);
    if (first) this.#celebration.show(first);
    if (isFinished(step.now)) this.#showOver(step.now, first);
    else if (step.goal_reached) this.#onGoal(step.now, first);
    else if (!this.game.isCatchingUp) this.#narrator.step(step, this.#board.cols, first);
  }

  #onFrame(now) {
    const { before } = this.game;
    this.#board.show(now.tiles);
    this.#update();
    this.#tellHelped(before, now);
    this.#narrator.progress(now);
  }

  #onEnded({ reason, now, message }) {
    this.#board.show(now.tiles);
    this.#update();
    if (reason === 'failed') toast(message);
    if (isFinished(now)) this.#showOver(now);
  }

  #onHinted(before) {
    this.#draw(); // with this hint
    this.#tellHelped(before, this.game.now);
  }

  /** A game that was played by hand counts so no more: say it once, and offer to take it back. */
  #tellHelped(before, now) {
    const { id, state } = this.game;
    const isLost = before.kind === 'hand' && now.kind !== 'hand' && before.move_number > state.first;
    if (!isLost || this.#told.id === id) return;
    this.#told = { id, number: now.move_number };
    this.#draw(); // with the button, which stays longer
    toast(text(`play.now_${now.kind}`), { text: text('play.take_back'), run: () => this.#takeBackHelp(id) });
  }

  /** Whether what keeps the game from counting as played by hand can be taken back: a hint until the next move. */
  #canTakeBack({ kind, can_undo: canUndo, move_number: number }) {
    const { id, number: told } = this.#told;
    return kind === 'player' ? canUndo : kind === 'helped' && id === this.game.id && told === number;
  }

  #takeBackHelp(id = this.game.id) {
    if (this.game.id !== id) return;
    if (this.game.now.kind === 'helped') settings.set('hints', false);
    this.game.takeBack();
    this.#told = {};
  }

  /** The moves that waited are made: what the loss has meant, and where the game stands now. */
  #onBack({ isBehind, isStopped }) {
    const words = [isBehind && text('play.behind'), isStopped && text('play.stopped')]
      .filter(Boolean).join(' ');
    if (words) toast(words);
    this.#narrator.back(words, this.game.state, this.game.now);
    this.#update();
  }

  /** The goal is there: a person is asked whether to go on, a player goes on. */
  #onGoal(now, first) {
    const { goal } = this.game.state.rules;
    this.#narrator.won(goal, first);
    if (this.game.isAuto) return void toast(text('play.won_by_player', { goal: String(goal) }));
    this.#showWon(now);
    this.#beside?.ending.figures().then((figures) => {
      const words = text('play.first_streak', { count: figures?.streak, goal: String(goal) });
      if (figures?.streak > 1) this.#celebration.show([first, words].filter(Boolean).join(' '));
      if (figures?.streak > 1) this.#narrator.won(goal, words);
    });
  }

  #showWon(now) {
    this.game.block();
    this.#board.arrow('');
    remember(WON_KEY, this.game.id);
    this.#overlay.won(this.game.state, now,
      { keepGoing: () => this.#keepGoing(), newGame: () => this.#newGame() });
  }

  #showOver(now, first = '') {
    if (this.#overlay.isShown) return;
    this.#loadOffers();
    this.#narrator.over(this.game.state, now, first);
    this.#overlay.over(this.game.state, now,
      { undo: () => this.#undo(), newGame: () => this.#newGame() });
  }

  #keepGoing() {
    this.game.blocked = false;
    remember(WON_KEY, '');
    this.#overlay.hide();
    this.#beside?.help.update();
  }

  // ---- what a person does

  #enter() {
    if (this.game.blocked) this.#keepGoing();
    else if (settings.get('hints')) this.#beside?.help.best();
  }

  #toggleHints() {
    if (this.game.state?.daily) toast(text('daily.play_note'));
    else settings.set('hints', !settings.get('hints'));
  }

  #copy() {
    copyText(this.game.now.board, text('analyse.copied'), text('analyse.not_copied'));
  }

  async #share() {
    const { showSharing } = await import('../sharing/dialog.js');
    const { id, state: { first, rules: { rows, cols } }, now: { board, score, move_number: move } } = this.game;
    showSharing({ board, rows, cols, score, move, game: { id, first, last: move, at: move } });
  }

  #analyse() {
    const { id, now } = this.game;
    if (now) this.#context.navigate(analysisLink({ game: id, move: now.move_number }));
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
    this.#befores.set(begun, before);
    this.#draw();
    const run = () => this.game.id === begun && this.#takeBack();
    this.#unsay = toast(text('play.new_done'), { text: text('play.undo'), run });
  }

  /** Take the last move back; before the first one, have the game before back. */
  #undo() {
    if (this.#hasBefore) this.#takeBack();
    else this.game.undo();
  }

  get #hasBefore() {
    return this.game.isUnplayed && this.#befores.has(this.game.id);
  }

  /** The game before comes back; this one is forgotten if nothing has happened in it. */
  #takeBack() {
    this.#unsay();
    return this.game.open(this.#befores.get(this.game.id), { unplayed: true });
  }

  /** Another program has the file of a game: it goes on under another id. */
  #rename(was, game) {
    if (remembered(WON_KEY) === was) remember(WON_KEY, game);
    if (this.#befores.has(was)) this.#befores.set(game, this.#befores.get(was));
    for (const [begun, id] of this.#befores) if (id === was) this.#befores.set(begun, game);
  }

  async #askRules() {
    const { askNewGame } = await import('../play/new_game.js');
    const { rules } = this.game.state ?? {};
    askNewGame(rules ? formOf(rules) : ORIGINAL, async ({ trial, ...options }) => {
      await this.#begin(options);
      if (trial) this.#beside?.trial.begin(Boolean(options.seed));
    });
  }

  async #showGames() {
    const { openGames } = await import('../games/saved_list.js');
    openGames(this.game.id, (game) => {
      this.#forgetAddress();
      this.game.open(game);
    });
  }

  /** The address names another game than the one played now. */
  #forgetAddress() {
    if (window.location.search) window.history.replaceState(null, '', '/');
  }
}
