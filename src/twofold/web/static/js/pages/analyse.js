/** Analysis: a game or a board, what each move is worth, and what would have come of others. */

import { Desk } from '../analysis/desk.js';
import { emptyBoard, Game, isLong, Position, randomBoard, readPosition, Tree } from '../analysis/tree.js';
import { toast } from '../announce.js';
import { openDialog } from '../dialog.js';
import { button, fill, h, listenTo, onLeave, part, render } from '../dom.js';
import { SavedList } from '../games/saved_list.js';
import { analysisLink, badBoard, parseAnalysis, sharedRecord } from '../links.js';
import { net } from '../net.js';
import { text } from '../text.js';

/** Largest file that is read, in bytes; the server takes no larger record. */
const MOST_BYTES = 4 * 2 ** 20;

/**
 * @param {HTMLElement} root
 * @param {object} context of main.js
 */
export function mount(root, context) {
  new AnalysisPage(root, context).begin();
}

class AnalysisPage {
  constructor(root, context) {
    this.context = context;
    this.place = h('div');
    root.append(this.place);
    // without a desk the page is still being loaded
    const open = (work) => this.desk && work().catch((error) => toast(error.message));
    listenSources((words) => open(() => this.#openText(words)), (file) => open(() => this.#openFile(file)));
    onLeave(() => this.dialog?.close());
  }

  /** Whether the page is left. */
  get #isLeft() {
    return this.context.signal.aborted;
  }

  /** Show what the address names: a game, a shared one, a board; else a board by chance. */
  async begin() {
    const { hash, params } = this.context;
    const link = parseAnalysis(params, hash);
    try {
      if (hash.startsWith('#g=')) {
        this.#wait(text('review.unpacking'));
        await this.#openRecord(await sharedRecord(hash), params);
      } else if (link.game) {
        this.#wait(text('review.loading'));
        this.#show(Tree.ofGame(new Game(await net.get(`/api/games/${encodeURIComponent(link.game)}`))), link);
      } else {
        const { board } = link.board ? await readPosition(link.board) : { board: randomBoard(4, 4) };
        this.#show(new Tree(new Position(board, { score: link.score ? Number(link.score) : null })), link);
      }
    } catch (error) {
      if (this.#isLeft) return;
      this.#show(new Tree(new Position(emptyBoard(4, 4))), { ...link, move: 0, line: '' });
      const words = link.game && error.kind === 'NotFound' ? text('review.no_game', { game: link.game.slice(0, 40) })
        : link.board ? badBoard(link.board, error.message) : error.message;
      this.desk.refuse(words);
    }
  }

  #show(tree, link) {
    if (this.#isLeft) return;
    tree.recall();
    this.#lay(link).take(tree, { position: tree.at(link) });
  }

  /** The desk, on which nothing lies yet. */
  #lay({ player, limit }) {
    const { navigate, title } = this.context;
    this.desk = new Desk({ navigate, title, chooser: this.#newChooser(), onOpen: () => {
      this.dialog = openDialog({ title: text('analyse.open'), body: this.#newChooser(), wide: true });
    } });
    this.desk.picker.set({ value: player });
    this.desk.limit = limit;
    fill(this.place, this.desk.element);
    return this.desk;
  }

  #newChooser() {
    return new Chooser({ onText: (words) => this.#openText(words), onFile: (file) => this.#openFile(file),
      onGame: (game) => this.#leave(analysisLink({ game })) }).element;
  }

  /** Choose another game, in a dialog. */
  /** Open what a text holds: a link, a game or a board. */
  async #openText(words) {
    const [, path] = /^\s*https?:\/\/[^\s/]+(\/analyse[?#]\S+)\s*$/.exec(words) ?? [];
    const shared = /#g=[A-Za-z0-9_-]+/.exec(words.slice(0, MOST_BYTES));
    if (shared && !words.includes('[')) {
      return this.#openRecord(await sharedRecord(shared[0]), new URLSearchParams(path?.split('#')[0].split('?')[1]));
    }
    if (path) return void this.#leave(path);
    const isGame = isLong(words) || words.includes('[Twofold');
    const found = isGame ? null : await readPosition(words);
    if (!found || found.moves) return this.#openRecord(words);
    return this.#openBoard(found);
  }

  /** A file as it is, for some replays are bytes; a board where it is no game. */
  async #openFile(file) {
    if (file.size > MOST_BYTES) {
      throw new Error(text('review.too_large', { size: Math.round(file.size / 2 ** 20) }));
    }
    await this.#openRecord(file).catch(async (refused) => {
      const words = await file.text();
      const found = isLong(words) ? null : await readPosition(words).catch(() => null);
      if (!found) throw refused;
      this.#openBoard(found);
    });
  }

  #openBoard({ board, score }) {
    this.dialog?.close();
    this.desk.takeBoard(board, score);
  }

