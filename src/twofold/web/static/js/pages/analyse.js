/** Analysis: a game or a board, what each move is worth, and what would have come of others. */

import { Chooser } from '../analysis/chooser.js';
import { Desk } from '../analysis/desk.js';
import { emptyBoard, Game, isLong, Position, randomBoard, readPosition, Tree } from '../analysis/tree.js';
import { toast } from '../announce.js';
import { openDialog } from '../dialog.js';
import { fill, h, listenTo } from '../dom.js';
import { analysisLink, badBoard, parseAnalysis } from '../links.js';
import { net } from '../net.js';
import { sharedRecord } from '../share.js';
import { text } from '../text.js';

/** Largest file that is read, in bytes; the server takes no larger record. */
const MOST_BYTES = 4 * 2 ** 20;

/**
 * @param {HTMLElement} root
 * @param {object} context of main.js
 * @returns {() => void} unmounts
 */
export function mount(root, context) {
  const page = new AnalysisPage(root, context);
  page.begin();
  return () => page.close();
}

class AnalysisPage {
  constructor(root, context) {
    this.context = context;
    this.place = h('div');
    root.append(this.place);
    const open = (work) => this.#isShown && work.catch((error) => toast(error.message));
    this.off = listenSources((words) => open(this.#openText(words)), (file) => open(this.#openFile(file)));
  }

  /** Whether there is a desk: else the page is still being loaded. */
  get #isShown() {
    return Boolean(this.desk) && !this.isClosed;
  }

  /** Show what the address names: a game, a shared one, a board; else a board by chance. */
  async begin() {
    const { hash, params } = this.context;
    const link = parseAnalysis(params, hash);
    try {
      if (hash.startsWith('#g=')) {
        this.#wait(text('review.unpacking'));
        await this.#openRecord(await sharedRecord(hash).catch(() => {
          throw new Error(text('review.bad_link'));
        }), params);
      } else if (link.game) {
        this.#wait(text('review.loading'));
        this.#show(Tree.ofGame(new Game(await net.get(`/api/games/${encodeURIComponent(link.game)}`))), link);
      } else {
        const { board } = link.board ? await readPosition(link.board) : { board: randomBoard(4, 4) };
        this.#show(new Tree(new Position(board, { score: link.score ? Number(link.score) : null })), link);
      }
    } catch (error) {
      if (this.isClosed) return;
      this.#show(new Tree(new Position(emptyBoard(4, 4))), { ...link, move: 0, line: '' });
      const words = link.game && error.kind === 'NotFound' ? text('review.no_game', { game: link.game.slice(0, 40) })
        : link.board ? badBoard(link.board, error.message) : error.message;
      this.desk.refuse(words);
      toast(words); // the other place may be out of sight
    }
  }

  #show(tree, link) {
    if (this.isClosed) return;
    tree.recall();
    this.#lay(link).take(tree, { position: tree.at(link) });
  }

  /** The desk, on which nothing lies yet. */
  #lay({ player, limit }) {
    const { navigate, title } = this.context;
    this.desk = new Desk({ navigate, title, chooser: this.#newChooser().element, onOpen: () => this.#choose() });
    this.desk.picker.spec = player;
    this.desk.limit.value = limit;
    fill(this.place, this.desk.element);
    return this.desk;
  }

  #newChooser() {
    return new Chooser({ onText: (words) => this.#openText(words), onFile: (file) => this.#openFile(file),
      onGame: (game) => this.#leave(analysisLink({ game })) });
  }

  /** Choose another game, in a dialog. */
  #choose() {
    this.dialog = openDialog({ title: text('analyse.open'), body: this.#newChooser().element, wide: true });
  }

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
    if (this.isClosed) return;
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

  close() {
    this.isClosed = true;
    this.off();
    this.dialog?.close();
    this.desk?.close();
  }
}

/**
 * Listen to files and texts that are dropped anywhere, and to texts pasted outside of fields.
 *
 * @param {(words: string) => void} onText
 * @param {(file: File) => void} onFile
 * @returns {() => void} ends it
 */
function listenSources(onText, onFile) {
  const veil = h('div', { class: 'drop-veil', hidden: true }, h('p', { text: text('review.drop') }));
  document.body.append(veil);
  const taken = (isOver, run = () => {}) => (event) => {
    const types = event.dataTransfer?.types ?? [];
    if (!types.includes('Files') && !types.includes('text/plain')) return;
    event.preventDefault();
    veil.hidden = !isOver;
    run(event.dataTransfer);
  };
  const offs = [listenPastes(onText), listenTo(document, {
    dragenter: taken(true),
    dragover: taken(true),
    dragleave: (event) => { veil.hidden ||= !event.relatedTarget; },
    drop: taken(false, (data) => (data.files[0] ? onFile(data.files[0]) : onText(data.getData('text/plain')))),
  }), () => veil.remove()];
  return () => offs.forEach((off) => off());
}

/**
 * @param {function(string): void} onPaste gets the text; it is not blank
 * @returns {function(): void} stops listening
 */
export function listenPastes(onPaste) {
  const paste = (event) => {
    const words = event.clipboardData?.getData('text');
    if (!words?.trim() || event.target.closest?.('input, textarea, select')) return;
    event.preventDefault();
    onPaste(words);
  };
  return listenTo(window, { paste });
}
