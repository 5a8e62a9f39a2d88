/** Builds elements without markup in text: nothing here can inject any. */

const SVG = 'http://www.w3.org/2000/svg';
const PROPERTIES = new Set(
  ['value', 'checked', 'selected', 'disabled', 'hidden', 'open', 'indeterminate']);

/**
 * An HTML element.
 *
 * @param {string} tag its name, such as `button`
 * @param {object|null} [attributes] `class`, `text`, `on<event>` with a function, `dataset` and
 *   `style` with an object, properties such as `value` and `disabled`, else attributes; null,
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
    svg('use', { href: `/static/icons/sprite.svg#${name}` }));
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
  return element;
}

/**
 * Change the text of an element, if it is another; else nothing is drawn or read anew.
 *
 * @param {Element} element
 * @param {string} words
 */
export function setText(element, words) {
  if (element.textContent !== words) element.textContent = words;
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

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) apply(element, name, value);
  element.append(...nodes(children));
  return element;
}

function nodes(children) {
  const left = new Set([null, undefined, false, '']);
  return children.flat(Infinity).filter((child) => !left.has(child))
    .map((child) => (child instanceof Node ? child : String(child)));
}

function apply(element, name, value) {
  if (value === null || value === undefined) return;
  if (name === 'text') element.textContent = value;
  else if (name === 'dataset') Object.assign(element.dataset, value);
  else if (name === 'style') applyStyle(element, value);
  else if (name.startsWith('on')) element.addEventListener(name.slice(2).toLowerCase(), value);
  else if (PROPERTIES.has(name) && name in element) element[name] = value;
  else if (value !== false) element.setAttribute(name, value === true ? '' : value);
}

function applyStyle(element, style) {
  for (const [name, value] of Object.entries(style)) {
    if (name.startsWith('--')) element.style.setProperty(name, value);
    else element.style[name] = value;
  }
}
