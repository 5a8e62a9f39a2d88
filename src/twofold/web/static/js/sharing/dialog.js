/** The dialog that makes files of a board or a game, to pass them on. */

import { toast } from '../announce.js';
import { chips, toggle } from '../controls.js';
import { copyText } from '../copying.js';
import { openDialog } from '../dialog.js';
import { button, h, icon, render } from '../dom.js';
import { analysisLink } from '../links.js';
import { net } from '../net.js';
import { theme } from '../settings.js';
import { text } from '../text.js';
import { AnimationForm } from './animation.js';

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
    const file = (form) => download(pictureUrl(shared, look, form), `2048-board.${form}`, form.toUpperCase());
    render(place,
      h('img', { class: 'share-preview', alt: text('share.preview'), src: pictureUrl(shared, look, 'svg'),
        style: { aspectRatio: shapeOf(shared, look) } }),
      h('div', { class: 'stack' },
        h('h3', { id: 'share-picture', text: text('share.picture') }),
        chips(text('share.colours'), 'share-shade', ['light', 'dark'].map((one) => [one, text(`share.colours_${one}`)]),
          look.shade, (shade) => set({ shade })),
        hasScore && toggle(text(shared.move === null ? 'share.caption_score' : 'share.caption'), look.isCaptioned,
          (isCaptioned) => set({ isCaptioned })),
        h('div', { class: 'row' }, info.pixels && file('png'), file('svg'),
          info.pixels && navigator.clipboard?.write && typeof ClipboardItem === 'function'
            && button({ icon: 'copy', text: text('share.copy') }, () => copyPicture(pictureUrl(shared, look, 'png'))))));
  };
  set({});
  return place;
}

/** Width over height, as drawing.py has it, so that nothing moves when the picture comes. */
function shapeOf({ rows, cols }, { isCaptioned }) {
  return `${cols * 112 + 12} / ${rows * 112 + 12 + (isCaptioned ? 40 : 0)}`;
}

function pictureUrl({ board, score, move }, { shade, isCaptioned }, form) {
  const query = new URLSearchParams({ board, shade });
  if (isCaptioned) query.set('score', score);
  if (isCaptioned && move !== null) query.set('move', move);
  return `/api/pictures/board.${form}?${query}`;
}

async function copyPicture(url) {
  const picture = fetch(url).then((answer) => answer.blob());
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
    toast(text('share.copied'));
  } catch {
    toast(text('share.not_copied'));
  }
}
