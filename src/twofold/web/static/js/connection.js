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
  const action = () => {
    if (net.state === 'lost') return quiet('status.retry', () => net.retry());
    // The server answers with a form for the token.
    return net.state === 'forbidden' && quiet('status.sign_in', () => window.location.reload());
  };
  const update = () => {
    const isAway = !net.welcome && net.state !== 'connecting'; // away.js says more
    line.hidden = net.state === 'open' || isAway;
    fill(line, line.hidden ? '' : text(`status.${word()}`), action());
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

/** How the connection stands, as a key of the texts. */
function word() {
  return net.state === 'lost' && net.isRestarting ? 'restarting' : net.state;
}

function quiet(key, run) {
  return button({ text: text(key) }, run, { class: 'quiet' });
}
