/** A small question mark that opens an explanation where a term stands: by mouse, touch or keys. */

import { h } from './dom.js';
import { text } from './text.js';

/**
 * @param {string} name of the explanation, once on a page
 * @param {string} term that is explained
 * @param {string} words
 * @returns {HTMLElement[]} the button and what it opens
 */
export function hint(name, term, words) {
  const id = `hint-${name}`;
  return [
    h('button', { type: 'button', class: 'bare hint', key: id, popovertarget: id,
      'aria-label': text('hint.label', { term }), text: '?' }),
    h('span', { id, key: `${id}-words`, class: 'hint-words', popover: 'auto', text: words }),
  ];
}
