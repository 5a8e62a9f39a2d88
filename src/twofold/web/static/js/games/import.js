/** Games from files: sent in parts, so that a file may be of any size. */

import { toast } from '../announce.js';
import { h, listenTo, part, render } from '../dom.js';
import { net } from '../net.js';
import { text } from '../text.js';

const PART_BYTES = 2 ** 16; // about a second's work; twice as much where a game needs it
const MOST_BYTES = 2 ** 23; // the server takes no more at once
const MOST_UNREAD = 20;
const SEPARATORS = [
  [/^(ï»¿)?\s*\[\s*Twofold\b/, '\n[Twofold'],
  [/^(ï»¿)?\s*(\{\s*"schema"|[^@|\n]{0,2000}@-?\d+\|)/, '\n'],
]; // how a file of many games begins, and what stands between two

/** What came of an import so far. It goes on while other pages are shown. */
class ImportReport {
  /** Settles when the running import ends; null while none runs. */
  running = null;
  added = 0;
  known = 0;
  failed = 0;
  unread = [];

  constructor() {
    this.element = part(h('div', { class: 'card stack tight', hidden: true }));
  }

  /**
   * Save the games of files.
   *
   * @param {File[]} files
   * @returns {Promise<void>} settles when all are read
   */
  take(files) {
    this.running = this.#take(files).finally(() => { this.running = null; });
    return this.running;
  }

  /** Forget an import that has ended: its page is left. */
  leave() {
    if (!this.running) this.element.hidden = true;
  }

  async #take(files) {
    Object.assign(this, { added: 0, known: 0, failed: 0, unread: [] });
    this.element.hidden = false;
    const off = listenTo(window, { beforeunload: ask });
    for (const [place, file] of files.entries()) {
      this.place = `${text('games.importing', { place: place + 1, count: files.length })} `;
      this.#draw();
      await this.#takeFile(file).catch(({ message }) => {
        this.failed += 1;
        this.unread.push(text('games.unread_file', { file: file.name, message }));
      });
    }
    this.place = '';
    this.#draw();
    off();
    if (!this.element.isConnected) toast(this.#words); // on another page by now
  }

  async #takeFile(file) {
    let lines = 0;
    for await (const one of partsOf(file)) {
      const { added, known, failed, unread } = await net.post('/api/import', one.blob);
      this.added += added;
      this.known += known;
      this.failed += failed;
      this.unread.push(...unread.map(({ line, error }) => [text('games.unread_line', { file: file.name, line: lines + line }),
        ' ', h('span', { lang: 'en', text: error })]));
      lines += one.lines;
      this.#draw();
    }
  }

  get #words() {
    const { place, added, known, failed: count } = this;
    const counts = text('games.imported', { added: text('games.added', { count: added }), known: text('games.known', { count: known }) });
    return place + counts + (count && !place ? ` ${text('games.failed', { count })}` : '');
  }

  #draw() {
    const unread = this.place ? [] : this.unread.slice(0, MOST_UNREAD);
    render(this.element, h('p', { role: 'status', text: this.#words }),
      h('ul', { class: 'my-unread small' }, unread.map((words) => h('li', {}, words))));
  }
}

/** The import of this tab, shown on My games. */
export const importReport = new ImportReport();

/** Have the browser ask before the page is left: the rest of the games would be lost. */
function ask(event) {
  event.preventDefault();
}

/** The parts of a file, each cut between two games. */
async function* partsOf(file) {
  for (let start = 0; start < file.size;) {
    const letters = await partAt(file, start);
    yield { blob: file.slice(start, start + letters.length),
      lines: letters.split('\n').length - 1 };
    start += letters.length;
  }
}

/** The part of a file from a place on, a letter for each byte. */
async function partAt(file, start) {
  for (let size = PART_BYTES; size <= MOST_BYTES; size *= 2) {
    const bytes = await file.slice(start, start + size).arrayBuffer();
    const letters = new TextDecoder('latin1').decode(bytes);
    const length = start + size >= file.size ? letters.length : cut(letters);
    if (length) return letters.slice(0, length);
  }
  throw new Error(text('games.too_large'));
}

/** Where the last game of a part begins; 0 where it holds no whole one, or the file holds one. */
function cut(letters) {
  const [, separator] = SEPARATORS.find(([form]) => form.test(letters)) ?? [];
  return separator ? letters.lastIndexOf(separator) + 1 : 0;
}
