/** The board of a practice game, its controls, and what stands beside it. */

import { announce } from '../announce.js';
import { BoardView } from '../board.js';
import { button, fill, h } from '../dom.js';
import { listenKeys, releaseFocusAfterPointer } from '../keys.js';
import { badBoard, readable } from '../links.js';
import { remember, remembered } from '../memory.js';
import { tilesOf } from '../notation.js';
import { movePad } from '../play/pad.js';
import { settings } from '../settings.js';
import { legalMoves } from '../slides.js';
import { listenSwipes } from '../swipe.js';
import { text } from '../text.js';
import { stepOf } from './boards.js';
import { ChanceTable, Measures, chanceWords, lossWords } from './endgame_facts.js';
import { EndgameGame, randomSeed } from './endgame_game.js';

const TAB_KEY = 'twofold.endgame';
const MODES = ['before', 'after', 'off'];

/** One practice game after the other. */
export class EndgameView {
  /**
   * @param {object[]} tables that are built
   * @param {object} context of main.js
   */
  constructor(tables, { params }) {
    this.board = new BoardView();
    this.board.setSpeed(settings.get('speed'));
    this.game = new EndgameGame({
      start: () => this.#started(),
      sending: (letter) => this.board.begin(letter),
      moved: () => this.#moved(),
      back: () => this.#back(),
      failed: (error) => this.#failed(error),
    });
    this.chances = new ChanceTable((letter) => this.game.move(letter));
    this.measures = new Measures((place) => this.game.cut(place));
    this.#build();
    this.setTables(tables);
    this.offs = this.#listen();
    this.#open(params);
  }

  /** Leave. */
  close() {
    for (const off of this.offs) off();
  }

  /** @param {object[]} tables that are built */
  setTables(tables) {
    const chosen = this.table.value;
    fill(this.table, tables.map((one) =>
      h('option', { value: one.name, text: text('practice.table_name', { ...one, target: String(one.target) }) })));
    this.tables = tables;
    if (chosen) this.table.value = chosen;
  }

  // ---- its parts

  #build() {
    this.title = h('h2');
    this.state = h('p', { class: 'practice-state', role: 'status' });
    this.error = h('p', { class: 'error', role: 'alert' });
    this.pad = movePad((letter) => this.game.move(letter));
    this.frame = h('div', { class: 'practice-board' }, this.board.element);
    this.undoButton = button({ icon: 'undo', label: text('play.undo') }, () => this.game.undo());
    this.controls = h('div', { class: 'row practice-controls' },
      button({ icon: 'new', text: text('practice.new_board') }, () => this.#new(), { class: 'primary' }),
      button({ text: text('practice.again') }, () => this.#again()), this.undoButton);
    this.element = h('div', { class: 'practice-columns' },
      h('div', { class: 'stack' }, this.frame, this.controls, this.pad),
      h('section', { class: 'card stack' },
        h('div', { class: 'stack tight' }, this.title, this.state), this.error,
        this.chances.element, this.measures.element),
      this.#setup());
  }

  #setup() {
    this.table = h('select', { class: 'select', onchange: () => this.#new() });
    this.mode = h('select', {
      class: 'select', onchange: () => settings.set('chances', this.mode.value),
    }, MODES.map((name) => h('option', { value: name, text: text(`practice.chances_${name}`) })));
    this.mode.value = settings.get('chances');
    this.seed = h('input', {
      type: 'text', class: 'input', inputmode: 'numeric', maxlength: 20, autocomplete: 'off',
    });
    const field = (name, control) => h('label', { class: 'field' },
      h('span', { class: 'label', text: text(`practice.${name}`) }), control);
    const form = h('form', { class: 'practice-seed', onsubmit: (event) => this.#go(event) },
      field('seed', this.seed), h('button', { class: 'button', text: text('practice.go') }));
    return h('section', { class: 'card practice-setup', 'aria-label': text('nav.settings') },
      field('table', this.table), field('chances', this.mode), form,
      button({ text: text('practice.other_tiles') }, () => this.#otherTiles()),
      h('p', { class: 'soft small', text: text('practice.seed_note') }));
  }

  #listen() {
    const showPad = () => { this.pad.hidden = !settings.get('pad'); };
    showPad();
    const undo = () => this.game.undo();
    return [
      listenKeys({
        move: (letter) => this.game.move(letter),
        commands: { u: undo, 'ctrl+z': undo, n: () => this.#new(), r: () => this.#again() },
      }),
      listenSwipes(this.frame, (letter) => this.game.move(letter)),
      releaseFocusAfterPointer(this.element),
      settings.on('speed', (speed) => this.board.setSpeed(speed)),
      settings.on('chances', () => this.#showFacts()),
      settings.on('pad', showPad),
    ];
  }

  // ---- which game

  /** The game of the address, that of this tab, or a new one. */
  #open(params) {
    const [table, seed] = [params.get('table'), params.get('seed')];
    if (table && seed) return void this.#begin({ table, seed, board: params.get('board') ?? '' });
    const kept = parsed(remembered(TAB_KEY));
    const isThere = this.tables.some((one) => one.name === kept?.table);
    this.#begin(isThere ? kept : { table: this.tables[0].name, seed: randomSeed() });
  }

  #new() {
    this.#begin({ table: this.table.value, seed: randomSeed() });
  }

  #again() {
    const { table, seed, given } = this.game;
    if (table) this.#begin({ table, seed, board: given });
  }

  #otherTiles() {
    const { table, positions } = this.game;
    if (table) this.#begin({ table, seed: randomSeed(), board: positions[0].board });
  }

  #go(event) {
    event.preventDefault();
    this.#begin({ table: this.table.value, seed: this.seed.value.trim() || randomSeed() });
  }

  async #begin(options) {
    try {
      await this.game.begin(options);
    } catch (error) {
      this.#failed(error, options.board);
    }
  }

  #failed({ kind, message }, board) {
    this.error.textContent = board && kind === 'InvalidBoard' ? badBoard(board, message) : message;
    if (this.game.now) this.board.show(tilesOf(this.game.now.board));
  }

