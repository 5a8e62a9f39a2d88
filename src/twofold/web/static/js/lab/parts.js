/** Pieces of the lab's pages: commands to copy, files to save, marks of players and lines. */

import { toast } from '../announce.js';
import { save } from '../controls.js';
import { button, h, svg } from '../dom.js';
import { text } from '../text.js';

const FORMS = ['svg', 'png', 'pdf'];

/** Longer names go over several lines. */
const LONGEST_LINE = 24;

const THOUSANDS = /^[−-]?\d{1,3}(,\d{3})+(\.\d+)?$/;

/** Command lines to be copied. */
export function commandBlock(lines) {
  const copy = async () => {
    await navigator.clipboard.writeText(`${lines.join('\n')}\n`);
    toast(text('lab.copied'));
  };
  return h('div', { class: 'lab-commands' }, h('pre', null,
    lines.map((line) => h('code', null, line.split(' ').map((word) => [h('span', null, word), ' ']), '\n'))),
    navigator.clipboard && button({ icon: 'copy', label: text('lab.copy') }, copy, { class: 'quiet' }));
}

/**
 * A small button that saves a table.
 *
 * @param {string} label what the table is, for its name
 * @param {() => {name: string, rows: (string | number | null)[][]}} make the name of the file
 *   without its end, and its rows with the header
 */
export function csvButton(label, make) {
  const press = () => {
    const { name, rows } = make();
    const lines = rows.map((row) => `${row.map(cell).join(',')}\n`);
    save(`${name}.csv`, new Blob(lines, { type: 'text/csv' }));
  };
  return button({ icon: 'download', text: 'CSV' }, press,
    { class: 'quiet lab-csv', 'aria-label': text('lab.csv_of', { label }) });
}

/**
 * A button that saves what is at an address, or says why there is nothing.
 *
 * @param {string} words on it
 * @param {string} address
 * @param {string} name of the file
 * @param {string} [label] a longer name than the words
 * @param {boolean} [disabled]
 */
export function saveButton(words, address, name, label, disabled = false) {
  const press = async () => {
    const answer = await fetch(address).catch(() => null);
    if (answer?.ok) return void save(name, await answer.blob());
    const { error = text('lab.not_saved') } = await answer?.json().catch(() => null) ?? {};
    toast(error);
  };
  return button({ icon: 'download', text: words }, press, { class: 'quiet lab-download', 'aria-label': label, disabled });
}

/** How to install what draws figures; empty where it is there. */
export const drawing = { install: '' };

/**
 * The files of a figure for a paper, a button each.
 *
 * @param {string} label what the figure is
 * @param {string} address with its query, to which the form is added
 * @param {string} name of the file without its end
 */
export function figureButtons(label, address, name) {
  return h('div', { key: 'files', class: 'row lab-files', role: 'group', 'aria-label': text('lab.figure') },
    FORMS.map((form) => saveButton(form.toUpperCase(), `${address}&form=${form}`, `${name}.${form}`,
      text('lab.figure_of', { form: form.toUpperCase(), label }), Boolean(drawing.install))),
    drawing.install && h('p', { class: 'soft small' }, text('lab.no_figures'), ' ', h('code', { text: drawing.install })));
}

/** A cell of a CSV: numbers without thousands separators; a text with commas, quotes or line ends is quoted; one that a spreadsheet would compute is not. */
function cell(value) {
  const words = value === null || value === undefined ? '' : String(value);
  const plain = THOUSANDS.test(words) ? words.replaceAll(',', '').replace('−', '-') : words;
  const safe = /^[=@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Why a file cannot be read: of `expected X, got 'name': the reason` the reason alone. */
export function faultWords(words) {
  const [, reason] = /^expected [^:]*: (.+)$/s.exec(words) ?? [null, words];
  return text('lab.unreadable', { reason });
}

/**
 * A player as in every table and legend: its line with its marker, place, name.
 *
 * @param {{name: string, label: string, colour: number, dashes: number[], marker: string}} player
 * @param {number} place from 0 on
 */
export function playerMark({ name, label, colour, dashes, marker }, place) {
  return h('span', { class: 'lab-player line' }, swatch(colour, dashes, svg('path', { d: marker, fill: 'currentColor' })),
    h('span', { class: 'soft', text: `${place + 1}` }), h('span', { title: label }, broken(name)));
}

/** A line of a chart with its name. */
export function lineMark(name, { colour, dashed }) {
  return h('span', { class: 'lab-player line' }, swatch(colour - 1, dashed ? [5, 3] : []), h('span', null, broken(name)));
}

function swatch(colour, dashes, marker = null) {
  return svg('svg', { class: `lab-swatch chart-colour-${colour + 1}`, viewBox: '0 0 28 12', 'aria-hidden': 'true' },
    svg('path', { class: 'lab-swatch-line', d: 'M0 6H28', 'stroke-dasharray': dashes.join(' ') || null }), marker);
}

/** Whether a name fits in a line of a table. */
export function isShort(name) {
  return name.length <= LONGEST_LINE;
}

/** A long name, to be broken after a comma or a colon. */
export function broken(name) {
  if (isShort(name)) return [name];
  return name.split(/(?<=[,:])/).flatMap((part, place) => (place ? [h('wbr'), part] : [part]));
}
