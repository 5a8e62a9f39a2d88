/** The dialog of the settings; every change takes effect at once. */

import { chips, selectField, toggle } from './controls.js';
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

/** Show the settings. */
export function showSettings() {
  const languages = [['system', text('settings.language_system')], ...Object.entries(LANGUAGES)];
  openDialog({
    title: text('nav.settings'),
    body: h('div', { class: 'stack wide' },
      choice('theme'), choice('palette', true), choice('speed', true), isOn('pad'),
      h('div', { class: 'stack tight' }, isOn('sounds'), isOn('clock')), choice('say', true),
      selectField('setting-language', text('settings.language'), languages, settings.get('language'),
        (language) => settings.set('language', language))),
  });
}

function choice(name, hasNote = false) {
  const values = CHOICES[name].map((value) => [value, text(`settings.${name}_${value}`)]);
  const field = chips(text(`settings.${name}`), `setting-${name}`, values, settings.get(name),
    (value) => settings.set(name, value));
  if (hasNote) field.append(h('p', { class: 'note', text: text(`settings.${name}_note`) }));
  return field;
}

function isOn(name) {
  return toggle(text(`settings.${name}`), settings.get(name), (value) => settings.set(name, value));
}
