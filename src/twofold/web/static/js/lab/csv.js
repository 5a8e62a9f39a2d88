/** Tables as CSV files to download. */

import { button } from '../dom.js';
import { text } from '../text.js';

const THOUSANDS = /^[−-]?\d{1,3}(,\d{3})+(\.\d+)?$/;

/**
 * A small button that downloads a table.
 *
 * @param {string} label what the table is, for its name
 * @param {() => {name: string, rows: (string | number | null)[][]}} make the name of the file
 *   without its end, and its rows with the header
 * @returns {HTMLButtonElement}
 */
export function csvButton(label, make) {
  const save = () => {
    const { name, rows } = make();
    download(`${name}.csv`, csvOf(rows));
  };
  return button({ icon: 'download', text: 'CSV' }, save,
    { class: 'quiet lab-csv', 'aria-label': text('lab.csv_of', { label }) });
}

/**
 * @param {(string | number | null)[][]} rows
 * @returns {string} lines that end with a line feed; numbers without thousands separators
 */
function csvOf(rows) {
  return rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
}

/** A text with commas, quotes or line ends is quoted; one that a spreadsheet would compute is not. */
function cell(value) {
  const words = value === null || value === undefined ? '' : String(value);
  const plain = THOUSANDS.test(words) ? words.replaceAll(',', '').replace('−', '-') : words;
  const safe = /^[=@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function download(name, content) {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replaceAll('/', '-');
  link.click();
  URL.revokeObjectURL(url);
}
