/** The desk: a tree of positions, what a player thinks of them, and the keys that walk through. */

import { gradeMark, gradeName } from '../analysis_texts.js';
import { AnalysisView } from '../analysis_view.js';
import { announce, toast } from '../announce.js';
import { copyMenu, copyText } from '../copying.js';
import { describeKeys } from '../dialog.js';
import { button, h, icon, part, render } from '../dom.js';
import { timeText } from '../games/words.js';
import { listenKeys, releaseFocusAfterPointer } from '../keys.js';
import { analysisLink, readable } from '../links.js';
import { moveName } from '../moves.js';
import { net } from '../net.js';
import { formatBoard } from '../notation.js';
import { playerName, playerNames } from '../player_names.js';
import { LimitField, PlayerPicker } from '../player_picker.js';
import { shareLink } from '../share.js';
import { legalMoves } from '../slides.js';
import { number, sentence, text } from '../text.js';
import { BoardPanel } from './board_panel.js';
import { Graph } from './graph.js';
import { asAnalysis, isMistake, judgeNotes, Judging, rankedIn, verdictBy, verdictOf } from './judging.js';
import { Live } from './live.js';
import { MoveList } from './move_list.js';
import { OutcomesView } from './outcomes_view.js';
import { Quiz } from './quiz.js';
import { Setup } from './setup.js';
import { figures, grades } from './summary.js';
import { History, Position, Tree } from './tree.js';
import { Walk } from './walk.js';

/** Names of this machine for itself, at which nobody else reaches the server. */
const LOOPBACK = /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/;

const JUMP = 10;

/** A place that one only passes has no address. */
const REST_MS = 150;

describeKeys('analyse', {
  step: '← →', jump: 'Page Up|Page Down', ends: 'Home|End', line: '↑ ↓', move: 'Shift ← ↑ → ↓|W A S D',
  next: 'N', previous: 'P', play: 'Space', live: 'E', learn: 'L', remove: 'Delete', setup: 'B',
  cursor: '← ↑ → ↓', tile: '1 – 9|A – Z', change: '+|-', clear: '0|Delete', back: 'Ctrl Z',
  forward: 'Ctrl Y', help: '?',
});

/** One desk; `take` puts a tree on it. */
export class Desk {
  #history = new History();
  #isLive = true; // whether each position shown is analysed; else only judgements are shown

