/** A board as a picture: what it looks like, and the files of it. */

import { button, fill, h, icon } from '../dom.js';
import { theme } from '../look.js';
import { text } from '../text.js';
import { toast } from '../toast.js';

/** Chooses colours and a line of text, shows the picture and offers it as SVG and PNG. */
export class PictureForm {
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
