/** The dialog of the settings; every change takes effect at once. */

import { openDialog } from './dialog.js';
import { h } from './dom.js';
import { LANGUAGES } from './language.js';
import { settings } from './settings.js';
import { text } from './text.js';


const CHOICES = {
  theme: ['system', 'light', 'dark'],
  palette: ['usual', 'original', 'contrast', 'safe'],
  speed: [0, 0.5, 1, 1.5, 2],
  say: ['all', 'short', 'off'],
};

/** Choices with a line below them. */
const NOTES = ['palette', 'speed', 'say'];

/** Show the settings. */
export function showSettings() {
  openDialog({
    title: text('nav.settings'),
    body: h('div', { class: 'stack wide' },
      chips('theme'), chips('palette'), chips('speed'), toggle('pad'), feedback(), chips('say'),
      languages()),
  });
}

function chips(name) {
  return h('fieldset', { class: 'field' }, h('legend', { text: text(`settings.${name}`) }),
    h('div', { class: 'chips' }, CHOICES[name].map((value) => h('label', { class: 'chip' },
      h('input', { type: 'radio', name: `setting-${name}`, checked: settings.get(name) === value,
        onchange: () => settings.set(name, value) }),
      text(`settings.${name}_${value}`)))),
    NOTES.includes(name) && h('p', { class: 'note', text: text(`settings.${name}_note`) }));
}

/** Sounds and the clock. */
function feedback() {
  return h('div', { class: 'stack tight' }, ['sounds', 'clock'].map((name) => toggle(name)));
}

function toggle(name) {
  return h('label', { class: 'check' },
    h('input', { type: 'checkbox', class: 'switch', role: 'switch', checked: settings.get(name),
      onchange: (event) => settings.set(name, event.target.checked) }),
    text(`settings.${name}`));
}

function languages() {
  const option = (value, words) => h('option',
    { value, text: words, selected: settings.get('language') === value });
  return h('label', { class: 'field' }, h('span', { text: text('settings.language') }),
    h('select', { onchange: (event) => settings.set('language', event.target.value) },
      option('system', text('settings.language_system')),
      Object.entries(LANGUAGES).map(([value, name]) => option(value, name))));
}
