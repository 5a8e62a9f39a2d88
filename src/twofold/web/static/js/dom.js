/** Builds elements without markup in text, and keeps them as the state says: nothing injects any. */

const SVG = 'http://www.w3.org/2000/svg';
const MADE = Symbol('the attributes an element was made with');
const PART = Symbol('an element that is not adapted');
const STANDS_FOR = Symbol('a part in the page, which stays where it is until `render` moves it');
const HANDLERS = Symbol('the handlers of an element, by type of event');
const PROPERTIES = new Set(
  ['value', 'checked', 'selected', 'disabled', 'hidden', 'open', 'indeterminate']);

/** The pictures of `icon`, at the version of this script. */
const SPRITE = new URL('../icons/sprite.svg', import.meta.url);

const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex]';

let page = null; // ends with the page that is shown; null before the first one

/** What ends when the page that is shown is left; undefined before the first one, for what lasts. */
export const pageSignal = () => page?.signal;

/** Do something when the page that is shown is left. */
export function onLeave(run) {
  pageSignal().addEventListener('abort', run);
}

/** Leave the page that is shown: all that it listened to is forgotten. */
export function leavePage() {
  page?.abort();
  page = new AbortController();
}

/**
 * Listen to events until the page is left.
 *
 * @param {EventTarget} target
 * @param {Object<string, function(Event): void>} handlers by type
 * @param {boolean} [isFirst] whether they come before those of what is inside
 */
export function listenTo(target, handlers, isFirst = false) {
  for (const [type, handler] of Object.entries(handlers)) {
    target.addEventListener(type, handler, { capture: isFirst, signal: pageSignal() });
  }
}

/** Tells what happens to those that listen. */
export class Teller extends EventTarget {
  /**
   * Listen until the page is left.
   *
   * @param {string} type
   * @param {function(any): void} handler
   */
  on(type, handler) {
    listenTo(this, { [type]: ({ detail }) => handler(detail) });
  }

