/** Controls and lists that many pages have, as functions of what they show. */

import { toast } from './announce.js';
import { button, field, h } from './dom.js';
import { dayAfter } from './games/words.js';
import { analysisLink } from './links.js';
import { ICONS, LETTERS, moveName } from './moves.js';
import { text } from './text.js';

/**
 * A list to pick from.
 *
 * @param {[any, string][]} choices values and what stands for them
 * @param {any} chosen
 * @param {(value: string) => void} onPick
 * @param {object} [attributes]
 */
export function select(choices, chosen, onPick, attributes = {}) {
  return h('select', { class: 'select', onchange: ({ target }) => onPick(target.value), ...attributes },
    choices.map(([value, words]) => h('option', { value: String(value), selected: value === chosen, text: words })));
}

/** A control in its label. */
export function labelled(words, control) {
  return h('label', { class: 'field' }, h('span', { class: 'label', text: words }), control);
}

/** A `select` with its label; it has the id. */
export function selectField(id, label, choices, chosen, onPick) {
  return field(label, select(choices, chosen, onPick, { id }));
}

/**
 * Radios as chips.
 *
 * @param {string} name
 * @param {[any, any][]} choices values and what stands for them
 * @param {any} chosen
 * @param {(value: any) => void} onPick
 * @param {boolean} [isFirst] whether the one chosen has the focus at first
 */
export function radios(name, choices, chosen, onPick, isFirst = false) {
  return choices.map(([value, words]) => h('label', { key: value, class: 'chip' }, h('input', {
    type: 'radio', name, value, checked: value === chosen, autofocus: isFirst && value === chosen,
    onchange: () => onPick(value) }), words));
}

/** `radios` with a legend. */
export function chips(legend, name, ...choice) {
  return h('fieldset', { key: name, class: 'field' }, h('legend', { text: legend }),
    h('div', { class: 'row' }, radios(name, ...choice)));
}

/** A switch with its name. */
export function toggle(words, isOn, onChange) {
  return h('label', { class: 'check' }, h('input', { type: 'checkbox', class: 'switch', role: 'switch',
    checked: isOn, onchange: ({ target }) => onChange(target.checked) }), words);
}

/**
 * A slider with its value beside its name.
 *
 * @param {string} id
 * @param {string} label
 * @param {string} words the value as people read it
 * @param {object} attributes of the input, such as `min`, `max` and `value`
 * @param {(value: number) => void} onInput
 */
export function slider(id, label, words, attributes, onInput) {
  return h('div', { class: 'field' },
    h('span', { class: 'row apart label' }, h('label', { for: id, text: label }),
      h('output', { for: id, class: 'number', text: words })),
    h('input', { id, type: 'range', step: 1, 'aria-valuetext': words, ...attributes,
      oninput: ({ target }) => onInput(Number(target.value)) }));
}

/**
 * Figures with their names.
 *
 * @param {string} kind class of the list
 * @param {[string, any, object?][]} figures names, values, and further attributes of their place
 */
export function figureList(kind, figures) {
  return h('dl', { class: kind }, figures.map(([name, value, attributes]) => (
    h('div', { key: name, ...attributes }, h('dt', { text: name }), h('dd', { class: 'number' }, value)))));
}

/**
 * Have the browser save something.
 *
 * @param {string} name of the file
 * @param {Blob} blob
 */
export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  h('a', { href: url, download: name.replaceAll('/', '-') }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * @param {string} name of the explanation, once on a page
 * @param {string} term that is explained
 * @param {string} words
 * @returns {HTMLElement[]} the button and what it opens
 */
export function hint(name, term, words) {
  const id = `hint-${name}`;
  return [
    h('button', { type: 'button', class: 'bare hint', key: id, popovertarget: id,
      'aria-label': text('hint.label', { term }), text: '?' }),
    h('span', { id, key: `${id}-words`, class: 'hint-words', popover: 'auto', text: words }),
  ];
}

/**
 * A box around something wide. While it scrolls it has a place in the order of the Tab key, so
 * that it can be scrolled by keys.
 *
 * @param {string} label names it, where it scrolls
 * @param {Element} child
 * @returns {HTMLElement}
 */
export function scrollBox(label, child) {
  const box = h('div', { class: 'scroll-x', role: 'group', 'aria-label': label }, child);
  const observer = new ResizeObserver(() => { box.tabIndex = box.scrollWidth > box.clientWidth + 1 ? 0 : -1; });
  for (const one of [box, child]) observer.observe(one);
  return box;
}

/**
 * The D-pad: a button for each move.
 *
 * @param {function(string): void} onMove gets the letter
 */
export function movePad(onMove) {
  return h('div', { class: 'pad' }, LETTERS.map((letter) => button({ icon: ICONS[letter], label: moveName(letter) },
    () => onMove(letter), { class: `pad-${letter}` })));
}

/**
 * A day to choose: the one before, any, or the one after.
 *
 * @param {{day: string, first: string, today: string}} days the one chosen, and those that there are
 * @param {(day: string) => void} onPick
 */
export function dayPicker({ day, first, today }, onPick) {
  const beside = (icon, key, days, disabled) => button({ icon, label: text(key) }, () => onPick(dayAfter(day, days)), { disabled });
  return h('div', { class: 'row' }, beside('left', 'practice.day_before', -1, day <= first),
    h('input', { type: 'date', class: 'input practice-date', 'aria-label': text('practice.day'), value: day, min: first, max: today,
      onchange: ({ target }) => target.validity.valid && target.value && onPick(target.value) }),
    beside('right', 'practice.day_after', 1, day >= today));
}

/**
 * Copy a text and say so; where the browser does not allow it, say that.
 *
 * @param {string} words
 * @param {string} [done] said once it is copied
 * @param {string} [failed] said otherwise
 * @param {{text: string, run: function(): void}} [action] a button of what is said once it is copied
 */
export async function copyText(words, done = text('analyse.copied'), failed = text('analyse.not_copied'), action = null) {
  try {
    await navigator.clipboard.writeText(words);
    toast(done, action);
  } catch {
    toast(failed);
  }
}

/**
 * The menu of a page that copies a position: its tiles, the board as text, a link.
 *
 * @param {{board: string, tiles: number[], rows: number, cols: number, score?: number}} position
 * @param {Object<string, function(): void>} [more] further things to copy, by the end of their text
 * @returns {HTMLElement}
 */
export function copyMenu({ board, tiles, rows, cols, score }, more = {}) {
  const lines = Array.from({ length: rows }, (_, row) => tiles.slice(row * cols, (row + 1) * cols).join(' '));
  const link = new URL(analysisLink({ board, score: String(score ?? '') }), window.location.href);
  const items = { tiles: () => copyText(lines.join('\n')), board: () => copyText(board), link: () => copyText(link.href), ...more };
  return h('div', { class: 'menu' },
    button({ icon: 'copy', text: text('analyse.copy') }, null, { popovertarget: 'copy-menu' }),
    h('div', { id: 'copy-menu', class: 'menu-items', popover: 'auto' }, Object.entries(items).map(([name, run]) => (
      h('button', { type: 'button', class: 'bare', popovertarget: 'copy-menu', onclick: run }, text(`analyse.copy_${name}`))))));
}
