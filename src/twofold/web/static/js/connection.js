/** The line that tells that the server does not answer. */

import { button, fill, h } from './dom.js';
import { net } from './net.js';
import { text } from './text.js';

const PATIENCE_MS = 800;

/**
 * An element that is there while the connection is not.
 *
 * @returns {HTMLElement}
 */
export function showNet() {
  const line = h('div', { class: 'status-line', role: 'status', hidden: true });
  let timer = null;
  const quiet = (key, run) => button({ text: text(key) }, run, { class: 'quiet' });
  const update = () => {
    const isAway = !net.welcome && net.state !== 'connecting'; // away.js says more
    line.hidden = net.state === 'open' || isAway;
    const word = net.state === 'lost' && net.isRestarting ? 'restarting' : net.state;
    fill(line, line.hidden ? '' : text(`status.${word}`),
      net.state === 'lost' && quiet('status.retry', () => net.retry()),
      // the server answers with a form for the token
      net.state === 'forbidden' && quiet('status.sign_in', () => window.location.reload()));
  };
  // A connection that comes within a moment is not worth a word.
  const changed = () => {
    clearTimeout(timer);
    if (net.state === 'open') update();
    else timer = setTimeout(update, PATIENCE_MS);
  };
  net.on('state', changed);
  changed();
  return line;
}
