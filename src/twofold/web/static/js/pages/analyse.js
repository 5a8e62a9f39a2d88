/** Analyse: set up any board, and see what a player thinks of it. */

import {
  along, emptyPosition, moved, randomPosition, readPosition, reshaped, respawned,
} from '../analyse/positions.js';
import { Asker } from '../analyse/asker.js';
import { LimitField } from '../analyse/limit_field.js';
import { NotationField } from '../analyse/notation_field.js';
import { OutcomesView } from '../analyse/outcomes_view.js';
import { Palette } from '../analyse/palette.js';
import { Setup } from '../analyse/setup.js';
import { Trail } from '../analyse/trail.js';
import { formatLink, parseLink } from '../analyse/link.js';
import { barLabel, barText } from '../analysis_texts.js';
import { AnalysisView } from '../analysis_view.js';
import { announce } from '../announce.js';
import { BoardEditor } from '../board_editor.js';
import { copyText } from '../copying.js';
import { button, field, h } from '../dom.js';
import { EvalBar } from '../eval_bar.js';
import { listenKeys } from '../keys.js';
import { describeKeys } from '../keys_dialog.js';
import { badBoard } from '../links.js';
import { moveName } from '../moves.js';
import { net } from '../net.js';
import { formatBoard } from '../notation.js';
import { listenPastes } from '../pastes.js';
import { PlayerPicker } from '../player_picker.js';
import { settings } from '../settings.js';
import { legalMoves } from '../slides.js';
import { text } from '../text.js';
import { toast } from '../toast.js';

const TOUCH = window.matchMedia('(pointer: coarse)');

/**
 * @param {HTMLElement} root
 * @param {object} context of main.js
 * @returns {() => void} unmounts
 */
export function mount(root, context) {
  const page = new AnalysePage(root, context);
  page.load(parseLink(context.hash));
  return () => page.close();
}

class AnalysePage {
  #line = { board: '', steps: [] };

  constructor(root, { navigate }) {
    this.navigate = navigate;
    this.trail = new Trail(emptyPosition(4, 4));
    this.#buildBoard();
    this.#buildSide();
    this.asker = new Asker({
      show: (reply) => this.#showReply(reply),
      outcomes: (reply) => this.outcomes.show(reply),
      refuse: (message) => this.#refused(message),
    });
    root.append(h('h1', { class: 'visually-hidden', text: text('nav.analyse') }),
      h('div', { class: 'analyse' },
        this.#boardSection(), this.#sideSection(), this.#toolSection()));
    this.#listen();
  }

  #buildBoard() {
    this.editor = new BoardEditor({
      label: text('analyse.board'),
      onChange: (tiles, group) => this.#edited(tiles, group),
      onPick: (cell) => this.#picked(cell),
    });
    this.editor.view.setSpeed(settings.get('speed'));
    this.bar = new EvalBar();
    this.hint = h('p', { class: 'analyse-hint soft small', role: 'status' });
    this.palette = new Palette((tile) => this.editor.setBrush(tile));
    this.setup = new Setup({
      onBack: () => this.#show(this.trail.back()),
      onForward: () => this.#show(this.trail.forward()),
      onRandom: () => this.#go(randomPosition(this.position.rows, this.position.cols)),
      onClear: () => this.#go(emptyPosition(this.position.rows, this.position.cols)),
      onShape: (rows, cols) => this.#go(reshaped(this.position, rows, cols)),
    });
    this.notation = new NotationField({
      onRead: readPosition,
      onGo: (found) => this.#take(found),
      onCopy: () => this.#copy(),
      onShare: () => this.#share(),
    });
  }

  #buildSide() {
    this.picker = new PlayerPicker({ onPick: () => this.#ask() });
    this.limit = new LimitField('', () => this.#ask(), () => this.picker.spec);
    this.score = h('input', {
      id: 'analyse-score', class: 'input number', type: 'text', inputmode: 'numeric',
      autocomplete: 'off', pattern: '[0-9]*', maxlength: 15, onchange: () => this.#ask(),
      placeholder: text('analyse.score_unknown'),
    });
    this.analysis = new AnalysisView({
      announce: true,
      onMove: (letter) => this.#move(letter),
      onLine: (steps) => this.#playLine(steps),
      onPreview: (steps) => this.#preview(steps),
    });
    this.outcomes = new OutcomesView({ announce });
    this.playFrom = button({ icon: 'play', text: text('analyse.play') }, () => this.#playOn(),
      { class: 'primary' });
  }

  #boardSection() {
    return h('section', { class: 'analyse-board', 'aria-label': text('analyse.position') },
      h('div', { class: 'analyse-stage' }, this.bar.element, this.editor.element),
      this.palette.element, this.hint);
  }

  #toolSection() {
    return h('section', { class: 'analyse-tools', 'aria-label': text('analyse.tools') },
      this.setup.element, this.notation.element);
  }

  #sideSection() {
    return h('section', { class: 'analyse-side', 'aria-label': text('analyse.asked') },
      h('div', { class: 'card' }, this.analysis.element),
      h('div', { class: 'analyse-asked' }, this.picker.element, this.limit.element,
        field(text('analyse.score'), this.score)),
      this.playFrom, this.outcomes.element);
  }

