/** Review: walk a game, see what each move was worth, learn from the worst ones. */

import { fill, h } from '../dom.js';
import { describeKeys } from '../keys_dialog.js';
import { net } from '../net.js';
import { GameReview } from '../review/game_review.js';
import { Chooser } from '../review/chooser.js';
import { ReviewGame } from '../review/game.js';
import { noMoves } from '../review/no_moves.js';
import { listenSources, readFile, recordIn } from '../review/sources.js';
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
