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
    if (state === 'forbidden') this.#signIn();
    else if (this.shown !== state) this.#start();
    this.shown = state;
  }

  #start() {
    announce(text('away.title'));
    fill(this.element,
      h('h1', { text: text('away.title') }),
      h('p', { text: text('away.how') }),
      h('pre', { class: 'away-command mono' }, h('code', { text: command() })),
      h('p', { text: text('away.goes_on') }),
      h('div', { class: 'row' },
        button({ text: text('status.retry') }, () => net.retry(), { class: 'primary' })));
  }

  /** The server is back, but this browser has no cookie: the server answers with a form. */
  #signIn() {
    const [opened] = performance.getEntriesByType('navigation');
    if (opened?.type !== 'reload') return void window.location.reload();
    fill(this.element,
      h('h1', { text: text('status.sign_in') }),
      h('p', { text: text('away.sign_in_note') }),
      h('div', { class: 'row' }, button({ text: text('status.sign_in') },
        () => window.location.reload(), { class: 'primary' })));
  }
}

function command() {
  const { port } = window.location;
  return `twofold serve --no-open${port === USUAL_PORT ? '' : ` --port ${port || 80}`}`;
}