  /**
   * @param {object} page
   * @param {(path: string) => void} page.navigate
   * @param {(words: string) => void} page.title
   * @param {HTMLElement} page.chooser shown beside a board without a game
   * @param {() => void} page.onOpen called to open another game
   */
  constructor({ navigate, title, chooser, onOpen }) {
    Object.assign(this, { navigate, title, onOpen });
    this.walk = new Walk([], () => this.show());
    this.panel = new BoardPanel(this.walk, {
      onMove: (letter) => this.play(letter),
      onEdit: (tiles, group) => this.#edit(tiles, group),
      onCell: (cell) => this.#respawn(cell),
    });
    this.setup = new Setup(this.panel.editor, {
      onBoard: (board, score = null) => this.takeBoard(board, score),
      onScore: (score) => { this.walk.position.score = score; this.show(); },
      onStep: (step) => this.#undo(step),
    });
    this.moves = new MoveList({
      onPick: (position) => this.#go(position.parent, position),
      onEnd: (position) => this.#go(position),
      onRemove: (position) => this.#remove(position),
    });
    this.analysis = new AnalysisView({
      announce: true,
      onMove: (letter) => this.play(letter),
      onLine: (steps) => this.#playLine(steps),
      onPreview: (steps) => this.#preview(steps),
      gradeOf: (letter) => (this.#judgement?.move === letter ? this.#judgement.grade : ''), // one grade
    });
    this.picker = new PlayerPicker({ onPick: () => this.#pickPlayer() });
    this.limit = new LimitField(() => this.#pickPlayer(), () => this.picker.spec);
    this.outcomes = new OutcomesView();
    this.live = new Live({
      show: (reply) => { this.reply = reply; this.show(); },
      outcomes: (reply) => this.outcomes.show(reply),
      refuse: (message) => this.refuse(message),
    });
    this.chooser = chooser;
    this.graphCard = part(h('section', { class: 'card analysis-graph', 'aria-label': text('review.graph') }));
    this.figures = part(h('section', { class: 'card review-summary', 'aria-label': text('review.summary') }));
    this.labels = part(h('section', { class: 'card review-labels stack', 'aria-label': text('review.labels') }));
    this.judge = part(h('div', { class: 'stack tight' }));
    this.element = h('div', { class: 'analysis-page' });
    this.offs = [this.#listenKeys(), releaseFocusAfterPointer(this.element)];
  }

  get #game() {
    return this.tree.game;
  }

  /** The judgement of the game's move at the position shown. */
  get #judgement() {
    const { position } = this.walk;
    return position.isOfGame ? this.judging?.judgements[position.number - this.#game.first] : undefined;
  }

  // ---- what is on the desk

  /**
   * Put a tree on the desk.
   *
   * @param {Tree} tree
   * @param {object} [at]
   * @param {Position} [at.position] to show
   * @param {string} [at.group] see `History`
   */
  take(tree, { position = tree.root, group = '' } = {}) {
    this.#leave();
    this.entry = { tree, line: tree.lineOf(position) };
    this.entry.place = this.entry.line.indexOf(position);
    this.#history.add(this.entry, group);
    this.#enter();
  }

  /**
   * Put a board on the desk, as a position without a game.
   *
   * @param {string} board its text
   * @param {number|null} [score] null for that of the same board, where it is shown
   * @param {string} [group]
   */
  takeBoard(board, score = null, group = '') {
    const shown = this.tree && this.walk.position.board === board ? this.walk.position.score : null;
    this.take(new Tree(new Position(board, { score: score ?? shown })), { group });
  }

  #edit(tiles, group) {
    const { rows, cols, score } = this.walk.position;
    const board = formatBoard(tiles, rows, cols);
    this.take(new Tree(new Position(board, { score })), { group });
  }

  #undo(step) {
    if (step < 0 ? !this.#history.canBack : !this.#history.canForward) return;
    this.#leave();
    this.entry = this.#history.go(step);
    this.#enter();
  }

  #leave() {
    if (!this.entry) return;
    this.#closeQuiz();
    Object.assign(this.entry, { line: this.walk.line, place: this.walk.place });
  }

  #enter() {
    const { tree, line, place } = this.entry;
    this.tree = tree;
    if (tree.game !== (this.judging?.game ?? null)) this.#judgeGame(tree.game);
    this.title(text(tree.game ? 'review.page_title' : 'nav.analyse', { score: tree.game?.score }));
    this.#showJudging();
    this.walk.go(place, line);
  }

  /** Have a game judged, or none. */
  #judgeGame(game) {
    this.judging?.close();
    this.graph?.close();
    this.judging = this.graph = null;
    if (!game?.last) return;
    this.judging = new Judging(game, () => this.#judged());
    this.graph = new Graph(game, this.judging, (place) => this.#go(this.tree.main[place]));
    render(this.graphCard, this.graph.element);
    this.judging.place = this.entry.line[this.entry.place].number - game.first;
    this.judging.start(this.picker.picked, this.limit.request.ply ?? null);
  }

  #judged() {
    this.graph.draw();
    this.#showJudging();
    this.show();
  }

  #pickPlayer() {
    const { request } = this.limit;
    this.judging?.start(this.picker.picked, request.ply ?? null);
    this.show();
  }

  // ---- walking and trying moves

