/** Endgames: play on from boards of a table, which knows the chance of every move; tables that could be built. */

import { announce } from '../announce.js';
import { BoardView } from '../board.js';
import { labelled, movePad, select } from '../controls.js';
import { button, h, part, render } from '../dom.js';
import { formatChance, formatLong, formatShort } from '../figures.js';
import { ACTIVE, Jobs } from '../jobs/jobs.js';
import { badBoard, readable } from '../links.js';
import { listenKeys, listenSwipes, releaseFocusAfterPointer } from '../moves.js';
import { net } from '../net.js';
import { legalMoves, stepBetween, tilesOf } from '../notation.js';
import { remember, remembered, settings } from '../settings.js';
import { text } from '../text.js';
import { chanceTable, EndgameGame, lossWords, measuresView, randomSeed } from './endgame_game.js';

const TAB_KEY = 'twofold.endgame';
const MODES = ['before', 'after', 'off'];

/** The part of the page: one practice game after the other. */
export class EndgamesPart {
  #tables = null; // that are built; null before the server has said
  #damaged = {}; // what is wrong with files that are no sound tables, by their names
  #error = '';
  #isListening = false;
  #failure = null; // the game that has not begun

  /**
   * @param {HTMLElement} root
   * @param {object} context of main.js
   */
  constructor(root, { params, signal }) {
    Object.assign(this, { root, params, signal });
    this.board = new BoardView();
    this.game = new EndgameGame({
      start: () => this.#started(),
      sending: (letter) => this.board.begin(letter),
      moved: () => this.#moved(),
      back: () => this.#back(),
      failed: (error) => this.#failed(error),
    });
    this.move = (letter) => this.game.move(letter);
    this.frame = part(h('div', { class: 'practice-board' }, this.board.element));
    this.pad = movePad(this.move);
    this.offers = new TableOffers(() => this.begin());
  }

  /** Ask for the tables, and play. */
  async begin() {
    this.#draw();
    try {
      ({ tables: this.#tables, damaged: this.#damaged } = await net.get('/api/practice/tables'));
      this.#error = '';
    } catch (error) {
      this.#error = error.message;
      net.afterLoss(error, () => this.begin());
    }
    this.#draw();
    if (!this.#tables || this.signal.aborted) return;
    this.offers.show(!this.#tables.length && !this.#damages.length);
    if (this.#tables.length && !this.#isListening) this.#listen();
  }

  #listen() {
    const undo = () => this.game.undo();
    this.#isListening = true;
    listenKeys({ move: this.move, commands: { u: undo, 'ctrl+z': undo, n: () => this.#new(), r: () => this.#again() } });
    listenSwipes(this.frame, this.move);
    releaseFocusAfterPointer(this.root);
    for (const name of ['chances', 'pad']) settings.on(name, () => this.#draw());
    this.#open();
  }

  // ---- which game

  /** The game of the address, that of this tab, or a new one. */
  #open() {
    const [table, seed] = [this.params.get('table'), this.params.get('seed')];
    if (table && seed) return void this.#begin({ table, seed, board: this.params.get('board') ?? '' });
    const kept = remembered(TAB_KEY);
    const isThere = this.#tables.some((one) => one.name === kept?.table);
    this.#begin(isThere ? kept : { table: this.#tables[0].name, seed: randomSeed() });
  }

  #new(table = this.#table, seed = randomSeed(), board = '') {
    this.#begin({ table, seed, board });
  }

  #again() {
    const { table, seed, given } = this.game;
    if (table) this.#begin({ table, seed, board: given });
  }

  get #table() {
    return this.game.table ?? this.#tables[0].name;
  }

  async #begin(options) {
    try {
      await this.game.begin(options);
    } catch (error) {
      this.#failed(error, options);
    }
  }

  /** @param {object} [options] of the game that has not begun: with the connection it does */
  #failed({ kind, message }, options = null) {
    const board = options?.board;
    this.#failure = options;
    net.afterLoss({ kind }, () => options === this.#failure && (options ? this.#begin(options) : this.#back()));
    this.#error = board && kind === 'InvalidBoard' ? badBoard(board, message) : message;
    if (this.game.now) this.board.show(tilesOf(this.game.now.board));
    this.#draw();
  }

  // ---- what is shown

  #started() {
    const { table, seed, given } = this.game;
    this.#failure = null;
    this.#error = '';
    const params = new URLSearchParams({ part: 'endgames', table, seed, ...(given && { board: given }) });
    window.history.replaceState(null, '', `/practice?${readable(params)}`);
    this.#back();
    announce(this.#title);
  }

  #back() {
    this.#error = '';
    this.board.show(tilesOf(this.game.now.board));
    this.#draw();
  }

  #moved() {
    const { positions, moves, now } = this.game;
    this.#error = '';
    this.board.step(stepBetween(tilesOf(positions.at(-2).board), 4, 4, moves.at(-1), tilesOf(now.board)));
    this.#draw();
  }

  #draw() {
    if (this.game.now) remember(TAB_KEY, this.game.body);
    render(this.root, this.#damages, this.#tables ? this.#tables.length ? this.#gameView() : invitation()
      : h('p', { class: this.#error ? 'error' : 'soft', text: this.#error || text('all.loading') }),
    this.offers.element);
  }

  get #damages() {
    return Object.entries(this.#damaged).map(([name, message]) => h('p', { key: name, class: 'error' },
      text('practice.damaged', { name, message })));
  }

