/** What the lab shows of a folder without studies and training runs: how to make some. */

import { h } from '../dom.js';
import { text } from '../text.js';
import { commandBlock } from './commands.js';

/** @returns {HTMLElement} */
export function emptyLab() {
  return h('div', { class: 'lab-empty-page' },
    h('h2', { text: text('lab.empty_title') }), h('p', { class: 'soft', text: text('lab.empty') }),
    h('div', { class: 'lab-cards' }, card('study'), card('run')),
    h('p', { class: 'soft', text: text('lab.learn') }));
}

function card(kind) {
  return h('section', { class: 'card lab-how' }, h('h3', { text: text(kind === 'study' ? 'lab.studies' : 'lab.runs') }),
    h('p', { class: 'soft', text: text(`lab.about_${kind}`) }), commandBlock([text(`lab.make_${kind}`)]));
}
