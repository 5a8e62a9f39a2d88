/** The line that tells how many moves wait for the connection. */

import { h } from '../dom.js';
import { net } from '../net.js';
import { text } from '../text.js';

/** A line under the board that is empty while there is a connection. */
export class WaitingLine {
  element = h('p', { class: 'waiting', role: 'status', hidden: true });

  /** @param {import('./live_game.js').LiveGame} game */
  show({ waiting, dropped }) {
    const count = dropped || waiting;
    this.element.hidden = !count || net.state === 'open';
    const key = dropped ? 'play.waiting_dropped' : 'play.waiting';
    this.element.textContent = this.element.hidden ? '' : text(key, { count });
  }
}
