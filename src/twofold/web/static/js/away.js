/** In the place of the page while no server has answered yet: how to start one. */

import { announce } from './announce.js';
import { button, fill, h } from './dom.js';
import { net } from './net.js';
import { text } from './text.js';

const USUAL_PORT = '2048';

/** What a page shows that was opened from what the browser keeps. */
export class Away {
  element = h('section', { class: 'away stack' });

  /** @param {string} state of the connection: `lost` or `forbidden` */
  show(state) {
    if (state === this.shown) return;
    this.shown = state;
    if (state === 'forbidden') return void this.#signIn();
    announce(text('away.title'));
    const { port } = window.location;
    const command = `twofold serve --no-open${port === USUAL_PORT ? '' : ` --port ${port || 80}`}`;
    this.#draw('away.title', [h('p', { text: text('away.how') }),
      h('pre', { class: 'away-command mono' }, h('code', { text: command })), h('p', { text: text('away.goes_on') })],
    'status.retry', () => net.retry());
  }

  /** The server is back, but this browser has no cookie: the server answers with a form. */
  #signIn() {
    const [opened] = performance.getEntriesByType('navigation');
    if (opened?.type !== 'reload') return void window.location.reload();
    this.#draw('status.sign_in', h('p', { text: text('away.sign_in_note') }), 'status.sign_in',
      () => window.location.reload());
  }

  #draw(title, words, key, run) {
    fill(this.element, h('h1', { text: text(title) }), words,
      h('div', { class: 'row' }, button({ text: text(key) }, run, { class: 'primary' })));
  }
}
