/** Play: a game by hand, with help at hand. */

import { clearToasts, toast } from '../announce.js';
import { BoardView } from '../board.js';
import { copyText, movePad } from '../controls.js';
import { h, part, render } from '../dom.js';
import { describeRules } from '../games/words.js';
import { analysisLink } from '../links.js';
import { listenKeys, listenSwipes, releaseFocusAfterPointer } from '../moves.js';
import { net } from '../net.js';
import { isFinished, LiveGame } from '../play/live_game.js';
import { Milestones, Narrator } from '../play/narrator.js';
import { controlsView, factsView, headView, Overlay, todayView } from '../play/views.js';
import { remember, remembered, settings } from '../settings.js';
import { number, text } from '../text.js';

const TAB_KEY = 'twofold.game';
const WON_KEY = 'twofold.won'; // the game whose goal was just reached
const FLOAT_MS = 600;
const FLOAT = [{ transform: 'none', opacity: 1 }, { transform: 'translateY(-0.75rem)', opacity: 0 }];
const STILL = window.matchMedia('(prefers-reduced-motion: reduce)');

/**
 * @param {HTMLElement} root
 * @param {object} context as of main.js
 */
export function mount(root, context) {
  new PlayPage(root, context).start();
}

class PlayPage {
  #context;
  #board = new BoardView();
  #overlay = new Overlay();
  #narrator = new Narrator();
  #milestones = new Milestones();
  #befores = new Map(); // of a game begun here, the id of the game before it
  #help = null; // loaded after the first picture, as is the ending
  #ending = null;
  #shown = ''; // the game
  #told = {}; // game and move number where it was said that it counts as played by hand no more
  #offers = {};