  /** Show a position, in the line through it and the one after it. */
  #go(position, next = position) {
    if (this.quiz) return;
    const line = this.tree.lineOf(next);
    this.walk.go(line.indexOf(position), line);
  }

  /** Another move or new tile that was tried at the position shown, or before it. */
  #line(step) {
    const { position, next } = this.walk;
    const begin = next?.parent.children.length > 1 ? next : position;
    const children = begin.parent?.children ?? [];
    const other = children.at((children.indexOf(begin) + step) % children.length);
    if (other && other !== begin) this.#go(begin === next ? position : other, other);
  }

  /** Play a move at the position shown: the game's own goes on in the game. */
  play(letter) {
    if (this.quiz) return void this.quiz.choose(letter);
    const { position, next } = this.walk;
    const found = next?.move === letter ? next : this.tree.play(position, letter);
    if (!found) return;
    announce(moveName(letter));
    this.#go(found);
  }

  /** The new tile of the move before, in another cell: a 2, and there again a 4. */
  #respawn(cell) {
    const { position } = this.walk;
    const { step } = position;
    if (this.quiz || !step || step.after[cell]) return;
    const tile = cell === step.cell && step.tile === 2 ? 4 : 2;
    this.#go(this.tree.respawn(position, cell, tile));
  }

  #remove(position = this.walk.next ?? this.walk.position) {
    if (this.quiz || position.isOfGame || !position.parent) return;
    this.tree.remove(position);
    this.#go(position.parent);
  }

  #playLine(steps) {
    const end = this.#along(steps);
    if (end) this.#go(end);
  }

  #preview(steps) {
    const at = steps ? this.#along(steps, new Tree(new Position(this.walk.position.board))) : null;
    if (!at) return void this.#redraw();
    this.panel.showOther(at.tiles, true);
    this.previewed = steps;
    this.#draw();
  }

  /** The position after some steps of the line of best play; null where it leaves the board. */
  #along(steps, tree = null) {
    if (this.reply?.board !== this.walk.position.board) return null;
    return (tree ?? this.tree).follow(tree ? tree.root : this.walk.position, this.reply.line.slice(0, steps));
  }

  /** Go to the next move of some grades. */
  #next(direction, wanted = isMistake) {
    if (this.quiz || !this.judging) return;
    const here = this.walk.line.findLastIndex((one, place) => one.isOfGame && place <= this.walk.place);
    const place = this.judging.find(here, direction, wanted);
    if (place >= 0) {
      this.#go(this.tree.main[place]);
      this.#reveal();
    } else toast(text(this.judging.isGoing ? 'review.none_yet' : 'review.none'));
  }

  // ---- the quiz

  #learn() {
    if (this.quiz || !this.judging?.mistakes().length) return;
    this.#setUp(false);
    this.walk.go(this.walk.place, this.tree.main);
    this.quiz = new Quiz(this.judging, {
      onAsk: (place) => { this.walk.go(place); this.#redraw(); },
      onMove: (letter) => this.panel.showOther(this.walk.position.slide(letter).tiles),
      onClose: () => { this.#closeQuiz(); this.labels.querySelector('.primary').focus({ preventScroll: true }); },
    });
    this.quiz.next();
    this.quiz.element.querySelector('button:enabled').focus({ preventScroll: true });
    this.#reveal();
  }

  /** Scroll to the board, where it is not in sight. */
  #reveal() {
    const { top, bottom } = this.panel.frame.getBoundingClientRect();
    if (top < 0 || bottom > window.innerHeight) this.panel.frame.scrollIntoView({ block: 'start' });
  }

  #closeQuiz() {
    if (!this.quiz) return;
    this.quiz = null;
    this.#redraw();
  }

  // ---- what is shown

  /**
   * Say why there is no analysis.
   *
   * @param {string} message
   */
  refuse(message) {
    this.note = message;
    this.show();
  }

  /** Show the position again, which was left for a preview or an answer. */
  #redraw() {
    this.panel.shown = null;
    this.show();
  }

  #setUp(isOn) {
    this.panel.editor.setEditing(isOn);
    this.setup.pick(null);
    if (this.entry) this.show();
  }

  /** Show where one is and what is known. */
  show() {
    const { position, isPlaying } = this.walk;
    const isNew = position !== this.at;
    this.at = position;
    this.previewed = 0;
    if (isNew) this.note = '';
    this.legal = legalMoves(position.tiles, position.rows, position.cols);
    this.panel.show();
    if (this.panel.editor.isEditing) this.setup.show(position, this.#history);
    this.picker.setShape(position.rows, position.cols);
    this.limit.fit();
    this.#ask();
    this.#draw();
    this.moves.show(this.tree, this.walk, (one) => this.#gradeOf(one));
    if (position.isOfGame) {
      this.graph?.setPlace(position.number - this.#game.first);
      if (isNew && !isPlaying) this.judging?.look(position.number - this.#game.first);
    }
    if (isNew && !isPlaying && !this.quiz) announce(this.words);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      window.history.replaceState(window.history.state, '', this.#address());
      this.tree.keep();
    }, REST_MS);
  }

  #draw() {
    const { panel, quiz, judging, walk } = this;
    const isSetup = panel.editor.isEditing;
    const reply = this.#showValues();
    const states = { 'is-quiz': quiz, 'is-setup': isSetup, 'has-game': this.#game, 'is-judged': judging, 'has-moves': walk.last > 0 };
    this.element.className = ['analysis-page', ...Object.keys(states).filter((name) => states[name])].join(' ');
    this.#showMoves(reply, walk.next);
    render(this.element,
      h('div', { key: 'head', class: 'analysis-head row apart' }, this.#head()),
      h('section', { key: 'board', class: 'analysis-board stack near', 'aria-label': text('analyse.position') }, panel.element, panel.controls,
        isSetup ? this.setup.element : !quiz && h('p', { class: 'analysis-hint soft small', role: 'status',
          text: this.previewed ? text('analyse.preview', { count: this.previewed }) : text('analyse.try_hint') })),
      quiz ? h('div', { key: 'quiz', class: 'analysis-quiz' }, quiz.element) : [
        h('section', { key: 'move', class: 'card analysis-move', 'aria-label': text('review.this_move') },
          this.#verdict(reply, walk.next), this.analysis.element),
        h('div', { key: 'side', class: 'analysis-side stack' },
          walk.last > 0 ? this.moves.element : !this.#game && this.chooser,
          h('section', { class: 'analysis-asked', 'aria-label': text('analyse.asked') },
            this.picker.element, this.limit.element, this.judge),
          this.outcomes.element),
        judging && [this.graphCard, this.figures, this.labels]]);
  }

  #gradeOf({ isOfGame, parent, number: made }) {
    return isOfGame && parent ? this.judging?.judgements[made - 1 - this.#game.first]?.grade : null;
  }

  #address() {
    const about = { player: this.picker.picked, limit: this.limit.value };
    const way = this.tree.wayTo(this.walk.position);
    if (this.#game) return analysisLink({ game: this.#game.id, ...way, ...about });
    const { board, score } = this.tree.root;
    return analysisLink({ board, line: way.line, score: String(score ?? ''), ...about });
  }

  #ask() {
    const { position, isPlaying } = this.walk;
    if (this.quiz || isPlaying || !this.legal || !this.#isLive) {
      this.live.stop(!this.judging?.isGoing);
      return;
    }
    this.live.ask({ board: position.board, rules: this.#game?.rules ?? '',
      score: String(position.score ?? ''), ...this.limit.request,
      player: this.picker.picked || this.judging?.judge || '' });
  }

  /** @returns {object|null} the analysis that is shown: the live one, else the judgement */
  #showValues() {
    const { position } = this.walk;
    const judgement = this.#judgement;
    const isAnswered = this.#isLive && this.reply?.board === position.board;
    const reply = isAnswered ? this.reply : judgement && asAnalysis(judgement, position, this.#game.rules);
    const shown = isAnswered ? reply : judgement;
    const isNew = shown !== this.shown || judgement !== this.judgement;
    if (this.note) this.analysis.clear(this.note);
    else if (!this.legal) {
      const isEmpty = !position.tiles.some(Boolean);
      this.analysis.clear(text(isEmpty ? 'analyse.empty' : 'analyse.over'));
    } else if (shown && isNew) this.analysis.show(reply);
    else if (!shown && this.#isLive) this.analysis.wait();
    else if (!shown) this.analysis.clear(text('review.no_values'));
    Object.assign(this, { shown, judgement });
    const hasReply = this.legal && !this.note && reply;
    this.panel.bar.show(hasReply ? reply : null);
    if (isAnswered && reply.outcomes) this.outcomes.expect(reply.board);
    else if (isAnswered || !this.legal || this.note) this.outcomes.clear();
    return hasReply ? reply : null;
  }

  #verdict(reply, next) {
    const { position } = this.walk;
    const isOwn = next?.isOfGame;
    const one = isOwn ? this.#judgement : undefined;
    const place = position.number - (this.#game?.first ?? 0);
    const by = isOwn && this.#game.isHelped(place) ? `${text('review.autoplay')} ` : '';
    const comment = position.isOfGame && this.#game.comments.get(place);
    const isEnd = !next && position.isOfGame;
    const heading = next ? text('review.move', { move: position.number + 1 })
      : text(isEnd && this.walk.last ? 'review.end' : 'analyse.position');
    const label = one && sentence(gradeName(one.grade)) + text('all.full_stop');
    const words = by + this.#words(one, reply, next);
    const shown = reply?.moves.find(({ move }) => move === next?.move)?.label;
    const isOther = one && shown && shown !== one.grade;
    this.words = [heading, label, words].filter(Boolean).join(' ');
    return [
      h('div', { class: 'row apart' },
        h('h2', { class: 'analysis-heading number', text: heading }),
        h('label', { class: 'check small' }, h('input', { type: 'checkbox', class: 'switch',
          role: 'switch', checked: this.#isLive, onchange: () => this.#toggleLive() }),
        text('review.live'))),
      (next || isEnd || this.walk.last > 0) && h('p', { class: 'analysis-words' },
        one && [gradeMark(one.grade), h('strong', { text: label })], words),
      isOther && h('p', { class: 'soft small', text: text('review.judged_by', { player: playerName(this.judging.judge) }) }),
      comment && h('blockquote', { class: 'analysis-comment', text: comment })];
  }

  /** What there is to say of the move at hand, without its label. */
  #words(judgement, reply, next) {
    const { position } = this.walk;
    if (!next && !this.legal) return position.tiles.some(Boolean) ? text('analyse.over') : '';
    if (!next) return position.isOfGame && this.walk.last ? text('review.unfinished') : '';
    if (judgement) return verdictOf(judgement);
    const known = reply && verdictBy(reply, next.move);
    if (known || position.score === null) return known || sentence(moveName(next.move));
    const score = text('play.game_score', { score: position.score });
    return sentence(text('review.not_judged', { move: moveName(next.move), score }));
  }

  #showMoves(reply, next) {
    const isHidden = this.quiz || this.panel.editor.isEditing;
    const [best, second] = reply ? rankedIn(reply) : [];
    const grade = next?.isOfGame ? this.#judgement?.grade : '';
    this.panel.showMoves(isHidden ? { legal: '' } : { legal: this.legal, best, second, made: next?.move, grade });
  }

  #toggleLive() {
    this.#isLive = !this.#isLive;
    this.show();
  }

  #showJudging() {
    const { judging } = this;
    if (!judging) return void render(this.judge);
    render(this.figures, figures(judging, (move) => this.#go(this.tree.main[move - this.#game.first])));
    render(this.labels, grades(judging,
      { onNext: (wanted) => this.#next(1, wanted), onLearn: () => this.#learn() }));
    render(this.judge, judgeNotes(judging, playerName));
  }

  #head() {
    const game = this.#game;
    const isSetup = this.panel.editor.isEditing;
    const { tiles } = this.walk.position;
    return [
      game ? h('div', null, h('h1', { class: 'number', text: text('play.game_score', { score: game.score }) }),
        h('p', { class: 'soft small', title: game.player, text: factsOf(game) }))
        : h('h1', { text: text('nav.analyse') }),
      h('div', { class: 'row analysis-actions' },
        button({ icon: 'play', text: text('analyse.play') }, () => this.#playOn(), {
          class: 'primary', title: text('review.play_on_help'), disabled: !tiles.some(Boolean) }),
        button({ icon: 'edit', text: text('analyse.setup') }, () => this.#setUp(!isSetup), { 'aria-pressed': String(isSetup) }),
        copyMenu(this.walk.position, game ? { game: () => this.#copyGame(game) } : {}),
        button({ icon: 'share', text: text('share.button') }, () => this.#share()),
        game && h('a', { class: 'button', href: `/api/games/${game.id}/record`, download: '' },
          icon('download'), h('span', { class: 'button-text', text: text('play.download') })),
        button({ icon: 'games', text: text('analyse.open') }, this.onOpen)),
    ];
  }

  async #copyGame(game) {
    const answer = await fetch(`/api/games/${game.id}/record`).catch(() => null);
    if (!answer?.ok) return void toast(text('review.share_failed'));
    const { move, line } = this.tree.wayTo(this.walk.position);
    const query = readable(new URLSearchParams(line ? { move, line } : { move }));
    const link = await shareLink(await answer.text(), query);
    const isLocal = LOOPBACK.test(window.location.hostname);
    const done = [text('review.shared', { length: number(link.length) }), isLocal && text('review.shared_local')];
    copyText(link, done.filter(Boolean).join(' '), text('analyse.not_copied'),
      isLocal ? { text: text('share.replay'), run: () => this.#share() } : null);
  }

  // ---- keys, and what leads elsewhere

  #listenKeys() {
    const { walk } = this;
    // Keys that are moves in the quiz and commands outside of it.
    const both = (letter, run) => () => (this.quiz ? this.quiz.choose(letter) : run());
    const outside = (run) => () => { if (!this.quiz) run(); };
    return listenKeys({
      move: (letter) => this.play(letter),
      commands: {
        ArrowLeft: both('l', () => walk.go(walk.place - 1)),
        ArrowRight: both('r', () => walk.go(walk.place + 1)),
        ArrowUp: both('u', () => this.#line(-1)),
        ArrowDown: both('d', () => this.#line(1)),
        PageUp: outside(() => walk.go(walk.place - JUMP)),
        PageDown: outside(() => walk.go(walk.place + JUMP)),
        Home: outside(() => walk.go(0)),
        End: outside(() => walk.go(walk.last)),
        n: () => (this.quiz ? this.quiz.isAsking || this.quiz.next() : this.#next(1)),
        p: () => this.#next(-1),
        Space: outside(() => walk.last && walk.toggle()),
        e: outside(() => this.#toggleLive()),
        l: both('r', () => this.#learn()),
        b: outside(() => this.#setUp(!this.panel.editor.isEditing)),
        Delete: outside(() => this.#remove()),
        'ctrl+z': outside(() => this.#undo(-1)),
        'ctrl+y': outside(() => this.#undo(1)),
        'ctrl+shift+z': outside(() => this.#undo(1)),
      },
    });
  }

  async #share() {
    this.walk.pause();
    const { position } = this.walk;
    const { showSharing } = await import('../sharing/dialog.js');
    const { board, rows, cols, score = null, number: move, isOfGame } = position;
    if (!isOfGame) return void showSharing({ board, rows, cols, score });
    const { id, first, last } = this.#game;
    const at = move > first ? move : first + last;
    showSharing({ board, rows, cols, score, move, game: { id, first, last: first + last, at } });
  }

  async #playOn() {
    this.walk.pause();
    const { board, rows, cols, score, number: move, isOfGame } = this.walk.position;
    const game = this.#game;
    const shape = rows === 4 && cols === 4 ? '' : `${rows}x${cols}`;
    const from = isOfGame && game.last ? { source: game.id, move_number: move, keep: true }
      : { board, rules: game?.rules ?? shape, score: score ?? 0 };
    try {
      const state = await net.ask({ type: 'new', ...from });
      this.navigate(`/?game=${state.game}`);
    } catch (refused) {
      toast(refused.message);
    }
  }

  /** End all. */
  close() {
    clearTimeout(this.timer);
    this.walk.onChange = () => {};
    this.walk.pause();
    for (const one of [this.live, this.panel, this.moves, this.picker, this.limit, this.judging, this.graph]) {
      one?.close();
    }
    for (const off of this.offs) off();
  }
}

const ORIGINAL = new Set(['4x4', 'spawn=2:0.9,4:0.1', 'start=2', 'goal=2048', 'stop=never']);

/** One line on a game: what differs from the usual, and when it was. */
function factsOf(game) {
  const rules = game.rules.split(' ').filter((one) => !ORIGINAL.has(one)).join(' ');
  return [
    text('review.moves', { count: game.last }),
    text('review.largest', { tile: String(game.largestAt(game.last)) }),
    rules, game.player === 'me' ? '' : playerNames(game.player), timeText(game.date),
  ].filter(Boolean).join(' · ');
}
