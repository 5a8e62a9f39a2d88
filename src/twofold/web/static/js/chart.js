/**
 * A line chart: axes, legend, a cursor that follows pointer and keys, marks to pick.
 *
 *     const chart = new LineChart({ label: 'Score over the run', x: { label: 'games' } });
 *     chart.setLines([{ name: 'mean score', xs: [0, 1000], ys: [0, 7100] }]);
 *     root.append(chart.element);
 *
 * It draws itself again whenever its size changes; lines may have hundreds of thousands of points.
 */

import { fill, h, part, svg } from './dom.js';
import { formatShort, shortFormat } from './figures.js';
import { joined, number, text } from './text.js';

const JUMP = 10;
const REACH = 9; // pixels around a mark
const GAP = 12; // between the cursor and what it says
const STEPS = {
  ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1,
  PageDown: -JUMP, PageUp: JUMP, Home: -Infinity, End: Infinity,
};

/**
 * @typedef {object} Axis
 * @property {string} [label] what it counts
 * @property {(value: number) => string} [format] of its ticks and of the readout
 * @property {number} [base] makes it logarithmic, with ticks at powers of it
 * @property {number} [from] smallest value shown, where the lines do not go below
 * @property {number} [to] largest value shown, where the lines do not go above
 *
 * @typedef {object} Line
 * @property {string} name for the legend and the readout
 * @property {ArrayLike<number>} xs ascending
 * @property {ArrayLike<number>} ys as many; null and NaN are gaps
 * @property {number} [colour] 1 to 7; by its place in the list where not given
 * @property {boolean} [right] whether it goes by the axis on the right
 * @property {boolean} [stepped] whether a value holds until the next
 * @property {ArrayLike<number>} [low] where a band around the line begins, as many; null for gaps
 * @property {ArrayLike<number>} [high] where it ends
 * @property {boolean} [area] whether what is below is filled
 * @property {boolean} [dashed]
 * @property {number[]} [dashes] lengths of dashes and gaps, in place of `dashed`
 * @property {string} [marker] path of a marker at each point, in a box of 28 x 12
 * @property {(value: number) => string} [format] for the readout; else as its axis
 *
 * @typedef {object} Mark
 * @property {number} x
 * @property {number} y on the axis of the first line
 * @property {string} kind class of the dot
 * @property {string} [symbol] a character in it
 */

/** A chart of lines over one x axis. Its `element` is a part. */
export class LineChart {
  #lines = [];
  #marks = [];
  #cursor = null;
  #hovered = null;
  #scales = null;
  #size = [0, 0];
  #frame = 0;

