/** The list of studies and training runs in the folder. */

import { fill, h } from '../dom.js';
import { formatShort } from '../figures.js';
import { text } from '../text.js';
import { addressOf, isSame } from './choice.js';
import { commandBlock } from './commands.js';
import { faultWords } from './faults.js';
import { formatAgo } from './time.js';

/** Shows the files; tells which one was chosen. */
export class LabList {
  #shown = '';

  /**
   * @param {(choice: import('./choice.js').Choice) => void} onChoose
   */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.element = h('nav', { class: 'lab-list', 'aria-label': text('lab.files') },
      h('p', { class: 'soft', text: text('all.loading') }));
  }

  /**
   * @param {{studies: object[], runs: object[]}} files as the server lists them
   * @param {import('./choice.js').Choice | null} choice what is open
   */
  show({ studies, runs }, choice) {
    const lines = [
      this.#part(text('lab.studies'), 'study',
        studies.map((one) => this.#item(one, { study: one.name }, choice, studyLines(one)))),
      this.#part(text('lab.runs'), 'run',
        runs.map((one) => this.#item(one, { runs: [one.name] }, choice, runLines(one)))),
      h('p', { class: 'soft small', text: text('lab.learn') }),
    ];
    const fresh = h('div', null, lines);
    if (fresh.innerHTML === this.#shown) return;
    this.#shown = fresh.innerHTML;
    const focused = document.activeElement?.closest('.lab-item')?.getAttribute('href');
    fill(this.element, [...fresh.children]);
    if (focused) this.element.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  /** Put the focus on the first file. */
  focus() {
    this.element.querySelector('a')?.focus();
  }

  #part(title, kind, items) {
    const body = items.length ? h('ul', { class: 'lab-items' }, items) : howToMake(kind);
    return h('section', { class: 'lab-part' }, h('h2', { text: title }), body);
  }

  #item(file, choice, open, lines) {
    const name = file.name.split(/(?<=\/)/).flatMap((part) => [part, h('wbr')]);
    const inside = [h('span', { class: 'lab-line' }, h('strong', { class: 'lab-name' }, name),
      h('span', { class: 'soft small nowrap', text: formatAgo(file.changed) })), lines];
    if (file.error) return h('li', null, h('div', { class: 'lab-item' }, inside));
    const isOpen = isSame(choice, open) || (choice.runs && open?.runs?.includes(file.name));
    return h('li', null, h('a', { class: 'lab-item', href: addressOf(choice),
      'aria-current': isOpen ? 'true' : null, onclick: (event) => this.#choose(event, choice) }, inside));
  }

  #choose(event, choice) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) return;
    event.preventDefault();
    this.onChoose(choice);
  }
}

function studyLines(study) {
  if (study.error) return h('span', { class: 'error small', text: faultWords(study.error) });
  const players = text('lab.players', { count: study.players.length });
  const games = study.games < study.asked
    ? text('lab.games_of', { done: study.games, asked: study.asked }) : text('games.found', { count: study.games });
  return [
    h('span', { class: 'soft small', text: `${players} · ${games}` }),
    study.games < study.asked && h('progress', { value: study.games, max: study.asked, 'aria-label': games }),
  ];
}

function runLines(run) {
  if (run.error) return h('span', { class: 'error small', text: faultWords(run.error) });
  const key = run.runs > 1 ? 'lab.mean_of_runs' : 'lab.mean_of';
  const mean = run.mean === null ? text('lab.no_points')
    : text(key, { mean: formatShort(run.mean), count: run.runs });
  const games = text('games.found', { count: run.games });
  return h('span', { class: 'soft small', text: `${mean} · ${games}` });
}

function howToMake(kind) {
  return h('div', { class: 'stack tight lab-how' },
    h('p', { class: 'soft small', text: text(`lab.no_${kind}`) }), commandBlock([text(`lab.make_${kind}`)]));
}
