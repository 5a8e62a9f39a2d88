/** The dialog that makes files of a board or a game, to pass them on. */

import { toast } from './announce.js';
import { chips, copyText, save, selectField, toggle } from './controls.js';
import { openDialog } from './dialog.js';
import { button, field, h, icon, part, render } from './dom.js';
import { formatDuration } from './figures.js';
import { analysisLink } from './links.js';
import { net } from './net.js';
import { theme } from './settings.js';
import { text } from './text.js';

/**
 * Show the dialog.
 *
 * @param {object} shared what is passed on
 * @param {string} shared.board its text
 * @param {number} shared.rows
 * @param {number} shared.cols
 * @param {number | null} shared.score points; null where not known
 * @param {number | null} [shared.move] move number; null where there is none
 * @param {{id: string, first: number, last: number, at: number}} [shared.game] the game that the
 *   board is of: its id, the move numbers where it begins and ends, and where an animation ends at first
 */
export async function showSharing({ move = null, game = null, ...board }) {
  const shared = { ...board, move, game };
  const info = await net.get('/api/pictures').catch((error) => void toast(error.message));
  if (!info) return;
  const animation = game && new AnimationForm(game, info);
  openDialog({
    title: text('share.button'),
    body: h('div', { class: 'stack wide share' },
      !info.pixels && h('p', { class: 'share-missing' }, text('share.missing'), ' ',
        h('code', { class: 'nowrap', text: info.install })),
      pictureForm(shared, info),
      game ? [animation.element, replay(game, info)] : link(shared)),
    onClose: () => animation?.close(),
  });
}

function section(name, title, ...children) {
  return h('section', { class: 'stack tight', 'aria-labelledby': name }, h('h3', { id: name, text: text(title) }), children);
}

function link({ board, score }) {
  const { href } = new URL(analysisLink({ board, score: String(score ?? '') }), window.location.href);
  return section('share-link', 'analyse.copy_link',
    h('p', { class: 'mono small share-link', text: href }),
    h('div', { class: 'row' }, button({ icon: 'copy', text: text('analyse.copy') },
      () => copyText(href, text('analyse.copied'), text('analyse.not_copied')))));
}

function replay({ id, first, last }, { replay_moves: count }) {
  const isLong = last - first > count;
  return section('share-replay', 'share.replay',
    h('p', { class: 'soft small', text: isLong ? text('share.replay_too_long', { count }) : text('share.replay_note') }),
    !isLong && h('div', { class: 'row' }, download(`/api/games/${id}/replay`, true, text('share.replay_download'))));
}

function download(href, name, words) {
  return h('a', { class: 'button', href, download: name }, icon('download'), h('span', { text: words }));
}

/** Chooses colours and a line of text, shows the picture and offers it as SVG and PNG. */
function pictureForm(shared, info) {
  const hasScore = shared.score !== null;
  const place = h('section', { class: 'share-picture row', 'aria-labelledby': 'share-picture' });
  let look = { shade: theme(), isCaptioned: hasScore };
  const set = (how) => {
    look = { ...look, ...how };
    const copyPicture = () => {
      const picture = fetch(pictureUrl(shared, look, 'png')).then((answer) => answer.blob());
      navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })])
        .then(() => toast(text('share.copied')), () => toast(text('share.not_copied')));
    };
    const file = (form) => download(pictureUrl(shared, look, form), `2048-board.${form}`, form.toUpperCase());
    render(place,
      h('img', { class: 'share-preview', alt: text('share.preview'), src: pictureUrl(shared, look, 'svg'),
        // as drawing.py has it, so that nothing moves when the picture comes
        style: { aspectRatio: `${shared.cols * 112 + 12} / ${shared.rows * 112 + 12 + (look.isCaptioned ? 40 : 0)}` } }),
      h('div', { class: 'stack' },
        h('h3', { id: 'share-picture', text: text('share.picture') }),
        chips(text('share.colours'), 'share-shade', ['light', 'dark'].map((one) => [one, text(`share.colours_${one}`)]),
          look.shade, (shade) => set({ shade })),
        hasScore && toggle(text(shared.move === null ? 'share.caption_score' : 'share.caption'), look.isCaptioned,
          (isCaptioned) => set({ isCaptioned })),
        h('div', { class: 'row' }, info.pixels && file('png'), file('svg'),
          info.pixels && navigator.clipboard?.write && typeof ClipboardItem === 'function'
            && button({ icon: 'copy', text: text('share.copy') }, copyPicture))));
  };
  set({});
  return place;
}

