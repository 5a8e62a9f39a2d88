/** A plot of a study: an image of the server in the colours of the page. */

import { fill, h } from '../dom.js';
import { language } from '../language.js';
import { DARK, theme } from '../look.js';
import { settings } from '../settings.js';
import { text } from '../text.js';
import { dataAddress } from './choice.js';
import { scrollBox } from './scroll_box.js';
import { playerName } from './swatch.js';

/** Sizes as the server draws them, so that nothing moves when an image comes. */
const WIDTH = { wide: 518, narrow: 331 };
const HEIGHT = 259;
const TWO_PANELS = 374;
const NARROW = window.matchMedia('(max-width: 40em)');

/**
 * Listen to what plots depend on: the theme, of the page and of the system, and the width.
 *
 * @param {() => void} handler
 * @returns {() => void} ends it
 */
export function onLook(handler) {
  const off = settings.on('theme', handler);
  for (const query of [DARK, NARROW]) query.addEventListener('change', handler);
  return () => {
    off();
    for (const query of [DARK, NARROW]) query.removeEventListener('change', handler);
  };
}

/** A plot with its legend and what it shows in words. The image stays until the next one is there. */
export class PlotFigure {
  /**
   * @param {'reach' | 'survival' | 'scores' | 'strength'} kind
   * @param {boolean} isLazy whether it is fetched only once it is near the screen
   */
  constructor(kind, isLazy) {
    this.image = h('img', { class: 'lab-plot', alt: text(`lab.alt_${kind}`), loading: isLazy ? 'lazy' : 'eager' });
    this.legend = h('ul', { class: 'lab-legend' });
    const box = scrollBox(text(`lab.plot_${kind}`), this.image);
    box.dataset.wait = text('lab.drawing'); // the first plot of a server takes seconds
    for (const event of ['load', 'error']) this.image.addEventListener(event, () => delete box.dataset.wait);
    this.element = h('figure', { class: 'lab-figure' }, box, this.legend,
      h('figcaption', { class: 'soft small', text: text(`lab.caption_${kind}`) }));
  }

  /**
   * @param {{name: string, changed: string}} study
   * @param {{name: string, kind: string}} plot
   * @param {object[]} players of the section
   */
  show({ name, changed }, plot, players) {
    const address = `${dataAddress('studies', name)}/${plot.name}.svg`;
    const width = NARROW.matches ? 'narrow' : 'wide';
    const source = `${address}?theme=${theme()}&language=${language}&width=${width}&changed=${encodeURIComponent(changed)}`;
    if (this.image.getAttribute('src') !== source) this.image.setAttribute('src', source);
    this.image.setAttribute('width', WIDTH[width]);
    this.image.setAttribute('height', heightOf(plot.kind, players.length));
    fill(this.legend, players.map((player, place) => h('li', null, playerName(player, place))));
  }
}

function heightOf(kind, players) {
  if (kind === 'scores') return 65 + 40 * players;
  return kind === 'survival' ? TWO_PANELS : HEIGHT;
}
