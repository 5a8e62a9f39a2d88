/** The dialog that makes files of a board or a game, to pass them on. */

import { copyText } from '../copying.js';
import { openDialog } from '../dialog.js';
import { button, fill, h, icon } from '../dom.js';
import { analysisLink } from '../links.js';
import { theme } from '../look.js';
import { net } from '../net.js';
import { text } from '../text.js';
import { toast } from '../toast.js';
import { AnimationForm } from './animation.js';

/**
 * @typedef {object} Shared what is passed on
 * @property {string} board its text
 * @property {number} rows
 * @property {number} cols
 * @property {number | null} score points; null where not known
 * @property {number | null} move move number; null where there is none
 * @property {object | null} game the game that the board is of, if any
 * @property {string} game.id of a kept game
 * @property {number} game.first move number at which it begins
 * @property {number} game.last move number at which it ends
 * @property {number} game.at move number at which an animation ends, at first
 */

/**
 * Show the dialog.
 *
 * @param {Shared} shared
 */
export async function showSharing(shared) {
  let info;
  try {
    info = await net.get('/api/pictures');
  } catch (error) {
    return void toast(error.message);
  }
  const animation = shared.game && new AnimationForm(shared.game, info);
  openDialog({
    title: text('share.button'),
    body: h('div', { class: 'stack wide share' },
      !info.pixels && missing(info.install),
      new PictureForm(shared, info).element,
      shared.game ? [animation.element, replay(shared.game, info)] : link(shared)),
    onClose: () => animation?.close(),
  });
}

function missing(command) {
  return h('p', { class: 'share-missing' }, text('share.missing'), ' ',
    h('code', { class: 'nowrap', text: command }));
}

function link({ board, score }) {
  const { href } = new URL(analysisLink({ board, score: String(score ?? '') }), window.location.href);
  return h('section', { class: 'stack tight', 'aria-labelledby': 'share-link' },
    h('h3', { id: 'share-link', text: text('analyse.copy_link') }),
    h('p', { class: 'mono small share-link', text: href }),
    h('div', { class: 'row' }, button({ icon: 'copy', text: text('analyse.copy') },
      () => copyText(href, text('analyse.copied'), text('analyse.not_copied')))));
}

function replay(game, info) {
  const tooLong = game.last - game.first > info.replay_moves;
  return h('section', { class: 'stack tight', 'aria-labelledby': 'share-replay' },
    h('h3', { id: 'share-replay', text: text('share.replay') }),
    h('p', { class: 'soft small', text: tooLong
      ? text('share.replay_too_long', { count: info.replay_moves }) : text('share.replay_note') }),
    !tooLong && h('div', { class: 'row' },
      h('a', { class: 'button', href: `/api/games/${game.id}/replay`, download: true },
        icon('download'), h('span', { text: text('share.replay_download') }))));
}

/** Chooses colours and a line of text, shows the picture and offers it as SVG and PNG. */
class PictureForm {
  /**
   * @param {import('./dialog.js').Shared} shared
   * @param {object} info answer of `/api/pictures`
   */
  constructor(shared, info) {
    Object.assign(this, { shared, info });
    this.shade = theme();
    this.captioned = shared.score !== null;
    this.preview = h('img', { class: 'share-preview', alt: text('share.preview') });
    this.files = h('div', { class: 'row' });
    this.element = h('section', { class: 'share-picture', 'aria-labelledby': 'share-picture' },
      this.preview,
      h('div', { class: 'stack' },
        h('h3', { id: 'share-picture', text: text('share.picture') }),
        this.#shades(), this.captioned && this.#caption(), this.files));
    this.#show();
  }

  #shades() {
    return h('fieldset', { class: 'field' }, h('legend', { text: text('share.colours') }),
      h('div', { class: 'chips' }, ['light', 'dark'].map((shade) => h('label', { class: 'chip' },
        h('input', { type: 'radio', name: 'share-shade', checked: this.shade === shade,
          onchange: () => { this.shade = shade; this.#show(); } }),
        text(`share.colours_${shade}`)))));
  }

  #caption() {
    return h('label', { class: 'check' },
      h('input', { type: 'checkbox', class: 'switch', role: 'switch', checked: true,
        onchange: (event) => { this.captioned = event.target.checked; this.#show(); } }),
      text(this.shared.move === null ? 'share.caption_score' : 'share.caption'));
  }

  #show() {
    this.preview.src = this.#url('svg');
    this.preview.style.aspectRatio = this.#shape();
    fill(this.files, this.info.pixels && this.#link('png'), this.#link('svg'),
      this.info.pixels && canCopy()
        && button({ icon: 'copy', text: text('share.copy') }, () => this.#copy()));
  }

  /** Width over height, as drawing.py has it, so that nothing moves when the picture comes. */
  #shape() {
    const { rows, cols } = this.shared;
    return `${cols * 112 + 12} / ${rows * 112 + 12 + (this.captioned ? 40 : 0)}`;
  }

  #link(form) {
    return h('a', { class: 'button', href: this.#url(form), download: `2048-board.${form}` },
      icon('download'), h('span', { text: form.toUpperCase() }));
  }

  #url(form) {
    const { board, score, move } = this.shared;
    const query = new URLSearchParams({ board, shade: this.shade });
    if (this.captioned) query.set('score', score);
    if (this.captioned && move !== null) query.set('move', move);
    return `/api/pictures/board.${form}?${query}`;
  }

  async #copy() {
    const picture = fetch(this.#url('png')).then((answer) => answer.blob());
    try {
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
      toast(text('share.copied'));
    } catch {
      toast(text('share.not_copied'));
    }
  }
}

function canCopy() {
  return Boolean(navigator.clipboard?.write) && typeof ClipboardItem === 'function';
}