  #gameView() {
    const { game } = this;
    const isOver = !game.isGoing;
    const isSecret = settings.get('chances') === 'off' && !isOver;
    const moves = game.judged;
    const [kind, words] = this.#state(isSecret ? '' : lossWords(moves.at(-1)));
    return h('div', { class: 'practice-columns' },
      h('div', { class: 'stack' }, this.frame,
        h('div', { key: 'controls', class: 'row practice-controls' },
          button({ icon: 'new', text: text('practice.new_board') }, () => this.#new(), { class: 'primary' }),
          button({ text: text('practice.again') }, () => this.#again()),
          button({ icon: 'undo', label: text('play.undo') }, () => game.undo(), { disabled: !game.moves })),
        settings.get('pad') && this.pad),
      h('section', { class: 'card stack' },
        h('div', { class: 'stack tight' }, h('h2', { text: this.#title }),
          h('p', { class: `practice-state ${kind}`, role: 'status', text: words })),
        h('p', { class: 'error', role: 'alert', text: this.#error }),
        game.now && this.#chances(isOver), game.now && measuresView(moves, isSecret, (place) => game.cut(place))),
      this.#setup());
  }

  get #title() {
    const { target, positions: [first] } = this.game;
    const isThere = first && tilesOf(first.board).includes(target);
    return first ? text(isThere ? 'practice.make_another' : 'practice.make', { target: String(target) }) : '';
  }

  /** How the game stands, as a class and in words; what best play can reach where that may be told. */
  #state(loss) {
    const { now, target } = this.game;
    if (!now) return ['soft', this.#error ? '' : text('jobs.preparing')];
    const end = now.status === 'going' ? '' : text(`practice.${now.status}`, { target: String(target) });
    const words = [end, loss].filter(Boolean).join(' ');
    if (words) return [now.status === 'made' ? 'good' : 'bad', words];
    if (settings.get('chances') === 'off') return ['soft', text('practice.playing')];
    const best = Math.max(...now.chances.map((chance) => chance ?? 0));
    return ['soft', text('practice.hope', { chance: formatChance(best) })];
  }

  /** The chances of this position, or of the one before with the move made there. */
  #chances(isOver) {
    const { now, positions, moves } = this.game;
    const mode = settings.get('chances');
    const legal = isOver ? '' : legalMoves(tilesOf(now.board), 4, 4);
    const last = positions.at(-2);
    if (mode === 'before' && !isOver) return chanceTable(text('practice.chances_now'), now.chances, '', legal, this.move);
    if ((mode === 'after' || isOver) && last) {
      return chanceTable(text('practice.chances_last'), last.chances, moves.at(-1), legal, this.move);
    }
    const caption = mode === 'off' ? 'practice.chances_hidden' : 'practice.chances_later';
    return chanceTable(text(caption), null, '', legal, this.move);
  }

  #setup() {
    const { seed, table, positions } = this.game;
    const tables = this.#tables.map((one) => [one.name, text('practice.table_name', { ...one, target: String(one.target) })]);
    const modes = MODES.map((name) => [name, text(`practice.chances_${name}`)]);
    return h('section', { class: 'card practice-setup fit', 'aria-label': text('nav.settings') },
      labelled(text('practice.table'), select(tables, this.#table, (name) => this.#new(name))),
      labelled(text('practice.chances'), select(modes, settings.get('chances'), (mode) => settings.set('chances', mode))),
      h('form', { class: 'practice-seed line', onsubmit: (event) => {
        event.preventDefault();
        this.#new(this.#table, event.target.elements.seed.value.trim() || randomSeed());
      } },
        labelled(text('practice.seed'), h('input', { name: 'seed', type: 'text', class: 'input', inputmode: 'numeric',
          maxlength: 20, autocomplete: 'off', value: seed ?? '' })),
        h('button', { class: 'button', text: text('practice.go') })),
      button({ text: text('practice.other_tiles') }, () => table && this.#new(table, randomSeed(), positions[0].board)),
      h('p', { class: 'soft small', text: text('practice.seed_note') }));
  }
}

function invitation() {
  return h('section', { class: 'stack' },
    h('h2', { text: text('practice.no_table') }),
    h('p', { text: text('practice.endgames_about') }));
}

/** Asks what could be built once it is opened, and follows what is built. */
class TableOffers {
  #offers = null;
  #error = '';
  #building = new Set();

  /** @param {() => void} onBuilt a table is there */
  constructor(onBuilt) {
    this.onBuilt = onBuilt;
    this.element = part(h('details', { class: 'card', hidden: true,
      ontoggle: () => this.element.open && !this.#offers && this.#load() }));
    this.#draw();
  }

  /** @param {boolean} isOpen whether the list is opened */
  show(isOpen) {
    this.element.hidden = false;
    if (isOpen) this.element.open = true;
    if (this.element.open) this.#load();
  }

  async #load() {
    this.jobs ??= new Jobs({ names: () => [], changed: () => this.#changed() });
    try {
      this.#offers = await net.get('/api/practice/offers');
      this.#error = '';
    } catch (error) {
      this.#error = error.message;
      net.afterLoss(error, () => this.#load());
    }
    this.#draw();
  }

  /** See which jobs go on; tell when one has ended. */
  #changed() {
    const before = this.#building;
    this.#building = new Set(this.jobs.list.filter((job) => job.kind === 'table' && ACTIVE.has(job.state)).map(({ id }) => id));
    if ([...before].some((id) => !this.#building.has(id))) this.onBuilt();
    this.#draw();
  }

  #draw() {
    render(this.element,
      h('summary', { text: text('practice.build_more') }),
      h('p', { class: 'error', role: 'alert', text: this.#error }),
      h('ul', { class: 'offers stack near' }, this.#offers ? this.#offers.map((offer) => this.#offer(offer))
        : h('li', { class: 'soft', text: text('practice.measuring') })));
  }

  #offer(offer) {
    const job = this.jobs.list.find(({ kind, title }) => kind === 'table' && title.split(' ').includes(offer.name));
    return h('li', { key: offer.name, class: 'row' },
      h('div', { class: 'grow stack tight' },
        h('strong', { text: text('practice.table_about', { ...offer, target: String(offer.target) }) }),
        h('span', { class: 'soft small', text: text('practice.table_takes', {
          size: `${formatShort(offer.bytes)}B`, time: formatLong(Math.ceil(offer.seconds)) }) })),
      job && job.state !== 'done' ? h('ul', { class: 'jobs-list stack near' }, this.jobs.row(job)) : this.#action(offer));
  }

  #action(offer) {
    if (!this.jobs.isAllowed) return h('code', { text: `twofold tables build ${offer.name}` });
    const build = () => this.jobs.ask(() => net.post('/api/jobs', { kind: 'table', table: offer.name }));
    return button({ text: text(offer.done === null ? 'practice.build' : 'practice.build_on') }, build,
      { disabled: this.#building.size > 0, 'aria-label': text('practice.build_name', offer) });
  }
}
