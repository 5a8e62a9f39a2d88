/** Games from files: sent in parts, so that a file may be of any size. */

import { fill, h } from '../dom.js';
import { net } from '../net.js';
import { text } from '../text.js';

const PART_BYTES = 4 * 2 ** 20; // the server takes twice as much at once
const MOST_UNREAD = 20;
const RECORD = '\n[Twofold';

/** What came of an import so far. */
export class ImportReport {
  added = 0;
  known = 0;
  failed = 0;
  unread = [];

  constructor() {
    this.status = h('p', { role: 'status' });
    this.list = h('ul', { class: 'my-unread small' });
    this.element = h('div', { class: 'card stack tight', hidden: true }, this.status, this.list);
  }

  /**
   * Save the games of files.
   *
   * @param {File[]} files
   */
  async take(files) {
    Object.assign(this, { added: 0, known: 0, failed: 0, unread: [] });
    this.element.hidden = false;
    for (const [place, file] of files.entries()) {
      this.#tell(text('games.importing', { place: place + 1, count: files.length }));
      await this.#takeFile(file).catch((error) => this.#fail(file, error.message));
    }
    this.#tell(text('games.imported', { added: text('games.added', { count: this.added }),
      known: text('games.known', { count: this.known }) }));
    this.#showUnread();
  }

  async #takeFile(file) {
    let lines = 0;
    for await (const part of partsOf(file)) {
      const { added, known, failed, unread } = await net.post('/api/import', part.blob);
      this.added += added;
      this.known += known;
      this.failed += failed;
      this.unread.push(...unread.map(({ line, error }) => text('games.unread_line',
        { file: file.name, line: lines + line, message: error })));
      lines += part.lines;
    }
  }

  #fail(file, message) {
    this.failed += 1;
    this.unread.push(text('games.unread_file', { file: file.name, message }));
  }

  #tell(words) {
    this.status.textContent = words;
    fill(this.list);
  }

  #showUnread() {
    if (!this.failed) return;
    this.status.textContent += ` ${text('games.failed', { count: this.failed })}`;
    fill(this.list, this.unread.slice(0, MOST_UNREAD).map((words) => h('li', { text: words })));
  }
}

/** The parts of a file, each cut between two games. */
async function* partsOf(file) {
  let start = 0;
  while (start < file.size || !start) {
    const letters = await lettersOf(file.slice(start, start + PART_BYTES));
    const isLast = start + PART_BYTES >= file.size;
    const length = isLast ? file.size - start : cut(letters);
    const blob = file.slice(start, start + length);
    yield { blob, lines: letters.slice(0, length).split('\n').length - 1 };
    start += length;
    if (isLast) return;
  }
}

/** A letter for each byte. */
async function lettersOf(blob) {
  return new TextDecoder('latin1').decode(await blob.arrayBuffer());
}

/** Where the last game of a part begins. */
function cut(letters) {
  const between = letters.trimStart().startsWith('[') ? RECORD : '\n';
  const place = letters.lastIndexOf(between) + 1;
  if (!place) throw new Error(text('games.too_large'));
  return place;
}