  /** Have a record checked and kept by the owner's own server, and show it as a shared link says. */
  async #openRecord(record, params = new URLSearchParams()) {
    const { game, is_new: isNew } = await net.post('/api/games', record);
    if (this.#isLeft) return;
    if (window.location.hash.startsWith('#g=')) window.history.replaceState(null, '', '/analyse');
    const [move, line] = [Number(params.get('move')), params.get('line') ?? ''];
    this.#leave(analysisLink({ game, move, line }));
    if (isNew) toast(text('review.added'));
  }

  #leave(path) {
    this.dialog?.close();
    this.context.navigate(path);
  }

  #wait(words) {
    fill(this.place, h('p', { class: 'soft analysis-wait', role: 'status', text: words }));
  }

}

/**
 * Listen to files and texts that are dropped anywhere, and to texts pasted outside of fields.
 *
 * @param {(words: string) => void} onText
 * @param {(file: File) => void} onFile
 */
function listenSources(onText, onFile) {
  const veil = h('div', { class: 'drop-veil', hidden: true }, h('p', { text: text('review.drop') }));
  document.body.append(veil);
  onLeave(() => veil.remove());
  const taken = (isOver, run = () => {}) => (event) => {
    const types = event.dataTransfer?.types ?? [];
    if (!types.includes('Files') && !types.includes('text/plain')) return;
    event.preventDefault();
    veil.hidden = !isOver;
    run(event.dataTransfer);
  };
  listenTo(document, {
    dragenter: taken(true),
    dragover: taken(true),
    dragleave: (event) => { veil.hidden ||= !event.relatedTarget; },
    drop: taken(false, (data) => (data.files[0] ? onFile(data.files[0]) : onText(data.getData('text/plain')))),
  });
  listenTo(window, { paste: (event) => {
    const words = event.clipboardData?.getData('text');
    if (!words?.trim() || event.target.closest?.('input, textarea, select')) return;
    event.preventDefault();
    onText(words);
  } });
}

/** A list of games, and fields for others. */
class Chooser {
  #isPasting = false;
  #isBusy = false;
  #error = null;

  /**
   * @param {object} actions
   * @param {(words: string) => Promise<void>} actions.onText called with what was pasted
   * @param {(file: File) => Promise<void>} actions.onFile
   * @param {(game: string) => void} actions.onGame called with the id of a saved game
   */
  constructor({ onText, onFile, onGame }) {
    Object.assign(this, { onText, onFile });
    this.list = new SavedList({ open: onGame });
    part(this.list.element);
    this.element = part(h('section', { class: 'stack', 'aria-labelledby': 'chooser-title' }));
    this.#draw();
    this.list.show();
  }

  async #try(work) {
    [this.#isBusy, this.#error] = [true, null];
    this.#draw();
    await work.catch((error) => {
      this.#error = error;
      net.afterLoss(error, () => { this.#error = null; this.#draw(); });
    });
    this.#isBusy = false;
    this.#draw();
  }

  #draw() {
    const area = () => this.element.querySelector('textarea');
    const paste = () => {
      this.#isPasting = !this.#isPasting;
      this.#draw();
      area()?.focus();
    };
    render(this.element,
      h('h2', { id: 'chooser-title', text: text('analyse.open') }),
      h('input', { type: 'file', class: 'visually-hidden', tabindex: -1, 'aria-hidden': 'true',
        accept: '.2048,.jsonl,.txt,.json,.rpl,.vrs,text/plain,application/json',
        onchange: ({ target }) => target.files[0] && this.#try(this.onFile(target.files[0])) }),
      h('div', { key: 'sources', class: 'row' },
        button({ icon: 'upload', text: text('review.open') }, () => this.element.querySelector('[type=file]').click()),
        button({ icon: 'edit', text: text('review.paste') }, paste, { 'aria-expanded': String(this.#isPasting) })),
      this.#isPasting && h('div', { key: 'paste', class: 'stack' },
        h('label', { class: 'visually-hidden', for: 'analysis-paste', text: text('review.paste_label') }),
        h('textarea', { class: 'textarea mono', id: 'analysis-paste', rows: 3, spellcheck: 'false',
          placeholder: text('review.paste_hint') }),
        h('div', null, button({ icon: 'analyse', text: text('analyse.go') }, () => this.#try(this.onText(area().value))))),
      h('p', { class: 'soft', role: 'status', text: this.#isBusy ? text('review.reading') : '' }),
      h('p', { class: 'error', role: 'alert', text: this.#error?.message ?? '', title: this.#error?.detail ?? '' }),
      h('p', { class: 'soft small', text: text('review.file_hint') }),
      this.list.element);
  }
}
