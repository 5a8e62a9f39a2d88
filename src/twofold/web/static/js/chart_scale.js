/** Scales of charts: from values to pixels, and the values worth a tick. */

const STEPS = [1, 2, 5, 10];

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
export function scaleOf(axis, [low, high], start, end, wanted) {
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
  const step = power * STEPS.find((one) => one * power >= rough * 0.999);
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
export function linePath(xs, ys, x, y, stepped) {
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
export function bandPath(xs, lows, highs, x, y) {
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
export function valueAt(line, x) {
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
export function nearestIndex(xs, wanted) {
  let [low, high] = [0, xs.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low > 0 && wanted - xs[low - 1] <= xs[low] - wanted ? low - 1 : low;
}