  /**
   * @param {string} type
   * @param {any} detail what the handlers get
   */
  tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/**
 * An HTML element.
 *
 * @param {string} tag its name, such as `button`
 * @param {object|null} [attributes] `class`, `text`, `on<event>` with a function, `dataset` and
 *   `style` with an object, properties such as `value` and `disabled`, `key` for `render`, else
 *   attributes; null,
 *   undefined and false leave an attribute out, true sets it empty
 * @param {...(Node|string|number|null|Array)} children nodes and texts; null and false are left out
 * @returns {HTMLElement}
 */
export function h(tag, attributes = null, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/**
 * An SVG element; arguments as of `h`.
 *
 * @param {string} tag
 * @param {object|null} [attributes]
 * @param {...(Node|string|number|null|Array)} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = null, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * A picture of the sprite `icons/sprite.svg`, hidden from screen readers: name its control.
 *
 * @param {string} name id of the symbol
 * @returns {SVGElement}
 */
export function icon(name) {
  return svg('svg', { class: 'icon', 'aria-hidden': 'true', focusable: 'false' },
    svg('use', { href: `${SPRITE}#${name}` }));
}

/**
 * A button with an icon, a text or both.
 *
 * @param {{icon?: string, text?: string, label?: string}} face `label` names a button without text
 * @param {function(Event): void} onclick
 * @param {object} [attributes] further attributes, as of `h`
 * @returns {HTMLButtonElement}
 */
export function button(face, onclick, attributes = {}) {
  const { class: extra = '', ...rest } = attributes;
  const kind = face.text ? 'button' : 'button icon-button';
  return h('button', { type: 'button', class: `${kind} ${extra}`.trim(), onclick,
    'aria-label': face.label, title: face.text ? undefined : face.label, ...rest },
  face.icon && icon(face.icon), face.text && h('span', { class: 'button-text', text: face.text }));
}

/**
 * Replace the children of an element.
 *
 * @param {Element} element
 * @param {...(Node|string|number|null|Array)} children
 * @returns {Element} the element
 */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return settled(element);
}

/**
 * A control with its label above it.
 *
 * @param {string} label
 * @param {HTMLElement} control with an id
 * @returns {HTMLElement}
 */
export function field(label, control) {
  return h('div', { class: 'field' }, h('label', { for: control.id, text: label }), control);
}

/**
 * Mark an element as a part: it has its own state, and `render` moves it but never changes it.
 *
 * @param {Element} element
 * @returns {Element} the element
 */
export function part(element) {
  element[PART] = true;
  return element;
}

/**
 * Make the children of an element what a function of the state says they are. Elements that are
 * there already are kept and adapted, so that focus, scroll and what is typed stay: those with the
 * same `key`, or else the next one of the same tag. What was changed by hand is left as it is where
 * the function says the same as before. Where what has the focus goes, its nearest neighbour gets it.
 *
 * @param {Element} place
 * @param {...(Node|string|number|null|Array)} children as of `h`
 */
export function render(place, ...children) {
  const { activeElement } = document;
  const way = place.contains(activeElement) ? wayTo(place, activeElement) : [];
  draw(place, children);
  keepFocus(way);
}

function draw(place, children) {
  const old = [...place.childNodes].filter((node) => !node[PART]);
  const now = nodes(children).map((child) => (child instanceof Node ? child[STANDS_FOR] ?? child : new Text(child)))
    .map((fresh) => (fresh[PART] ? fresh : adapted(old, fresh)));
  const kept = new Set(now);
  for (const node of [...place.childNodes]) if (!kept.has(node)) node.remove();
  now.forEach((node, at) => {
    if (place.childNodes[at] !== node) place.insertBefore(node, place.childNodes[at] ?? null);
  });
}

/** What has the focus in a place, and what it stands in, from the inside out. */
function wayTo(place, element) {
  return element === place ? [place] : [element, ...wayTo(place, element.parentElement)];
}

/** Give the focus back to what had it; where that is gone, to the first control of what it stood in. */
function keepFocus(way) {
  const { activeElement } = document;
  if (!way.length || (activeElement !== document.body && isUsable(activeElement))) return;
  for (const element of way.filter(({ isConnected }) => isConnected)) {
    const found = [element, ...element.querySelectorAll(CONTROLS)].find(canFocus);
    if (found) return void found.focus({ preventScroll: true });
  }
}

const isUsable = (element) => !element.disabled && element.checkVisibility();
const canFocus = (element) => element.tabIndex >= 0 && isUsable(element);

/** The first old node that can become the fresh one, adapted to it; else the fresh one. */
function adapted(old, fresh) {
  const at = old.findIndex((node) => node.nodeName === fresh.nodeName
    && node[MADE]?.key === fresh[MADE]?.key);
  if (at < 0) return settled(fresh);
  const [node] = old.splice(at, 1);
  if (node instanceof Text) node.data = fresh.data;
  else {
    change(node, fresh[MADE] ?? {});
    draw(node, [...fresh.childNodes]);
  }
  return node;
}

function change(element, made) {
  const before = element[MADE] ?? {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(made)])) {
    if (name === 'text' || before[name] === made[name]) continue;
    if (name === 'dataset') for (const key of Object.keys(before.dataset ?? {})) delete element.dataset[key];
    if (name === 'style') element.removeAttribute('style');
    const value = made[name] ?? (PROPERTIES.has(name) ? '' : false);
    if (name !== 'value' || element.value !== value) apply(element, name, value); // keeps the cursor
  }
  element[MADE] = made;
}

function build(element, attributes, children) {
  element[MADE] = attributes ?? {};
  for (const [name, value] of Object.entries(element[MADE])) apply(element, name, value);
  // a part that is taken out of the page for a moment would lose its focus, its scroll and its animations
  element.append(...nodes(children).map((child) => (child[PART] && child.isConnected
    ? Object.assign(document.createComment(''), { [STANDS_FOR]: child }) : child)));
  return element;
}

/** A new element with its parts in place of what stands for them. */
function settled(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_COMMENT);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  for (const one of found) if (one[STANDS_FOR]) one.replaceWith(one[STANDS_FOR]);
  return element;
}

function nodes(children) {
  const left = new Set([null, undefined, false, '']);
  return children.flat(Infinity).filter((child) => !left.has(child))
    .map((child) => (child instanceof Node ? child : String(child)));
}

function apply(element, name, value) {
  if (value === null || value === undefined || name === 'key') return;
  if (name === 'text') element.textContent = value;
  else if (name === 'dataset') Object.assign(element.dataset, value);
  else if (name === 'style') applyStyle(element, value);
  else if (name.startsWith('on')) listen(element, name.slice(2).toLowerCase(), value);
  else if (PROPERTIES.has(name) && name in element) element[name] = value;
  else if (value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : value);
}

/** One listener for each type of event, so that a handler can be exchanged. */
function listen(element, type, handler) {
  element[HANDLERS] ??= {};
  if (!(type in element[HANDLERS]))
    element.addEventListener(type, (event) => element[HANDLERS][type]?.(event));
  element[HANDLERS][type] = handler || null;
}

function applyStyle(element, style) {
  for (const [name, value] of Object.entries(style)) {
    if (name.startsWith('--')) element.style.setProperty(name, value);
    else element.style[name] = value;
  }
}