  /**
   * @param {object} options
   * @param {string} options.label names the chart
   * @param {Axis} [options.x]
   * @param {Axis} [options.y] axis on the left
   * @param {Axis} [options.right] axis on the right, for lines that ask for it
   * @param {(x: number) => void} [options.onPick] called with an x of the first line that was
   *   clicked or chosen by key; the cursor then stays where it is put with `setCursor`
   * @param {(x: number) => string} [options.readout] heading of the readout; else the x formatted
   */
  constructor({ label, x = {}, y = {}, right = {}, onPick, readout }) {
    Object.assign(this, { axes: { x, y, right }, onPick, readout });
    this.plot = svg('svg', { class: 'chart-plot', 'aria-hidden': 'true' });
    // a layer of its own: the cursor moves without the lines being painted again
    this.over = svg('svg', { class: 'chart-over', 'aria-hidden': 'true' });
    this.box = h('div', { class: 'chart-readout', hidden: true });
    this.pad = h('div', {
      class: 'chart-pad', role: 'slider', tabindex: 0, 'aria-label': label, 'aria-valuenow': 0,
      onpointermove: (event) => this.#point(event, event.buttons),
      onpointerdown: (event) => {
        if (this.#point(event, true)) this.pad.setPointerCapture(event.pointerId);
      },
      onpointerleave: () => this.#hover(null),
      onkeydown: (event) => this.#key(event),
      onfocus: () => this.#scales && this.pad.matches(':focus-visible') && this.#hover(this.#cursor ?? this.#lines[0].xs[0]),
      onblur: () => this.#hover(null),
    }, this.plot, this.over, this.box);
    this.legend = h('ul', { class: 'chart-legend row' });
    this.element = part(h('div', { class: onPick ? 'chart stack tight can-pick' : 'chart stack tight' }, this.pad, this.legend));
    new ResizeObserver(() => this.#resized()).observe(this.pad);
  }

  /** @param {Line[]} lines */
  setLines(lines) {
    this.#lines = lines.map((line, place) => ({ colour: (place % 6) + 1, ...line }));
    fill(this.legend, this.#lines.map((line) => h('li', null, sample(line), line.name)));
    this.legend.hidden = lines.length < 2;
    this.#later();
  }

  /** @param {Mark[]} marks dots on the chart */
  setMarks(marks) {
    this.#marks = marks;
    this.#later();
  }

  /** @param {number | null} x where a line stands across the chart; null for nowhere */
  setCursor(x) {
    this.#cursor = x;
    this.#tellValue(x);
    this.#hover(this.#hovered);
  }

  /** Width of the chart, in pixels. */
  get width() {
    return this.#size[0] || this.pad.clientWidth;
  }

  #resized() {
    const { width, height } = this.pad.getBoundingClientRect();
    if (width === this.#size[0] && height === this.#size[1]) return;
    this.#size = [width, height];
    this.#later();
  }

  #later() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  // ---- drawing

  #draw() {
    const [width, height] = this.#size;
    const xs = rangeOf(this.#lines.map((line) => line.xs));
    if (!width || !xs) return void fill(this.plot);
    this.#scales = scalesOf(this.axes, this.#lines, xs, width, height);
    for (const one of [this.plot, this.over]) one.setAttribute('viewBox', `0 0 ${width} ${height}`);
    fill(this.plot, drawAxes(this.axes, this.#scales), drawLines(this.#lines, this.#scales), drawMarks(this.#marks, this.#scales));
    this.pad.setAttribute('aria-valuemin', decimal(xs[0]));
    this.pad.setAttribute('aria-valuemax', decimal(xs[1]));
    this.#tellValue(this.#cursor ?? xs[0]);
    this.#hover(this.#hovered);
  }

  /** Put the cursor of the pointer at a place, and say what the lines are worth there. */
  #hover(value) {
    this.#hovered = value;
    if (!this.#scales) return;
    const { x, top, bottom } = this.#scales;
    const upright = (at, kind) => at !== null && svg('line', { class: kind, x1: x.at(at), x2: x.at(at), y1: top, y2: bottom });
    fill(this.over, upright(this.#cursor, 'chart-cursor'), upright(value, 'chart-hover'),
      value !== null && drawDots(this.#lines, this.#scales, value));
    this.box.hidden = value === null;
    if (value === null) return;
    fill(this.box, h('strong', { text: this.#heading(value) }),
      this.#values(value).map(({ line, words }) => h('span', null, sample(line), words)));
    const [place, width] = [x.at(value), this.#size[0]];
    const isLeft = place < width / 2;
    this.box.style.left = isLeft ? `${place + GAP}px` : 'auto';
    this.box.style.right = isLeft ? 'auto' : `${width - place + GAP}px`;
  }

  #heading(value) {
    if (this.readout) return this.readout(value);
    const words = (this.axes.x.format ?? number)(value);
    return this.axes.x.label ? `${this.axes.x.label} ${words}` : words;
  }

  /** The lines that have a value at a place, with their names and values. */
  #values(place) {
    return this.#lines.flatMap((line) => {
      const value = valueAt(line, place);
      const format = line.format ?? (line.right ? this.axes.right : this.axes.y).format ?? number;
      return value === null ? [] : [{ line, words: `${line.name} ${format(value)}` }];
    });
  }

  // ---- pointer and keys

  /** Whether there is a place under the pointer; it is picked while a button is down. */
  #point(event, isPicked) {
    const place = this.#nearest(event);
    this.#hover(place);
    if (isPicked && place !== null) this.onPick?.(place);
    return place !== null;
  }

  /** The places of the cursor: those of the first line, or of all where each has one point. */
  get #places() {
    const isScatter = this.#lines.every(({ xs }) => xs.length === 1);
    if (!isScatter) return this.#lines[0].xs;
    return this.#lines.map(({ xs }) => xs[0]).sort((a, b) => a - b);
  }

  /** The x of the mark under the pointer, else the place of the cursor which is nearest to it. */
  #nearest(event) {
    if (!this.#scales || !this.#lines[0]?.xs.length) return null;
    const { left, top } = this.pad.getBoundingClientRect();
    const [px, py] = [event.clientX - left, event.clientY - top];
    const { x, y } = this.#scales;
    const mark = this.#marks.findLast((one) => Math.hypot(x.at(one.x) - px, y.at(one.y) - py) < REACH);
    return mark?.x ?? this.#places[nearestIndex(this.#places, x.value(px))];
  }

  #key(event) {
    const step = STEPS[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey || !this.#scales || step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const xs = this.#places;
    const here = nearestIndex(xs, this.#hovered ?? this.#cursor ?? xs[0]);
    const place = xs[Math.max(0, Math.min(xs.length - 1, here + step))];
    if (this.onPick) this.onPick(place);
    else this.#tellValue(place);
    this.#hover(place);
  }

  /** What screen readers hear of a place. */
  #tellValue(value) {
    if (value === null || !this.#lines.length) return;
    const values = joined(this.#values(value).map(({ words }) => words));
    this.pad.setAttribute('aria-valuenow', decimal(value));
    this.pad.setAttribute('aria-valuetext', text('chart.value', { place: this.#heading(value), values }));
  }
}

/** A number as attributes have it: without an exponent. */
const decimal = (value) => (Math.abs(value) < 1e-6 ? value.toFixed(12) : String(value));

/** A short piece of a line, for legends. */
function sample({ colour, dashed }) {
  return svg('svg', { class: 'chart-sample', viewBox: '0 0 20 8', 'aria-hidden': 'true' },
    svg('path', { class: `chart-line chart-colour-${colour}${dashed ? ' dashed' : ''}`, d: 'M0 4H20' }));
}

const TICK_EVERY_X = 90;
const TICK_EVERY_Y = 32;
const SPACE = { top: 10, bottom: 24, side: 46, none: 10 };

/**
 * @typedef {object} Scales
 * @property {import('./chart.js').Scale} x
 * @property {import('./chart.js').Scale} y on the left
 * @property {import('./chart.js').Scale} right
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
function scalesOf(axes, lines, xs, width, height) {
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
function drawAxes(axes, { x, y, right, hasRight, left, end, bottom }) {
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
function drawLines(lines, scales) {
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
      // a single point and its interval
      ...(xs.length === 1 ? drawDots([line], scales, xs[0]) : []),
      low && xs.length === 1 && drawn(kind, `M${x.at(xs[0])} ${y.at(low[0])}V${y.at(high[0])}`),
      // the middle of the box of a marker is at 14, 6
      line.marker && Array.from(xs, (value, place) => drawn('chart-marker', line.marker,
        { transform: `translate(${(x.at(value) - 14).toFixed(1)} ${(y.at(ys[place]) - 6).toFixed(1)})` })),
    ];
  });
}

/** The marks. */
function drawMarks(marks, scales) {
  return marks.map(({ x, y, kind, symbol }) => svg('g', {
    class: `chart-mark ${kind}`, transform: `translate(${scales.x.at(x).toFixed(1)} ${scales.y.at(y).toFixed(1)})`,
  }, svg('circle', { r: symbol ? 7 : 4 }), symbol && svg('text', { text: symbol })));
}

/** A dot on each line at one x. */
function drawDots(lines, scales, value) {
  return lines.map((line) => {
    const found = valueAt(line, value);
    return found !== null && svg('circle', { class: `chart-dot chart-colour-${line.colour}`, r: 4,
      cx: scales.x.at(value), cy: (line.right ? scales.right : scales.y).at(found) });
  });
}

const ROUND = [1, 2, 5, 10];

/**
 * @typedef {object} Scale
 * @property {(value: number) => number} at place of a value, in pixels
 * @property {(pixel: number) => number} value at a place
 * @property {number[]} ticks values to label
 */

/**
 * The scale of an axis.
 *
 * @param {import('./chart.js').Axis} axis
 * @param {[number, number]} range of the values
 * @param {number} start pixel of the smallest
 * @param {number} end pixel of the largest
 * @param {number} wanted number of ticks, about
 * @returns {Scale}
 */
function scaleOf(axis, [low, high], start, end, wanted) {
  const from = Math.min(low, axis.from ?? low);
  const to = Math.max(high, axis.to ?? high);
  if (axis.base) return logScale(Math.max(from, 1e-12), Math.max(to, from * axis.base), start, end, wanted, axis.base);
  const scale = placed(from, to - from || 1, start, end);
  return { ...scale, ticks: roundTicks(from, from + (to - from || 1), wanted) };
}

/** From values to pixels and back. */
function placed(low, span, start, end) {
  return {
    at: (value) => start + ((value - low) / span) * (end - start),
    value: (pixel) => low + ((pixel - start) / (end - start || 1)) * span,
  };
}

/** A scale of values above 0, with ticks at powers of `base`. */
function logScale(low, high, start, end, wanted, base) {
  const log = (value) => Math.log(value) / Math.log(base);
  const from = log(low);
  const span = log(high) - from || 1;
  const scale = placed(from, span, start, end);
  const every = Math.max(1, Math.ceil(span / wanted));
  const ticks = [];
  for (let power = Math.ceil(from - 1e-9); power <= from + span + 1e-9; power += 1) {
    if ((Math.round(from + span) - power) % every === 0) ticks.push(base ** power);
  }
  return { at: (value) => scale.at(log(value)), value: (pixel) => base ** scale.value(pixel), ticks };
}

/** About so many values between two others: multiples of 1, 2 or 5 times a power of ten. */
function roundTicks(low, high, wanted) {
  const rough = (high - low) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = power * ROUND.find((one) => one * power >= rough * 0.999);
  const ticks = [];
  for (let tick = Math.ceil(low / step - 1e-9); tick * step <= high + step * 1e-9; tick += 1) {
    ticks.push(Number((tick * step).toPrecision(12)));
  }
  return ticks;
}

/**
 * The smallest and the largest of the values of several lines.
 *
 * @param {ArrayLike<number>[]} lines values that are no numbers are left out
 * @returns {[number, number] | null} null without any
 */
export function rangeOf(lines) {
  let [low, high] = [Infinity, -Infinity];
  for (const line of lines) {
    for (let k = 0; k < line.length; k += 1) {
      const value = line[k];
      if (value === null || !Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : null;
}

/**
 * The path of a line, with at most a few points a pixel: first, lowest, highest and last.
 *
 * @param {ArrayLike<number>} xs ascending
 * @param {ArrayLike<number>} ys gaps where they are no numbers
 * @param {Scale} x
 * @param {Scale} y
 * @param {boolean} stepped whether a value holds until the next one
 * @returns {string} the `d` of a path
 */
function linePath(xs, ys, x, y, stepped) {
  const parts = [];
  let open = false;
  let last = '';
  const add = (px, py) => {
    const place = `${px.toFixed(1)} ${py.toFixed(1)}`;
    if (open && stepped) parts.push(`H${px.toFixed(1)}V${py.toFixed(1)}`);
    else if (place !== last || !open) parts.push(`${open ? 'L' : 'M'}${place}`);
    open = true;
    last = place;
  };
  for (const column of columnsOf(xs, ys, x)) {
    if (column === null) open = false;
    else for (const k of column) add(x.at(xs[k]), y.at(ys[k]));
  }
  return parts.join('');
}

/**
 * The path around a band: a piece wherever both ends are known.
 *
 * @param {ArrayLike<number>} xs ascending
 * @param {ArrayLike<number>} lows
 * @param {ArrayLike<number>} highs
 * @param {Scale} x
 * @param {Scale} y
 * @returns {string} the `d` of a path
 */
function bandPath(xs, lows, highs, x, y) {
  const parts = [];
  let [above, below] = [[], []];
  const close = () => {
    if (above.length) parts.push(`M${[...above, ...below.reverse()].join('L')}Z`);
    [above, below] = [[], []];
  };
  for (let k = 0; k < xs.length; k += 1) {
    if (lows[k] === null || highs[k] === null) close();
    else {
      above.push(`${x.at(xs[k]).toFixed(1)} ${y.at(highs[k]).toFixed(1)}`);
      below.push(`${x.at(xs[k]).toFixed(1)} ${y.at(lows[k]).toFixed(1)}`);
    }
  }
  close();
  return parts.join('');
}

/** Indices worth drawing, by column of pixels; null for a gap. */
function* columnsOf(xs, ys, x) {
  let kept = null;
  for (let k = 0; k < xs.length; k += 1) {
    if (ys[k] === null || !Number.isFinite(ys[k])) {
      if (kept) yield inOrder(kept);
      yield null;
      kept = null;
      continue;
    }
    const pixel = Math.floor(x.at(xs[k]));
    if (kept?.pixel === pixel) {
      kept.last = k;
      if (ys[k] < ys[kept.low]) kept.low = k;
      if (ys[k] > ys[kept.high]) kept.high = k;
      continue;
    }
    if (kept) yield inOrder(kept);
    kept = { pixel, first: k, last: k, low: k, high: k };
  }
  if (kept) yield inOrder(kept);
}

function inOrder({ first, last, low, high }) {
  return [...new Set([first, low, high, last])].sort((a, b) => a - b);
}

/**
 * The value of a line at an x, or before it; null where there is none.
 *
 * @param {{xs: ArrayLike<number>, ys: ArrayLike<number>, stepped?: boolean}} line
 * @param {number} x
 * @returns {number | null}
 */
function valueAt(line, x) {
  if (!line.xs.length || x < line.xs[0]) return null;
  if (!line.stepped && x > line.xs[line.xs.length - 1]) return null;
  let place = nearestIndex(line.xs, x);
  if (line.stepped && line.xs[place] > x) place -= 1;
  const value = line.ys[place];
  return value === null || value === undefined || !Number.isFinite(value) ? null : value;
}

/**
 * The place of the number nearest to another in an ascending list.
 *
 * @param {ArrayLike<number>} xs
 * @param {number} wanted
 */
function nearestIndex(xs, wanted) {
  let [low, high] = [0, xs.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low > 0 && wanted - xs[low - 1] <= xs[low] - wanted ? low - 1 : low;
}
