/** Review: walk a game, see what each move was worth, learn from the worst ones. */

import { formatLink } from '../analyse/link.js';
import { button, fill, h, icon } from '../dom.js';
import { describeKeys } from '../keys_dialog.js';
import { net } from '../net.js';
import { listenPastes } from '../pastes.js';
import { miniBoard } from '../play/mini_board.js';
import { Chooser } from '../review/chooser.js';
import { ReviewGame } from '../review/game.js';
import { GameReview } from '../review/game_review.js';
import { sharedRecord } from '../share.js';
import { text } from '../text.js';
import { toast } from '../toast.js';

describeKeys('review', {
  step: '← →',
  jump: 'Page Up|Page Down',
  ends: 'Home|End',
  next: 'N',
  previous: 'P',
  play: 'Space',
  live: 'A',
  learn: 'L',
  help: '?',
});

/**
 * @param {HTMLElement} root
 * @param {object} context of main.js
 * @returns {() => void} unmounts
 */
export function mount(root, context) {
  const page = new ReviewPage(root, context);
  page.begin();
  return () => page.close();
}

class ReviewPage {
  constructor(root, context) {
    this.root = root;
    this.context = context;
    this.place = h('div', { class: 'review-page' });
    root.append(this.place);
    this.unlisten = listenSources({
      onText: (words) => this.#openText(words),
      onFile: (file) => this.#try(async () => this.#open(await readFile(file))),
    });
  }

  /** Show what the address names: a game, a shared one, or what there is to choose from. */
  async begin() {
    const { params, hash } = this.context;
    const game = params.get('game');
    if (hash.startsWith('#g=')) {
      this.#wait(text('review.unpacking'));
      await this.#try(
        async () => this.#open(await sharedRecord(hash), true),
        text('review.bad_link'),
      );
    } else if (game) {
      this.#wait(text('review.loading'));
      await this.#try(() => this.#show(game));
    } else {
      this.#choose();
    }
  }

  /** Listen no more. */
  close() {
    this.isClosed = true;
    this.unlisten();
    this.review?.close();
  }

  async #show(game) {
    const data = await net.get(`/api/games/${encodeURIComponent(game)}`);
    if (this.isClosed) return;
    const shown = new ReviewGame(data);
    if (shown.last === 0) {
      const play = () => this.context.navigate(`/?game=${encodeURIComponent(shown.id)}`);
      fill(this.place, noMoves(shown, play));
      return;
    }
    this.review = new GameReview(shown, this.context);
    fill(this.place, this.review.element);
    this.review.start();
  }

  #choose(error = null) {
    this.chooser = new Chooser(
      (words) => this.#openText(words),
      (file) => this.#try(async () => this.#open(await readFile(file))),
    );
    this.chooser.setError(error);
    fill(this.place, this.chooser.element);
    this.chooser.load();
  }

  #openText(words) {
    this.#try(async () => this.#open(await recordIn(words)));
  }

  /** Have a record checked and kept by the owner's own server, and show it. */
  async #open(record, replace = false) {
    if (!this.review) this.#wait(text('review.loading'));
    const { game, is_new: isNew } = await net.post('/api/games', record);
    if (this.isClosed) return;
    if (replace) window.history.replaceState(null, '', '/review');
    this.context.navigate(`/review?game=${game}`);
    if (isNew) toast(text('review.added'));
  }

  async #try(work, words = '') {
    try {
      await work();
    } catch (error) {
      console.info(error);
      const shown = words && error.name !== 'RefusedError' ? new Error(words) : error;
      if (this.isClosed) return;
      if (this.review) toast(shown.message);
      else if (this.chooser) {
        fill(this.place, this.chooser.element);
        this.chooser.setError(shown);
      } else this.#choose(shown);
    }
  }

  #wait(words) {
    fill(this.place, h('p', { class: 'soft review-wait', role: 'status', text: words }));
  }
}

/**
 * What is shown in place of a review.
 *
 * @param {import('../review/game.js').ReviewGame} game
 * @param {() => void} onPlay called to go on with the game
 * @returns {HTMLElement}
 */
function noMoves(game, onPlay) {
  const [board] = game.boards;
  const score = String(game.score);
  const analyse = formatLink({ board, player: '', limit: '', score });
  return h(
    'section',
    { class: 'card review-no-moves', 'aria-labelledby': 'no-moves' },
    miniBoard(board),
    h(
      'div',
      { class: 'stack' },
      h('h1', { id: 'no-moves', text: text('review.no_moves') }),
      h('p', { text: text('review.no_moves_why', { score: game.score }) }),
      h(
        'div',
        { class: 'row' },
        button({ icon: 'play', text: text('games.open') }, onPlay, { class: 'primary' }),
        h('a', { class: 'button', href: analyse }, icon('analyse'), text('review.no_moves_analyse')),
        h('a', { class: 'button', href: '/review' }, icon('games'), text('review.others')),
      ),
    ),
  );
}

/** Largest file that is read, in bytes; the server takes no larger record. */
const MOST_BYTES = 4 * 2 ** 20;

/**
 * Listen to files that are dropped anywhere and to records pasted outside of fields.
 *
 * @param {{onText: (record: string) => void, onFile: (file: File) => void}} actions
 * @returns {() => void} ends it
 */
function listenSources({ onText, onFile }) {
  const veil = h(
    'div',
    { class: 'drop-veil', hidden: true },
    h('p', { text: text('review.drop') }),
  );
  document.body.append(veil);
  const isFile = (event) =>
    [...(event.dataTransfer?.types ?? [])].some(
      (type) => type === 'Files' || type === 'text/plain',
    );
  const over = (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    veil.hidden = false;
  };
  const leave = (event) => {
    if (!event.relatedTarget) veil.hidden = true;
  };
  const drop = (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    veil.hidden = true;
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
    else onText(event.dataTransfer.getData('text/plain'));
  };
  const listeners = { dragenter: over, dragover: over, dragleave: leave, drop };
  for (const [type, handler] of Object.entries(listeners)) document.addEventListener(type, handler);
  const offPastes = listenPastes(onText);
  return () => {
    veil.remove();
    offPastes();
    for (const [type, handler] of Object.entries(listeners))
      document.removeEventListener(type, handler);
  };
}

/**
 * The file itself, for the server to read: some replays are bytes, not text.
 *
 * @param {File} file
 * @returns {Promise<Blob>} rejects where it is too large for a record
 */
async function readFile(file) {
  if (file.size > MOST_BYTES)
    throw new Error(text('review.too_large', { size: Math.round(file.size / 2 ** 20) }));
  return file;
}

/**
 * The record that a text means: itself, or what a link in it holds.
 *
 * @param {string} words
 * @returns {Promise<string>}
 */
async function recordIn(words) {
  const link = /#g=[A-Za-z0-9_-]+/.exec(words.slice(0, MOST_BYTES));
  return link && !words.includes('[') ? sharedRecord(link[0]) : words;
}
