/** A study: its tables and plots, drawn anew when it has grown. */

import { fill, h, icon } from '../dom.js';
import { net } from '../net.js';
import { text } from '../text.js';
import { dataAddress } from './choice.js';
import { faultWords } from './faults.js';
import { SectionView } from './section_view.js';
import { formatAgo } from './time.js';

const PATIENCE_MS = 250;
const REST = 4;

/** Shows one study. */
export class StudyView {
  #sections = new Map();
  #tables = null;
  #asked = '';
  #isBusy = false;
  #restUntil = 0;

  /** @param {string} name */
  constructor(name) {
    this.name = name;
    this.status = h('p', { class: 'soft' });
    this.progress = h('progress', { hidden: true, 'aria-label': text('lab.reading_label') });
    this.games = h('a', { class: 'button quiet lab-download', href: `${dataAddress('studies', name)}/games.csv`,
      download: `${name.replace(/\.db$/, '').replaceAll('/', '-')}.csv`, hidden: true }, icon('download'), text('lab.csv_games'));
    this.body = h('div', { class: 'stack wide' });
    this.element = h('article', { class: 'lab-study', 'aria-busy': 'true' },
      h('header', { class: 'lab-head' }, h('h2', { text: name }), this.status, this.games, this.progress), this.body);
  }

  close() {
    for (const view of this.#sections.values()) view.close();
    this.isClosed = true;
  }

  /**
   * @param {{studies: object[]}} files as the server lists them now
   */
  update({ studies }) {
    const study = studies.find((one) => one.name === this.name);
    if (study?.error) return void this.#fail(faultWords(study.error));
    if (study?.games === 0) return void this.#fail(text('lab.no_games'), 'soft');
    this.study = study ?? this.study;
    this.#say();
    const stamp = study?.changed ?? 'none';
    // A large study takes long to read: then it is read less often than it changes.
    if (this.#isBusy || stamp === this.#asked || performance.now() < this.#restUntil) return;
    this.#load(stamp, study?.games ?? 0);
  }

  async #load(stamp, games) {
    const began = performance.now();
    const timer = setTimeout(() => this.#wait(games), PATIENCE_MS);
    this.#isBusy = true;
    try {
      this.#tables = await net.get(dataAddress('studies', this.name));
      this.#asked = stamp;
      this.#say();
      this.#draw();
    } catch (error) {
      this.#asked = error.kind === 'ConnectionLost' ? '' : stamp;
      this.#fail(error.message);
    }
    this.#isBusy = false;
    clearTimeout(timer);
    this.progress.hidden = true;
    this.element.removeAttribute('aria-busy');
    this.#restUntil = performance.now() + REST * (performance.now() - began);
  }

  #wait(games) {
    this.progress.hidden = false;
    if (this.#tables) return;
    fill(this.body);
    this.status.textContent = text('lab.reading', { count: games });
  }

  #say() {
    if (!this.#tables || !this.study) return;
    const { games, asked, players, changed } = this.study;
    const counts = [
      text('lab.players', { count: players.length }),
      games < asked ? text('lab.games_of', { done: games, asked }) : text('games.found', { count: games }),
      text('lab.changed', { when: formatAgo(changed) }),
    ];
    this.status.textContent = counts.join(' · ');
  }

  /** Say what is wrong; tables of before, of a study that is held just now, stay. */
  #fail(message, kind = 'error') {
    if (this.#tables || this.isClosed) return;
    this.element.removeAttribute('aria-busy');
    this.status.textContent = '';
    fill(this.body, h('p', { class: kind, text: message }));
  }

  #draw() {
    if (!this.#tables || this.isClosed) return;
    const { sections, charts } = this.#tables;
    this.games.hidden = false;
    const views = sections.map((section, place) => {
      const key = `${section.rules}\n${section.boards}`;
      if (!this.#sections.has(key)) this.#sections.set(key, new SectionView(section));
      const view = this.#sections.get(key);
      view.show(this.#tables, section, charts[place]);
      return view.element;
    });
    if (!this.body.contains(views[0]) || this.body.children.length !== views.length) fill(this.body, views);
  }
}