  #listen() {
    describeKeys('analyse', {
      cursor: '← ↑ → ↓', tile: '1 – 9|A – Z', change: '+|-', clear: '0|Delete', move: '← ↑ → ↓',
      back: 'Ctrl Z', forward: 'Ctrl Y',
    });
    const onHash = () => this.load(parseLink(window.location.hash));
    window.addEventListener('hashchange', onHash);
    this.offs = [
      () => window.removeEventListener('hashchange', onHash),
      listenPastes((words) => readPosition(words).then(
        (found) => this.#take(found), (refused) => toast(refused.message))),
      listenKeys({
        move: (letter) => this.#move(letter),
        commands: {
          'ctrl+z': () => this.#show(this.trail.back()),
          'ctrl+y': () => this.#show(this.trail.forward()),
          'ctrl+shift+z': () => this.#show(this.trail.forward()),
        },
      }),
    ];
  }

  get position() {
    return this.trail.position;
  }

  /** The score so far, its digits alone: people write `12,345`. */
  get points() {
    return this.score.value.replace(/\D/g, '');
  }

  /** Show what a link says; without a board, a random one, so that there is something to see. */
  async load({ board, player, limit, score }) {
    this.picker.spec = player;
    this.limit.value = limit;
    this.score.value = score;
    if (!board) return void this.#begin(randomPosition(4, 4));
    try {
      this.#begin((await readPosition(board)).position);
    } catch ({ message }) {
      this.#begin(emptyPosition(4, 4));
      this.#refused(badBoard(board, message));
    }
  }

  #begin(position) {
    this.trail = new Trail({ ...position, points: this.points });
    this.#show(this.position);
  }

