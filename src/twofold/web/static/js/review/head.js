/** The head of a review: what the game was, and what can be done with it. */

import { openDialog } from '../dialog.js';
import { button, h, icon } from '../dom.js';
import { timeText } from '../games/words.js';
import { playerNames } from '../player_names.js';
import { shareLink } from '../share.js';
import { number, text } from '../text.js';
import { toast } from '../toast.js';

/**
 * The head.
 *
 * @param {import('./game.js').ReviewGame} game
 * @param {() => void} onPlayOn
 * @param {() => void} onShare
 * @returns {HTMLElement}
 */
export function reviewHead(game, onPlayOn, onShare) {
  const rules = game.rules
    .split(' ')
    .filter((part) => !ORIGINAL.has(part))
    .join(' ');
  const facts = [
    text('review.moves', { count: game.last }),
    text('review.largest', { tile: String(game.largestAt(game.last)) }),
    rules,
    game.player === 'me' ? '' : playerNames(game.player),
    timeText(game.date),
  ];
  return h(
    'div',
    { class: 'review-head' },
    h(
      'div',
      null,
      h('h1', { class: 'number', text: text('play.game_score', { score: game.score }) }),
      h('p', {
        class: 'soft small review-facts',
        title: game.player,
        text: facts.filter(Boolean).join(' · '),
      }),
    ),
    h(
      'div',
      { class: 'row review-actions' },
      button({ icon: 'play', text: text('analyse.play') }, onPlayOn, {
        title: text('review.play_on_help'),
      }),
      h(
        'a',
        { class: 'button', href: `/api/games/${game.id}/record`, download: '' },
        icon('download'),
        h('span', { class: 'button-text', text: text('play.download') }),
      ),
      button({ icon: 'link', text: text('analyse.copy') }, () => share(game)),
      button({ icon: 'share', text: text('share.button') }, onShare),
      h(
        'a',
        { class: 'button review-others', href: '/review' },
        icon('games'),
        h('span', { class: 'button-text', text: text('review.others') }),
      ),
    ),
  );
}

const ORIGINAL = new Set(['4x4', 'spawn=2:0.9,4:0.1', 'start=2', 'goal=2048', 'stop=never']);

async function share(game) {
  try {
    const answer = await fetch(`/api/games/${game.id}/record`);
    if (!answer.ok) throw new Error(text('review.share_failed'));
    const link = await shareLink(await answer.text());
    await copy(link);
  } catch (error) {
    toast(error.message);
  }
}

/** To the clipboard; where the browser does not allow it, into a field to copy from. */
async function copy(link) {
  try {
    await navigator.clipboard.writeText(link);
    toast(text('review.shared', { length: number(link.length) }));
  } catch {
    const field = h('input', {
      class: 'input mono',
      readonly: true,
      value: link,
      'aria-label': text('analyse.copy'),
    });
    openDialog({
      title: text('analyse.copy'),
      body: [h('p', { text: text('review.share_copy') }), field],
    });
    field.select();
  }
}