function pictureUrl({ board, score, move }, { shade, isCaptioned }, form) {
  const query = new URLSearchParams({ board, shade });
  if (isCaptioned) query.set('score', score);
  if (isCaptioned && move !== null) query.set('move', move);
  return `/api/pictures/board.${form}?${query}`;
}

const USUAL_MOVES = 100;
const USUAL_RATE = 5;
const FORMS = ['gif', 'webp'];

/** Chooses moves, speed and format, has the file made and saves it. */
class AnimationForm {
  #making = null; // ends the request
  #said = ''; // what came of the last file
  #error = '';

  /**
   * @param {{id: string, first: number, last: number, at: number}} game
   * @param {object} info answer of `/api/pictures`
   */
  constructor(game, info) {
    const from = Math.max(game.first, game.at - USUAL_MOVES);
    Object.assign(this, { game, info, from, to: game.at, rate: USUAL_RATE, form: FORMS[0] });
    this.element = part(h('section', { class: 'stack', 'aria-labelledby': 'share-animation' }));
    this.#draw();
  }

  /** Make nothing more. */
  close() {
    this.#making?.abort();
  }

  #set(how) {
    Object.assign(this, how);
    [this.#said, this.#error] = ['', ''];
    this.#draw();
  }

  #draw() {
    const { from, to, info } = this;
    const wrong = this.#wrong;
    const count = to - from;
    const length = text('share.length', { count, time: formatDuration(count / this.rate) });
    const number = (name) => field(text(`share.${name}`), h('input', {
      id: `share-${name}`, class: 'input number', type: 'number', min: this.game.first, max: this.game.last, step: 1,
      value: String(this[name]), oninput: ({ target }) => this.#set({ [name]: target.valueAsNumber }) }));
    render(this.element,
      h('h3', { id: 'share-animation', text: text('share.animation') }),
      h('div', { class: 'share-fields fit' }, number('from'), number('to'),
        selectField('share-rate', text('play.pace'), info.rates.map((one) => [one, text('watch.speed', { count: one })]),
          this.rate, (rate) => this.#set({ rate: Number(rate) }))),
      chips(text('share.format'), 'share-form', FORMS.map((form) => [form, text(`share.format_${form}`)]), this.form,
        (form) => this.#set({ form })),
      h('p', { class: 'soft small', role: 'status',
        text: this.#making ? text('share.drawing', { count }) : this.#said || (wrong ? '' : length) }),
      h('p', { class: 'field-error', role: 'alert', text: wrong || this.#error }),
      h('div', { class: 'row' },
        button({ icon: 'download', text: text('share.make') }, () => this.#make(),
          { disabled: !info.pixels || Boolean(wrong), 'aria-disabled': this.#making && 'true' }),
        this.#making && [button({ text: text('all.cancel') }, () => this.close(), { key: 'cancel' }),
          h('progress', { 'aria-label': text('share.making') })]));
  }

  get #wrong() {
    const { from, to, info, game: { first, last } } = this;
    if (!(from >= first && to <= last && from < to)) return text('share.range', { first, last });
    return to - from > info.moves ? text('share.most', { count: info.moves }) : '';
  }

  async #make() {
    if (this.#making) return;
    this.#making = new AbortController();
    this.#set({});
    try {
      const answer = await fetch(this.#url, { signal: this.#making.signal });
      if (!answer.ok) throw new Error((await answer.json()).error);
      save(`2048-${this.game.id}.${this.form}`, await answer.blob());
      this.#said = text('share.made');
    } catch (error) {
      if (error.name !== 'AbortError') this.#error = error.message;
    }
    this.#making = null;
    this.#draw();
  }

  get #url() {
    const { from: first, to: last, rate } = this;
    return `/api/games/${this.game.id}/animation.${this.form}?${new URLSearchParams({ first, last, rate, shade: theme() })}`;
  }
}