  /** Go to a position that was read, with its points if the text had them. */
  #take({ position, score }) {
    const isShown = String(position.tiles) === String(this.position.tiles);
    this.#go({ ...position, points: score ?? (isShown ? this.points : '') });
  }

  /** Go to a position, and remember the one before. */
  #go(position, group = '') {
    this.trail.add(position, group);
    this.#show(position);
  }

  #show(position, { isDrawn = false } = {}) {
    const { tiles, rows, cols, points, pending } = position;
    this.score.value = points ?? ''; // a score goes with its board
    this.board = formatBoard(tiles, rows, cols);
    if (!isDrawn) this.editor.set(tiles, rows, cols);
    this.editor.view.updateGrid();
    this.editor.mark(pending ? pending.cell : -1);
    this.#hint(pending && text('analyse.new_tile', { tile: String(pending.tile) }));
    this.notation.show(this.board);
    this.setup.show(this.trail);
    this.#ask();
  }

  #hint(words) {
    this.hint.textContent = words || text(TOUCH.matches ? 'analyse.help_touch' : 'analyse.help');
  }

  #edited(tiles, group) {
    const { rows, cols, points } = this.position;
    this.trail.add({ tiles, rows, cols, points }, group);
    this.#show(this.position, { isDrawn: true });
  }

  /** After a move a click says where the new tile appears: a 2, and on it again a 4. */
  #picked(cell) {
    const { pending } = this.position;
    if (!pending || pending.after[cell]) return false;
    const tile = cell === pending.cell && pending.tile === 2 ? 4 : 2;
    this.#go(respawned(this.position, cell, tile), 'spawn');
    return true;
  }

  #move(letter) {
    const next = moved(this.position, letter);
    if (!next) return;
    const { step, ...position } = next;
    this.trail.add(position);
    this.editor.view.step(step);
    announce(moveName(letter));
    this.#show(position, { isDrawn: true });
  }

  #ask() {
    this.position.points = this.points;
    this.limit.fit();
    this.#link();
    this.picker.setError('');
    const { tiles, rows, cols } = this.position;
    this.picker.setShape(rows, cols);
    this.playFrom.disabled = !tiles.some(Boolean);
    if (!legalMoves(tiles, rows, cols)) {
      this.asker.stop();
      this.bar.clear();
      this.outcomes.clear();
      this.analysis.clear(text(tiles.some(Boolean) ? 'analyse.over' : 'analyse.empty'));
      return;
    }
    this.analysis.wait();
    this.asker.ask({
      board: this.board, player: this.picker.picked, score: this.points, ...this.limit.request,
    });
  }

  #link() {
    const { board, picker, limit, points } = this;
    const link = { board, player: picker.picked, limit: limit.value, score: points };
    window.history.replaceState(window.history.state, '', formatLink(link));
  }

  #showReply(reply) {
    this.#line = { board: reply.board, steps: reply.line };
    this.analysis.show(reply);
    this.bar.show(reply.bar, barText(reply), barLabel(reply));
    this.bar.element.hidden = reply.bar === null;
    if (reply.outcomes) this.outcomes.expect(reply.board);
    else this.outcomes.clear();
  }

  #refused(message) {
    this.analysis.clear(message);
    this.bar.clear();
    this.outcomes.clear();
  }

  #lineTo(steps) {
    return this.#line.board === this.board ? along(this.position, this.#line.steps, steps) : [];
  }

  #preview(steps) {
    const shown = steps ? this.#lineTo(steps).at(-1) : null;
    const { tiles, rows, cols, pending } = shown ?? this.position;
    this.editor.element.classList.toggle('is-preview', Boolean(shown));
    this.editor.set(tiles, rows, cols);
    this.editor.mark(pending ? pending.cell : -1);
    if (shown) this.#hint(text('analyse.preview', { count: steps }));
    else this.#hint(pending && text('analyse.new_tile', { tile: String(pending.tile) }));
  }

  #playLine(steps) {
    const positions = this.#lineTo(steps);
    this.editor.element.classList.remove('is-preview');
    for (const position of positions) this.trail.add(position);
    if (positions.length) this.#show(this.position);
  }

  #copy() {
    copyText(window.location.href, text('analyse.copied'), text('analyse.not_copied'));
  }

  async #share() {
    (await import('../sharing/sources.js')).sharePosition(this.board, this.position, this.points);
  }

  async #playOn() {
    const score = Number(this.points) || 0;
    const { rows, cols } = this.position;
    const rules = rows === 4 && cols === 4 ? '' : `${rows}x${cols}`;
    try {
      const state = await net.ask({ type: 'new', board: this.board, rules, score });
      this.navigate(`/?game=${state.game}`);
    } catch (refused) {
      toast(refused.message);
    }
  }

  close() {
    for (const off of this.offs) off();
    for (const part of [this.asker, this.picker, this.limit]) part.close();
  }
}
