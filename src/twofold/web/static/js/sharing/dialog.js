/** The dialog that makes files of a board or a game, to pass them on. */

import { openDialog } from '../dialog.js';
import { h, icon } from '../dom.js';
import { net } from '../net.js';
import { text } from '../text.js';
import { toast } from '../toast.js';
import { AnimationForm } from './animation.js';
import { PictureForm } from './picture.js';

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
      animation?.element, shared.game && replay(shared.game, info)),
    onClose: () => animation?.close(),
  });
}

function missing(command) {
  return h('p', { class: 'share-missing' }, text('share.missing'), ' ',
    h('code', { class: 'nowrap', text: command }));
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
