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
    hasRight, left, end, bottom, top,
  };
}

function rangeY(lines, right) {
  const some = lines.filter((line) => Boolean(line.right) === right);
  return rangeOf(some.flatMap(({ ys, low = [], high = [] }) => [ys, low, high])) ?? [1, 2];
}

/** Axes, ticks and the lines across. */
export function drawAxes(axes, { x, y, right, hasRight, left, end, bottom }) {
  const across = (value, kind) => svg('line', { class: kind, x1: left, x2: end, y1: value, y2: value });
  const words = (axis, scale, place, put) => scale.ticks.map((tick) => svg('text',
    { class: `chart-tick chart-tick-${place}`, text: written(axis, scale)(tick), ...put(scale.at(tick)) }));
  return [
    y.ticks.map((tick) => across(y.at(tick), 'chart-grid')),
    words(axes.y, y, 'left', (at) => ({ x: left - 6, y: at })),
    hasRight && words(axes.right, right, 'right', (at) => ({ x: end + 6, y: at })),
    words(axes.x, x, 'bottom', (at) => ({ x: at, y: bottom + 16 })),
    across(bottom, 'chart-axis'),
  ];
}

/** How the ticks of an axis are written; those of a logarithmic one each in its own unit. */
function written(axis, { ticks }) {
  return axis.format ?? (axis.base ? formatShort : shortFormat(ticks));
}

/** The lines, with their bands, areas and markers. */
export function drawLines(lines, scales) {
  const { x, bottom } = scales;
  return lines.map((line) => {
    const { xs, ys, low, high, colour } = line;
    const y = line.right ? scales.right : scales.y;
    const path = linePath(xs, ys, x, y, line.stepped);
    if (!path) return null;
    const drawn = (kind, d, more) => svg('path', { class: `${kind} chart-colour-${colour}`, d, ...more });
    const kind = `chart-line${line.dashed ? ' dashed' : ''}`;
    const below = `L${x.at(xs[xs.length - 1]).toFixed(1)} ${bottom}L${x.at(xs[0]).toFixed(1)} ${bottom}Z`;
    return [
      low && drawn('chart-band', bandPath(xs, low, high, x, y)),
      line.area && drawn('chart-area', path + below),
      drawn(kind, path, { 'stroke-dasharray': line.dashes?.join(' ') || null }),
      // the interval of a single point
      low && xs.length === 1 && drawn(kind, `M${x.at(xs[0])} ${y.at(low[0])}V${y.at(high[0])}`),
      // the middle of the box of a marker is at 14, 6
      line.marker && Array.from(xs, (value, place) => drawn('chart-marker', line.marker,
        { transform: `translate(${(x.at(value) - 14).toFixed(1)} ${(y.at(ys[place]) - 6).toFixed(1)})` })),
    ];
  });
}

/** The marks. */
export function drawMarks(marks, scales) {
  return marks.map(({ x, y, kind, symbol }) => svg('g', {
    class: `chart-mark ${kind}`, transform: `translate(${scales.x.at(x).toFixed(1)} ${scales.y.at(y).toFixed(1)})`,
  }, svg('circle', { r: symbol ? 7 : 4 }), symbol && svg('text', { text: symbol })));
}

/** A dot on each line at one x. */
export function drawDots(lines, scales, value) {
  return lines.map((line) => {
    const found = valueAt(line, value);
    return found !== null && svg('circle', { class: `chart-dot chart-colour-${line.colour}`, r: 4,
      cx: scales.x.at(value), cy: (line.right ? scales.right : scales.y).at(found) });
  });
}
