/** The desk: a tree of positions, what a player thinks of them, and the keys that walk through. */

import { gradeMark, gradeName } from '../analysis_texts.js';
import { AnalysisView } from '../analysis_view.js';
import { announce, toast } from '../announce.js';
import { copyMenu, copyText } from '../controls.js';
import { describeKeys } from '../dialog.js';
import { button, h, icon, onLeave, part, render } from '../dom.js';
import { playerText, rulesText, timeText } from '../games/words.js';
import { analysisLink, readable, shareLink } from '../links.js';
import { listenKeys, moveName, releaseFocusAfterPointer } from '../moves.js';
import { net } from '../net.js';
import { formatBoard, legalMoves } from '../notation.js';
import { playerName } from '../player_names.js';
import { limitField, parseLimit, PlayerPicker, takesLimits } from '../player_picker.js';
import { number, sentence, text } from '../text.js';
import { BoardPanel, Walk } from './board_panel.js';
import { asAnalysis, isMistake, judgeNotes, Judging, Live, rankedIn, verdictBy, verdictOf } from './judging.js';
import { MoveList } from './move_list.js';
import { OutcomesView } from './outcomes_view.js';
import { Setup } from './setup.js';
import { figures, grades, Graph } from './summary.js';
import { History, Position, Tree } from './tree.js';

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
  #toggleLive = () => {
    this.#isLive = !this.#isLive;
    this.show();
  };


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
      onEdit: (tiles, group) => {
        const { rows, cols, score } = this.walk.position;
        this.take(new Tree(new Position(formatBoard(tiles, rows, cols), { score })), { group });
      },
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
      onMove: (letter) => this.play(letter),
      onLine: (steps) => {
        const { position } = this.walk;
        const end = this.reply?.board === position.board && this.tree.follow(position, this.reply.line.slice(0, steps));
        if (end) this.#go(end);
      },
      gradeOf: (letter) => (this.#judgement?.move === letter ? this.#judgement.grade : ''), // one grade
    });
    this.picker = new PlayerPicker({ onPick: () => this.#pickPlayer() });
    this.limit = ''; // that is chosen
    this.outcomes = new OutcomesView();
    this.live = new Live({
      show: (reply) => { this.reply = reply; this.refuse(''); },
      outcomes: (reply) => this.outcomes.show(reply),
      refuse: (message) => this.refuse(message),
    });
    this.chooser = chooser;
    this.graphCard = part(h('section', { class: 'card analysis-graph', 'aria-label': text('review.graph') }));
    this.figures = part(h('section', { class: 'card review-summary', 'aria-label': text('review.summary') }));
    this.labels = part(h('section', { class: 'card review-labels stack', 'aria-label': text('review.labels') }));
    this.judge = part(h('div', { class: 'stack tight' }));
    this.element = h('div', { class: 'analysis-page' });
    this.#listenKeys();
    releaseFocusAfterPointer(this.element);
    for (const type of ['welcome', 'state']) net.on(type, () => this.entry && this.#draw()); // it may take limits
    onLeave(() => this.#close());
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

  #undo(step) {
    if (step < 0 ? !this.#history.canBack : !this.#history.canForward) return;
    this.#leave();
    this.entry = this.#history.go(step);
    this.#enter();
  }

  #leave() {
    if (this.entry) Object.assign(this.entry, { line: this.walk.line, place: this.walk.place });
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
    this.judging = this.graph = null;
    if (!game?.last) return;
    this.judging = new Judging(game, () => {
      this.graph.draw();
      this.#showJudging();
      this.show();
    });
    this.graph = new Graph(game, this.judging, (place) => this.#go(this.tree.main[place]));
    render(this.graphCard, this.graph.element);
    this.judging.place = this.entry.line[this.entry.place].number - game.first;
    this.#startJudging();
  }

  #pickPlayer() {
    this.#startJudging();
    this.refuse('');
  }

  #startJudging() {
    this.judging?.start(this.picker.picked, parseLimit(this.#limitTaken).ply ?? null);
  }

  /** The limit that is chosen, where the player takes one. */
  get #limitTaken() {
    return takesLimits(this.picker.spec) ? this.limit : '';
  }

  // ---- walking and trying moves

  /** Show a position, in the line through it and the one after it. */
  #go(position, next = position) {
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
    if (!step || step.after[cell]) return;
    const tile = cell === step.cell && step.tile === 2 ? 4 : 2;
    this.#go(this.tree.respawn(position, cell, tile));
  }

  #remove(position = this.walk.next ?? this.walk.position) {
    if (position.isOfGame || !position.parent) return;
    this.tree.remove(position);
    this.#go(position.parent);
  }

  /** Go to the next move of some grades. */
  #next(direction, wanted = isMistake) {
    if (!this.judging) return;
    const here = this.walk.line.findLastIndex((one, place) => one.isOfGame && place <= this.walk.place);
    const place = this.judging.find(here, direction, wanted);
    if (place >= 0) {
      this.#go(this.tree.main[place]);
      const { top, bottom } = this.panel.frame.getBoundingClientRect();
      if (top < 0 || bottom > window.innerHeight) this.panel.frame.scrollIntoView({ block: 'start' });
    } else toast(text(this.judging.isGoing ? 'review.none_yet' : 'review.none'));
  }

  // ---- what is shown

  /**
   * Say why there is no analysis.
   *
   * @param {string} message empty if nothing keeps it from coming
   */
  refuse(message) {
    this.note = message;
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
    if (isNew) this.note = '';
    this.legal = legalMoves(position.tiles, position.rows, position.cols);
    this.panel.show();
    if (this.panel.editor.isEditing) this.setup.show(position, this.#history);
    this.picker.setShape(position.rows, position.cols);
    this.#ask();
    this.#draw();
    this.moves.show(this.tree, this.walk, ({ isOfGame, parent, number: made }) => (
      isOfGame && parent ? this.judging?.judgements[made - 1 - this.#game.first]?.grade : null));
    if (position.isOfGame) {
      this.graph?.setPlace(position.number - this.#game.first);
      if (isNew && !isPlaying) this.judging?.look(position.number - this.#game.first);
    }
    if (isNew && !isPlaying) announce(this.words);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      window.history.replaceState(window.history.state, '', this.#address());
      this.tree.keep();
    }, REST_MS);
  }

  #draw() {
    const { panel, judging, walk } = this;
    const isSetup = panel.editor.isEditing;
    const reply = this.#showValues();
    const states = { 'is-setup': isSetup, 'has-game': this.#game, 'is-judged': judging, 'has-moves': walk.last > 0 };
    this.element.className = ['analysis-page', ...Object.keys(states).filter((name) => states[name])].join(' ');
    this.#showMoves(reply, walk.next);
    render(this.element,
      h('div', { key: 'head', class: 'analysis-head row apart' }, this.#head()),
      h('section', { key: 'board', class: 'analysis-board stack near', 'aria-label': text('analyse.position') }, panel.element, panel.controls,
        isSetup ? this.setup.element : h('p', { class: 'analysis-hint soft small', text: this.#hint })),
      h('section', { key: 'move', class: 'card analysis-move', 'aria-label': text('review.this_move') },
        this.#verdict(reply, walk.next), this.analysis.element),
      h('div', { key: 'side', class: 'analysis-side stack' },
        walk.last > 0 ? this.moves.element : !this.#game && this.chooser,
        h('section', { class: 'analysis-asked', 'aria-label': text('analyse.asked') }, this.picker.element,
          takesLimits(this.picker.spec) && limitField(this.limit, (limit) => { this.limit = limit; this.#pickPlayer(); }),
          this.judge),
        this.outcomes.element),
      judging && [this.graphCard, this.figures, this.labels]);
  }

  /** What can be tried at the position shown. */
  get #hint() {
    const { step, tiles } = this.walk.position;
    return [this.legal && text('analyse.try_hint'), step && tiles.includes(0) && text('analyse.spawn_hint')].filter(Boolean).join(' ');
  }

  #address() {
    const about = { player: this.picker.picked, limit: this.#limitTaken };
    const way = this.tree.wayTo(this.walk.position);
    if (this.#game) return analysisLink({ game: this.#game.id, ...way, ...about });
    const { board, score } = this.tree.root;
    return analysisLink({ board, line: way.line, score: String(score ?? ''), ...about });
  }

  #ask() {
    const { position, isPlaying } = this.walk;
    if (isPlaying || !this.legal || !this.#isLive) {
      this.live.stop(!this.judging?.isGoing);
      return;
    }
    this.live.ask({ board: position.board, rules: this.#game?.rules ?? '',
      score: String(position.score ?? ''), ...parseLimit(this.#limitTaken),
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
    const isCut = net.isAway && this.#isLive && this.legal && !shown;
    const note = isCut ? text(`status.${net.state}`) : this.note;
    if (note) this.analysis.clear(note);
    else if (!this.legal) {
      const isEmpty = !position.tiles.some(Boolean);
      this.analysis.clear(text(isEmpty ? 'analyse.empty' : 'analyse.over'));
    } else if (shown && isNew) this.analysis.show(reply);
    else if (!shown && this.#isLive) this.analysis.wait();
    else if (!shown) this.analysis.clear(text('review.no_values'));
    Object.assign(this, { shown, judgement });
    const hasReply = this.legal && !note && reply;
    this.panel.bar.show(hasReply ? reply : null);
    if (isAnswered && reply.outcomes) this.outcomes.expect(reply.board);
    else if (isAnswered || !this.legal || note) this.outcomes.clear();
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
          role: 'switch', checked: this.#isLive, onchange: this.#toggleLive }),
        text('review.live'))),
      (next || isEnd || this.walk.last > 0) && h('p', { class: 'analysis-words' },
        one && [gradeMark(one.grade), h('strong', { text: label })], words),
      isOther && h('p', { class: 'soft small', text: text('review.judged_by', { player: playerName(this.judging.judge) }) }),
      comment && h('blockquote', { class: 'analysis-comment', text: comment })];
  }

  /** What there is to say of the move at hand, without its label. */
  #words(judgement, reply, next) {
    const { position } = this.walk;
    if (!next) return position.isOfGame && this.walk.last && this.legal ? text('review.unfinished') : '';
    if (judgement) return verdictOf(judgement);
    const known = reply && verdictBy(reply, next.move);
    if (known || position.score === null) return known || sentence(moveName(next.move));
    const score = text('play.game_score', { score: position.score });
    return sentence(text('review.not_judged', { move: moveName(next.move), score }));
  }

  #showMoves(reply, next) {
    const isHidden = this.panel.editor.isEditing;
    const [best, second] = reply ? rankedIn(reply) : [];
    const grade = next?.isOfGame ? this.#judgement?.grade : '';
    this.panel.showMoves(isHidden ? { legal: '' } : { legal: this.legal, best, second, made: next?.move, grade });
  }

  #showJudging() {
    const { judging } = this;
    if (!judging) return void render(this.judge);
    render(this.figures, figures(judging, (move) => this.#go(this.tree.main[move - this.#game.first])));
    render(this.labels, grades(judging, (wanted) => this.#next(1, wanted)));
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
    listenKeys({
      move: (letter) => this.play(letter),
      commands: {
        ArrowLeft: () => walk.go(walk.place - 1),
        ArrowRight: () => walk.go(walk.place + 1),
        ArrowUp: () => this.#line(-1),
        ArrowDown: () => this.#line(1),
        PageUp: () => walk.go(walk.place - JUMP),
        PageDown: () => walk.go(walk.place + JUMP),
        Home: () => walk.go(0),
        End: () => walk.go(walk.last),
        n: () => this.#next(1),
        p: () => this.#next(-1),
        Space: () => walk.last && walk.toggle(),
        e: this.#toggleLive,
        l: () => this.labels.querySelector('a')?.click(),
        b: () => this.#setUp(!this.panel.editor.isEditing),
        Delete: () => this.#remove(),
        'ctrl+z': () => this.#undo(-1),
        'ctrl+y': () => this.#undo(1),
        'ctrl+shift+z': () => this.#undo(1),
      },
    });
  }

  async #share() {
    this.walk.pause();
    const { position } = this.walk;
    const { showSharing } = await import('../sharing.js');
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

  #close() {
    clearTimeout(this.timer);
    this.walk.onChange = () => {};
    this.walk.pause();
    this.live.stop();
    this.judging?.close();
  }
}

/** One line on a game: what differs from the usual, and when it was. */
function factsOf(game) {
  return [
    text('review.moves', { count: game.last }),
    text('review.largest', { tile: String(game.largestAt(game.last)) }),
    rulesText(game.rules), playerText(game.player), timeText(game.date),
  ].filter(Boolean).join(' · ');
}
