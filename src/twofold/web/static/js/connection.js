/** What is shown while the server does not answer: a line, or in the place of a page how to start one. */

import { announce } from './announce.js';
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

const USUAL_PORT = '2048';

/** What a page shows that was opened from what the browser keeps. */
export class Away {
  element = h('section', { class: 'away stack' });

  /** @param {string} state of the connection: `lost` or `forbidden` */
  show(state) {
    if (state === this.shown) return;
    this.shown = state;
    if (state === 'forbidden') {
      // the server is back, but this browser has no cookie: the server answers with a form
      const [opened] = performance.getEntriesByType('navigation');
      if (opened?.type !== 'reload') return void window.location.reload();
      return void this.#draw('status.sign_in', h('p', { text: text('away.sign_in_note') }), 'status.sign_in', () => window.location.reload());
    }
    announce(text('away.title'));
    const { port } = window.location;
    const command = `twofold serve --no-open${port === USUAL_PORT ? '' : ` --port ${port || 80}`}`;
    this.#draw('away.title', [h('p', { text: text('away.how') }),
      h('pre', { class: 'away-command mono' }, h('code', { text: command })), h('p', { text: text('away.goes_on') })],
    'status.retry', () => net.retry());
  }

  #draw(title, words, key, run) {
    fill(this.element, h('h1', { text: text(title) }), words,
      h('div', { class: 'row' }, button({ text: text(key) }, run, { class: 'primary' })));
  }
}
