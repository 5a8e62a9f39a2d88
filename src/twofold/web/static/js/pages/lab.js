/** Lab: jobs, studies with their tables and charts, training runs with their curves, as they grow. */

import { button, h, icon, part, render } from '../dom.js';
import { formatAgo, formatShort } from '../figures.js';
import { Jobs } from '../jobs/jobs.js';
import { commandBlock, drawing, faultWords } from '../lab/parts.js';
import { RunView } from '../lab/runs.js';
import { StudyView } from '../lab/study.js';
import { addressOf, choiceOf, isSame } from '../links.js';
import { isPlain } from '../moves.js';
import { net, whileVisible } from '../net.js';
import { text } from '../text.js';

const EVERY_MS = 2000;
const NARROW = '(max-width: 53.75em)';
const JOBS = { study: 'bench', run: 'train' };

/**
 * @param {HTMLElement} root
 * @param {object} context see main.js
 */
export function mount(root, context) {
  new LabPage(root, context);
}

class LabPage {
  #view = null;
  #files = null; // null until the server has listed them

  constructor(root, { params, title, navigate }) {
    Object.assign(this, { title, navigate, choice: choiceOf(params) });
    this.element = h('div', { class: 'lab' });
    this.detail = part(h('div', { class: 'lab-detail', tabindex: -1 }));
    root.append(this.element);
    // a new file must not have the name of one that is there
    const names = () => Object.values(this.#files ?? {}).flat().flatMap(({ name, network = '' }) => [name, network]);
    this.jobs = new Jobs({ names, changed: () => this.#draw(), onOpen: (address) => {
      this.#go(choiceOf(new URL(address, window.location.href).searchParams));
      this.detail.focus({ preventScroll: true });
    } });
    this.#open();
    net.get('/api/pictures').then(({ figures }) => { drawing.install = figures; this.#draw(); }, console.info);
    whileVisible(() => this.#refresh(), EVERY_MS);
  }

  get #isEmpty() {
    return this.#files !== null && this.#files.studies.length + this.#files.runs.length === 0;
  }

  async #refresh() {
    const [studies, runs] = await Promise.all([net.get('/api/studies'), net.get('/api/runs')]);
    const isFirst = this.#files === null || this.#isEmpty;
    this.#files = { studies, runs };
    if (isFirst) this.#openNewest();
    this.#view?.update(this.#files);
    this.#draw();
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
    if (this.#files) this.#view?.update(this.#files);
    this.#draw();
    if (window.matchMedia(NARROW).matches) window.scrollTo(0, 0);
  }

  #follow(event, choice) {
    if (!isPlain(event)) return;
    event.preventDefault();
    this.#go(choice);
    if (!choice) this.element.querySelector('.lab-list a')?.focus();
  }

  #open() {
    const { choice } = this;
    if (choice?.runs && this.#view instanceof RunView) this.#view.names = choice.runs;
    else this.#view = choice && this.#made(choice);
    this.title(choice ? `${choice.study ?? choice.runs.join(', ')} · ${text('nav.lab')}` : text('nav.lab'));
  }

  #made({ study, runs }) {
    const common = { changed: () => this.#draw(), isComing: (name) => this.jobs.isComing(name) };
    if (study) return new StudyView(study, common);
    return new RunView(runs, { ...common, navigate: this.navigate, onChoose: (names) => this.#go({ runs: names }),
      onBench: (players) => this.jobs.open({ kind: 'bench', players }) });
  }

  // ---- what is shown

  #draw() {
    const isBare = this.#isEmpty && !this.choice;
    this.element.classList.toggle('lab-open', this.choice !== null);
    this.element.classList.toggle('lab-bare', isBare);
    render(this.detail, this.#view ? this.#view.view() : isBare ? this.#emptyLab()
      : this.#files && h('p', { key: 'choose', class: 'soft', text: text('lab.choose') }));
    render(this.element,
      h('h1', { text: text('nav.lab') }), this.jobs.view(), this.#list(),
      h('div', { key: 'side', class: 'lab-side' },
        h('a', { class: 'lab-back', href: '/lab', onclick: (event) => this.#follow(event, null) },
          icon('left'), h('span', { text: text('lab.back') })), this.detail));
  }

  #emptyLab() {
    return h('div', { key: 'empty', class: 'lab-empty-page stack' },
      h('h2', { text: text('lab.empty_title') }), h('p', { class: 'soft' },
        text('lab.empty').split(/(--\w+)/).map((words, place) => (place % 2 ? h('code', { class: 'nowrap' }, words) : words))),
      h('div', { class: 'lab-cards fit' }, ['study', 'run'].map((kind) => h('section', { class: 'card stack near' },
        h('h3', { text: text(`lab.${kind === 'study' ? 'studies' : 'runs'}`) }),
        h('p', { class: 'soft', text: text(`lab.about_${kind}`) }), this.#starter(kind)))),
      learn());
  }

  /** A job of a minute or two in one click; any other, and the command, behind it. */
  #starter(kind) {
    const job = JOBS[kind];
    return h('div', { class: 'stack tight' },
      this.jobs.isAllowed && h('div', { class: 'row' },
        button({ icon: 'run', text: text(`lab.start_${job}`) }, () => this.jobs.start(job), { class: 'primary' }),
        button({ text: text('lab.other_job') }, () => this.jobs.open({ kind: job }))),
      h('details', { class: 'lab-settings' }, h('summary', { text: text('lab.in_terminal') }), commandBlock([text(`lab.make_${kind}`)])));
  }

  #list() {
    if (!this.#files) return h('p', { key: 'list', class: 'lab-list soft stack wide', text: text('all.loading') });
    const { studies, runs } = this.#files;
    return h('nav', { key: 'files', class: 'lab-list stack wide', 'aria-label': text('lab.files') },
      this.#part('study', studies.map((one) => this.#item(one, { study: one.name }, studyLines))),
      this.#part('run', runs.map((one) => this.#item(one, { runs: [one.name] }, runLines))), learn());
  }

  #part(kind, items) {
    return h('section', { class: 'lab-part stack near' }, h('h2', { text: text(kind === 'study' ? 'lab.studies' : 'lab.runs') }),
      items.length ? [h('ul', { class: 'lab-items' }, items), this.jobs.isAllowed && button({ icon: 'run', text: text(`lab.start_${JOBS[kind]}`) },
        () => this.jobs.start(JOBS[kind]), { class: 'quiet lab-again' })] : this.#starter(kind));
  }

  #item(file, choice, linesOf) {
    const name = file.name.split(/(?<=\/)/).flatMap((piece) => [piece, h('wbr')]);
    const inside = [h('span', { class: 'lab-line row apart' }, h('strong', { class: 'lab-name' }, name),
      h('span', { class: 'soft small nowrap', text: formatAgo(file.changed) })),
    file.error ? h('span', { class: 'error small', text: faultWords(file.error) }) : linesOf(file)];
    if (file.error) return h('li', { key: file.name }, h('div', { class: 'lab-item' }, inside));
    const isOpen = isSame(choice, this.choice) || (choice.runs && this.choice?.runs?.includes(file.name));
    return h('li', { key: file.name }, h('a', { class: 'lab-item', href: addressOf(choice),
      'aria-current': isOpen ? 'true' : null, onclick: (event) => this.#follow(event, choice) }, inside));
  }
}

function learn() {
  return h('p', { class: 'small' }, h('a', { href: '/learn', text: text('lab.learn') }));
}

function studyLines({ players, games, asked }) {
  const played = games < asked ? text('lab.games_of', { done: games, asked }) : text('games.found', { count: games });
  return [
    h('span', { class: 'soft small', text: `${text('lab.players', { count: players.length })} · ${played}` }),
    games < asked && h('progress', { value: games, max: asked, 'aria-label': played }),
  ];
}

function runLines({ mean, games }) {
  const words = mean === null ? text('lab.no_points')
    : text('lab.mean_of', { mean: formatShort(mean) });
  return h('span', { class: 'soft small', text: `${words} · ${text('games.found', { count: games })}` });
}
