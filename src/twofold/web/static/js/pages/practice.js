/** Practice: puzzles, the puzzle of the day, the notebook of mistakes, endgames with a table. */

import { describeKeys } from '../dialog.js';
import { h } from '../dom.js';
import { text } from '../text.js';

/** Parts by name, in the order of the tabs. */
const PARTS = {
  stream: async () => (await import('../practice/puzzles.js')).StreamPart,
  puzzle: async () => (await import('../practice/puzzles.js')).PuzzlePart,
  mistakes: async () => (await import('../practice/notebook.js')).NotebookPart,
  endgames: async () => (await import('../practice/endgames.js')).EndgamesPart,
};

describeKeys('practice', { move: '← ↑ → ↓|W A S D|H J K L', undo: 'U|Ctrl Z', new: 'N', again: 'R' });

/**
 * @param {HTMLElement} root
 * @param {object} context of main.js
 */
export function mount(root, context) {
  const asked = context.params.get('part');
  const name = Object.hasOwn(PARTS, asked) ? asked : window.location.hash === '#day' ? 'puzzle' : 'stream';
  const place = h('div', { class: 'stack practice-part' });
  root.append(h('div', { class: 'stack practice' },
    h('div', { class: 'practice-head row apart' }, h('h1', { text: text('nav.practice') }), tabs(name)), place));
  context.title(`${text(`practice.tab_${name}`)} · ${text('nav.practice')}`);
  PARTS[name]().then((Part) => context.signal.aborted || new Part(place, context).begin());
}

function tabs(current) {
  return h('nav', { class: 'group practice-tabs', 'aria-label': text('practice.parts') },
    Object.keys(PARTS).map((name) => h('a', {
      class: 'button', href: name === 'puzzle' ? '/practice#day' : `/practice?part=${name}`,
      'aria-current': name === current ? 'page' : null,
    }, text(`practice.tab_${name}`))));
}
