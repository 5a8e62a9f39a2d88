/** Lab: studies with their tables and plots, training runs with their curves, as they grow. */

import { fill, h, icon } from '../dom.js';
import { JobsView } from '../jobs/jobs_view.js';
import { addressOf, choiceOf, isSame } from '../lab/choice.js';
import { commandBlock } from '../lab/commands.js';
import { LabList } from '../lab/list.js';
import { whileVisible } from '../lab/poll.js';
import { RunView } from '../lab/run_view.js';
import { StudyView } from '../lab/study_view.js';
import { net } from '../net.js';
import { text } from '../text.js';

const EVERY_MS = 2000;
const NARROW = '(max-width: 53.75em)';

/**
 * @param {HTMLElement} root
 * @param {object} context see main.js
 * @returns {function(): void} unmounts
 */
export function mount(root, context) {
  const page = new LabPage(root, context);
  return () => page.close();
}

class LabPage {
  #view = null;
  #files = { studies: [], runs: [] };

  constructor(root, { params, title }) {
    Object.assign(this, { title, choice: choiceOf(params) });
    this.isFirst = true;
    this.list = new LabList((choice) => this.#go(choice));
    this.jobs = new JobsView({ names: () => this.#names(), onOpen: (address) => this.#goTo(address) });
    this.detail = h('div', { class: 'lab-detail', tabindex: -1 });
    this.back = h('a', { class: 'lab-back', href: '/lab', onclick: (event) => this.#leave(event) },
      icon('left'), h('span', { text: text('lab.back') }));
    this.element = h('div', { class: 'lab' },
      h('h1', { class: 'visually-hidden', text: text('nav.lab') }), this.jobs.element,
      this.list.element, h('div', { class: 'lab-side' }, this.back, this.detail));
    root.append(this.element);
    this.#open();
    this.stop = whileVisible(() => this.#refresh(), EVERY_MS);
  }

  close() {
    this.stop();
    this.jobs.close();
    this.#view?.close();
  }

  async #refresh() {
    const [studies, runs] = await Promise.all([net.get('/api/studies'), net.get('/api/runs')]);
    this.#files = { studies, runs };
    if (this.isFirst) this.#openNewest();
    this.isFirst = studies.length + runs.length === 0;
    this.list.show(this.#files, this.choice);
    this.#view?.update(this.#files);
    if (!this.#view) this.#invite();
  }

  /** Where there is room for both, what changed last stands beside the list at once. */
  #openNewest() {
    if (this.choice || window.matchMedia(NARROW).matches) return;
    const found = [
      ...this.#files.studies.map((one) => ({ ...one, choice: { study: one.name } })),
      ...this.#files.runs.map((one) => ({ ...one, choice: { runs: [one.name] } })),
    ].filter((one) => !one.error).sort((a, b) => (a.changed < b.changed ? 1 : -1));
    if (!found.length) return;
    this.choice = found[0].choice;
    this.#open();
  }

  #go(choice) {
    if (isSame(choice, this.choice)) return;
    this.choice = choice;
    window.history.pushState(null, '', addressOf(choice));
    this.#open();
    this.list.show(this.#files, choice);
    this.#view?.update(this.#files);
    if (window.matchMedia(NARROW).matches) window.scrollTo(0, 0);
  }

  #goTo(address) {
    this.#go(choiceOf(new URL(address, window.location.href).searchParams));
    this.detail.focus({ preventScroll: true });
  }

  /** The files in the folder, which a new one must not be named after. */
  #names() {
    const { studies, runs } = this.#files;
    return [...studies, ...runs].flatMap(({ name, network = '' }) => [name, network]);
  }

  #leave(event) {
    event.preventDefault();
    this.#go(null);
    this.list.focus();
  }

  #open() {
    const { choice } = this;
    if (choice?.runs && this.#view instanceof RunView) {
      this.#view.choose(choice.runs);
    } else {
      this.#view?.close();
      this.#view = choice ? this.#makeView(choice) : null;
      delete this.detail.dataset.kind;
      fill(this.detail, this.#view?.element);
    }
    this.element.classList.toggle('lab-open', choice !== null);
    this.element.classList.remove('lab-bare');
    if (!choice && !this.isFirst) this.#invite();
    this.title(choice ? `${choice.study ?? choice.runs.join(', ')} · ${text('nav.lab')}` : text('nav.lab'));
  }

  #makeView({ study, runs }) {
    if (study) return new StudyView(study);
    return new RunView(runs, (names) => this.#go({ runs: names }));
  }

  /** Nothing is chosen: say what to do. */
  #invite() {
    const { studies, runs } = this.#files;
    const kind = studies.length + runs.length ? 'choose' : 'empty';
    if (this.detail.dataset.kind === kind) return;
    this.detail.dataset.kind = kind;
    this.element.classList.toggle('lab-bare', kind === 'empty');
    fill(this.detail, kind === 'empty' ? emptyLab() : h('p', { class: 'soft', text: text('lab.choose') }));
  }
}

/** @returns {HTMLElement} */
function emptyLab() {
  return h('div', { class: 'lab-empty-page' },
    h('h2', { text: text('lab.empty_title') }), h('p', { class: 'soft', text: text('lab.empty') }),
    h('div', { class: 'lab-cards' }, card('study'), card('run')),
    h('p', { class: 'soft', text: text('lab.learn') }));
}

function card(kind) {
  return h('section', { class: 'card lab-how' }, h('h3', { text: text(kind === 'study' ? 'lab.studies' : 'lab.runs') }),
    h('p', { class: 'soft', text: text(`lab.about_${kind}`) }), commandBlock([text(`lab.make_${kind}`)]));
}
