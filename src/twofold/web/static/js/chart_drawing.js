/** Draws the parts of a line chart: axes, lines, marks, dots. */

import { bandPath, linePath, rangeOf, scaleOf, valueAt } from './chart_scale.js';
import { svg } from './dom.js';
import { formatShort, shortFormat } from './figures.js';

const TICK_EVERY_X = 90;
const TICK_EVERY_Y = 32;
const SPACE = { top: 10, bottom: 24, side: 46, none: 10 };

/**
 * @typedef {object} Scales
 * @property {import('./chart_scale.js').Scale} x
 * @property {import('./chart_scale.js').Scale} y on the left
 * @property {import('./chart_scale.js').Scale} right
 * @property {boolean} hasRight whether a line goes by the axis on the right
 * @property {number} left pixel where lines begin
 * @property {number} end pixel where they end
 * @property {number} bottom
 * @property {number} top
 */

/**
 * The scales of a chart.
 *
 * @param {object} axes `x`, `y` and `right`
 * @param {object[]} lines
 * @param {[number, number]} xs smallest and largest x
 * @param {number} width in pixels
 * @param {number} height in pixels
 * @returns {Scales}
 */
export function scalesOf(axes, lines, xs, width, height) {
  const hasRight = lines.some((line) => line.right);
  const [left, end] = [SPACE.side, width - (hasRight ? SPACE.side : SPACE.none)];
  const [bottom, top] = [height - SPACE.bottom, SPACE.top];
  const across = Math.max(2, Math.floor((end - left) / TICK_EVERY_X));
  const up = Math.max(2, Math.floor((bottom - top) / TICK_EVERY_Y));
  return {
    x: scaleOf(axes.x, xs, left, end, across),
    y: scaleOf(axes.y, rangeY(lines, false), bottom, top, up),
    right: scaleOf(axes.right, rangeY(lines, true), bottom, top, up),
    hasRight,
    left,
    end,
    bottom,
    top,
  };
}

function rangeY(lines, right) {
  const some = lines.filter((line) => Boolean(line.right) === right);
  return rangeOf(some.flatMap(({ ys, low = [], high = [] }) => [ys, low, high])) ?? [1, 2];
}

/**
 * Axes, ticks and the lines across.
 *
 * @param {object} axes
 * @param {Scales} scales
 * @returns {Array}
 */
export function drawAxes(axes, { x, y, right, hasRight, left, end, bottom }) {
  const across = (tick) =>
    svg('line', { class: 'chart-grid', x1: left, x2: end, y1: y.at(tick), y2: y.at(tick) });
  const words = (place, px, py, written) =>
    svg('text', { class: `chart-tick chart-tick-${place}`, x: px, y: py, text: written });
  return [
    y.ticks.map(across),
    y.ticks.map((tick) => words('left', left - 6, y.at(tick), written(axes.y, y)(tick))),
    hasRight &&
      right.ticks.map((tick) =>
        words('right', end + 6, right.at(tick), written(axes.right, right)(tick)),
      ),
    x.ticks.map((tick) => words('bottom', x.at(tick), bottom + 16, written(axes.x, x)(tick))),
    svg('line', { class: 'chart-axis', x1: left, x2: end, y1: bottom, y2: bottom }),
  ];
}

/** How the ticks of an axis are written; those of a logarithmic one each in its own unit. */
function written(axis, { ticks }) {
  return axis.format ?? (axis.base ? formatShort : shortFormat(ticks));
}

/**
 * The lines.
 *
 * @param {object[]} lines
 * @param {Scales} scales
 * @returns {Array}
 */
export function drawLines(lines, scales) {
  const { x, bottom } = scales;
  return lines.map((line) => {
    const up = line.right ? scales.right : scales.y;
    const path = linePath(line.xs, line.ys, x, up, line.stepped);
    if (!path) return null;
    const kind = `chart-line chart-colour-${line.colour}${line.dashed ? ' dashed' : ''}`;
    const [first, last] = [x.at(line.xs[0]), x.at(line.xs[line.xs.length - 1])];
    const below = `L${last.toFixed(1)} ${bottom}L${first.toFixed(1)} ${bottom}Z`;
    return [
      line.low &&
        svg('path', {
          class: `chart-band chart-colour-${line.colour}`,
          d: bandPath(line.xs, line.low, line.high, x, up),
        }),
      line.area &&
        svg('path', { class: `chart-area chart-colour-${line.colour}`, d: path + below }),
      svg('path', { class: kind, d: path, 'stroke-dasharray': line.dashes?.join(' ') || null }),
      line.low && line.xs.length === 1 && svg('path', { class: kind, d: barPath(line, x, up) }),
      line.marker && markersOf(line, x, up),
    ];
  });
}

/** The interval of a single point. */
function barPath({ xs, low, high }, x, y) {
  return `M${x.at(xs[0])} ${y.at(low[0])}V${y.at(high[0])}`;
}

/** The marker of a line at each of its points; the middle of its box is at 14, 6. */
function markersOf({ xs, ys, marker, colour }, x, y) {
  return Array.from(xs, (value, place) => svg('path', {
    class: `chart-marker chart-colour-${colour}`,
    d: marker,
    transform: `translate(${(x.at(value) - 14).toFixed(1)} ${(y.at(ys[place]) - 6).toFixed(1)})`,
  }));
}

/**
 * The marks.
 *
 * @param {object[]} marks
 * @param {Scales} scales
 * @returns {Array}
 */
export function drawMarks(marks, scales) {
  return marks.map(({ x, y, kind, symbol }) => {
    const place = `translate(${scales.x.at(x).toFixed(1)} ${scales.y.at(y).toFixed(1)})`;
    const sign = symbol && svg('text', { text: symbol });
    const dot = svg('circle', { r: symbol ? 7 : 4 });
    return svg('g', { class: `chart-mark ${kind}`, transform: place }, dot, sign);
  });
}

/**
 * A dot on each line at one place.
 *
 * @param {object[]} lines
 * @param {Scales} scales
 * @param {number} value the x
 * @returns {Array}
 */
export function drawDots(lines, scales, value) {
  return lines.map((line) => {
    const found = valueAt(line, value);
    if (found === null) return null;
    const cy = (line.right ? scales.right : scales.y).at(found);
    return svg('circle', {
      class: `chart-dot chart-colour-${line.colour}`,
      r: 4,
      cx: scales.x.at(value),
      cy,
    });
  });
}
