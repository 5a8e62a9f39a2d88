/** The box that says what the lines of a chart are worth at one place, and the samples of lines. */

import { fill, h, svg } from './dom.js';

const GAP = 12;

/** A box beside the place that is pointed at. */
export class Readout {
  element = h('div', { class: 'chart-readout', hidden: true });

  /**
   * @param {string} heading
   * @param {{sample: Node, words: string}[]} rows
   * @param {number} place of the pointer, in pixels
   * @param {number} width of the chart
   */
  show(heading, rows, place, width) {
    this.element.hidden = false;
    fill(
      this.element,
      h('strong', { text: heading }),
      rows.map((row) => h('span', null, row.sample, row.words)),
    );
    const onRight = place < width / 2;
    this.element.style.left = onRight ? `${place + GAP}px` : 'auto';
    this.element.style.right = onRight ? 'auto' : `${width - place + GAP}px`;
  }

  /** Say nothing. */
  hide() {
    this.element.hidden = true;
  }
}

/**
 * A short piece of a line, for legends.
 *
 * @param {{colour: number, dashed?: boolean}} line
 * @returns {SVGElement}
 */
export function sample(line) {
  return svg(
    'svg',
    { class: 'chart-sample', viewBox: '0 0 20 8', 'aria-hidden': 'true' },
    svg('path', {
      class: `chart-line chart-colour-${line.colour}${line.dashed ? ' dashed' : ''}`,
      d: 'M0 4H20',
    }),
  );
}