  // ---- what is shown

  #started() {
    const { table, seed, given } = this.game;
    this.error.textContent = '';
    this.table.value = table;
    this.seed.value = seed;
    const params = new URLSearchParams({ part: 'endgames', table, seed, ...(given && { board: given }) });
    window.history.replaceState(null, '', `/practice?${readable(params)}`);
    const { target, positions: [{ board: first }] } = this.game;
    const key = tilesOf(first).includes(target) ? 'practice.make_another' : 'practice.make';
    this.title.textContent = text(key, { target: String(target) });
    this.#back();
    announce(this.title.textContent);
  }

  #back() {
    this.board.show(tilesOf(this.game.now.board));
    this.#showFacts();
  }

  #moved() {
    const { game } = this;
    this.error.textContent = '';
    this.board.step(stepOf(game.positions.at(-2).board, game.moves.at(-1), game.now));
    this.#showFacts();
  }

  #showFacts() {
    const { game } = this;
    if (!game.now) return;
    remember(TAB_KEY, JSON.stringify({ ...game.body }));
    const moves = game.judged;
    const isOver = !game.isGoing;
    const mode = settings.get('chances');
    const isSecret = mode === 'off' && !isOver;
    this.undoButton.disabled = !game.moves;
    this.measures.show(moves, isSecret);
    this.#showChances(mode, isOver);
    this.#showState(isSecret ? '' : lossWords(moves.at(-1)));
  }

  /** The chances of this position, or of the one before with the move made there. */
  #showChances(mode, isOver) {
    const { game } = this;
    const legal = isOver ? '' : legalMoves(tilesOf(game.now.board), 4, 4);
    const last = game.positions.at(-2);
    if (mode === 'before' && !isOver) {
      this.chances.show(text('practice.chances_now'), game.now.chances, '', legal);
    } else if ((mode === 'after' || isOver) && last) {
      this.chances.show(text('practice.chances_last'), last.chances, game.moves.at(-1), legal);
    } else {
      this.chances.show(text(mode === 'off' ? 'practice.chances_hidden' : 'practice.chances_later'),
        null, '', legal);
    }
  }

  #showState(loss) {
    const { status } = this.game.now;
    const target = String(this.game.target);
    const end = status === 'going' ? '' : text(`practice.${status}`, { target });
    const words = [end, loss].filter(Boolean).join(' ');
    this.state.className = `practice-state ${status === 'made' ? 'good' : words ? 'bad' : 'soft'}`;
    this.state.textContent = words || this.#hope();
  }

  /** What best play can still reach, where that may be told. */
  #hope() {
    const { game } = this;
    if (settings.get('chances') === 'off') return text('practice.playing');
    const best = Math.max(...game.now.chances.map((chance) => chance ?? 0));
    return text('practice.hope', { chance: chanceWords(best) });
  }
}

function parsed(words) {
  try {
    return JSON.parse(words);
  } catch {
    return null;
  }
}