  constructor(root, context) {
    this.#context = context;
    this.root = root;
    this.gain = part(h('span', { class: 'score-gain number', 'aria-hidden': 'true', hidden: true }));
    this.holder = part(h('div', { class: 'board-holder' }, this.#board.element, this.#overlay.element));
    this.pad = part(movePad((letter) => this.game.move(letter)));
    this.game = new LiveGame({
      state: (state) => this.#onState(state),
      step: (step) => this.#onStep(step),
      frame: ({ now }) => this.#onFrame(now),
      ended: (ended) => this.#onEnded(ended),
      hinted: (before) => {
        this.#draw(); // with this hint
        this.#tellHelped(before, this.game.now);
      },
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
    const asked = this.#context.params.get('game');
    const opened = this.game.open(asked || remembered(TAB_KEY) || '');
    const [{ HelpPanel }, { Ending }] = await Promise.all([import('../play/help.js'), import('../play/ending.js')]);
    if (this.#context.signal.aborted) return;
    this.#help = new HelpPanel(this.game, {
      hinted: () => this.#board.arrow(this.#overlay.isShown ? '' : this.#help?.hint ?? '') });
    this.#ending = new Ending(this.game, this.#overlay);
    this.#update();
    await opened;
    if (asked && this.game.id && this.game.id !== asked) window.history.replaceState(null, '', '/');
    this.#loadOffers();
  }

  // ---- what is shown

  #listen(root) {
    const [undo, redo] = [() => this.#undo(), () => this.game.step('redo')];
    const best = () => {
      if (this.game.blocked) this.#keepGoing();
      else if (settings.get('hints')) this.#help?.best();
    };
    const commands = {
      u: undo, 'ctrl+z': undo, y: redo, 'ctrl+y': redo, 'ctrl+shift+z': redo,
      n: () => this.#newGame(), p: () => this.#help?.auto(), i: () => this.#toggleHints(),
      Enter: best, Space: best, c: () => copyText(this.game.now.board),
      'shift+a': () => this.game.now && this.#context.navigate(analysisLink({ game: this.game.id, move: this.game.now.move_number })),
      b: () => this.#narrator.board(this.#board.tiles, this.#board.cols),
    };
    listenKeys({ move: (letter, event) => this.game.move(letter, event.repeat), commands });
    listenSwipes(root.querySelector('.play-area'), (letter) => this.game.move(letter));
    releaseFocusAfterPointer(root);
    for (const name of ['hints', 'pad']) settings.on(name, () => this.#draw());
  }

  /** Show all but the board as the game is now. */
  #draw() {
    const { now, state } = this.game;
    const help = this.#help;
    const { rows = 4, cols = 4 } = state?.rules ?? {};
    const isOver = Boolean(now && isFinished(now));
    const isCut = this.game.isPending && net.isAway;
    const count = this.game.waitingMoves;
    const line = isCut ? text(count ? 'play.waiting' : 'play.waiting_else', { count })
      : now && now.move_number > 0 ? '' : text('play.how');
    render(this.root, h('div', { class: 'columns play' },
      h('div', { class: 'stack' },
        h('div', { class: 'play-area stack' },
          h('div', { class: 'play-head row' }, headView(state, now)),
          this.gain,
          h('div', { class: 'row controls', role: 'group', 'aria-label': text('play.controls') },
            controlsView(state, now, { isUndoable: Boolean(now?.can_undo || this.#hasBefore), help: help?.buttons(true),
              newGame: () => this.#newGame(), rules: async () => {
                const { askNewGame } = await import('../play/new_game.js');
                askNewGame(state?.rules, (options) => this.#begin(options));
              },
              undo: () => this.#undo(), redo: () => this.game.step('redo'), hints: () => this.#toggleHints() })),
          h('div', { class: 'board-place', style: { '--rows': rows, '--cols': cols } }, help?.bar.element, this.holder),
          h('p', { class: `play-line ${isCut ? 'warn' : ''}`, role: 'status', text: line })),
        settings.get('pad') && this.pad,
        todayView(this.#offers, this.game)),
      h('div', { class: 'stack wide play-side' },
        isOver ? this.#ending?.element : help?.element,
        now && h('section', { class: 'card stack', 'aria-labelledby': 'facts-title' }, factsView(state, now, {
          takeBack: this.#canTakeBack(now) && (() => this.#takeBackHelp()), share: () => this.#share() })))));
  }

  /** The position has changed. */
  #update() {
    this.#draw();
    const { now, state } = this.game;
    if (!now) return;
    if (isFinished(now)) this.#ending?.show();
    else this.#ending?.hide();
    this.#help?.update();
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
    clearToasts(); // about another position
    this.#board.setLabel(text('play.board', { rules: describeRules(rules) }));
    this.#board.show(now.tiles, { rows: rules.rows, cols: rules.cols, animate: now.move_number === 0 });
    this.game.blocked = false;
    this.#overlay.hide();
    if (state.was) this.#rename(state.was, state.game);
    else if (this.#shown && this.#shown !== state.game) this.#loadOffers();
    this.#shown = state.game;
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
    if (before.move_number === this.game.state.first) clearToasts(); // one moves on in the new game
    this.#board.step(step);
    this.#showGain(step.reward);
    if (this.#overlay.isShown) this.#keepGoing();
    this.#update();
    this.#tellHelped(before, step.now);
    if (first) toast(first);
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
    this.game.step('take_back');
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
    this.#ending?.figures().then((figures) => {
      const words = text('play.first_streak', { count: figures?.streak, goal: String(goal) });
      if (figures?.streak > 1) toast([first, words].filter(Boolean).join(' '));
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
    this.#help?.update();
  }

  // ---- what a person does

  #toggleHints() {
    if (this.game.state?.daily) toast(text('daily.play_note'));
    else settings.set('hints', !settings.get('hints'));
  }

  async #share() {
    const { showSharing } = await import('../sharing.js');
    const { id, state: { first, rules: { rows, cols } }, now: { board, score, move_number: move } } = this.game;
    showSharing({ board, rows, cols, score, move, game: { id, first, last: move, at: move } });
  }

  async #newGame() {
    const { rules } = this.game.state ?? {};
    await this.#begin({ rules: rules?.text ?? '' }).catch((error) => toast(error.message));
  }

  /** Begin a game; the one before can be had back with one click. */
  async #begin(options) {
    const before = this.game.id;
    await this.game.begin(options);
    if (window.location.search) window.history.replaceState(null, '', '/'); // which names another game
    const begun = this.game.id;
    if (!before || begun === before) return;
    this.#befores.set(begun, before);
    this.#draw();
    const run = () => this.game.id === begun && this.#takeBack();
    toast(text('play.new_done'), { text: text('play.undo'), run });
  }

  /** Take the last move back; before the first one, have the game before back. */
  #undo() {
    if (this.#hasBefore) this.#takeBack();
    else this.game.step('undo');
  }

  get #hasBefore() {
    return this.game.isUnplayed && this.#befores.has(this.game.id);
  }

  /** The game before comes back; this one is forgotten if nothing has happened in it. */
  #takeBack() {
    return this.game.open(this.#befores.get(this.game.id), { unplayed: true });
  }

  /** Another program has the file of a game: it goes on under another id. */
  #rename(was, game) {
    if (remembered(WON_KEY) === was) remember(WON_KEY, game);
    if (this.#befores.has(was)) this.#befores.set(game, this.#befores.get(was));
    for (const [begun, id] of this.#befores) if (id === was) this.#befores.set(begun, game);
  }
}
