/** What is too wide for a narrow screen scrolls by itself. */

import { h } from '../dom.js';

/**
 * A box around something wide. While it scrolls it has a place in the order of the Tab key, so
 * that it can be scrolled by keys.
 *
 * @param {string} label names it, where it scrolls
 * @param {Element} child
 * @returns {HTMLElement}
 */
export function scrollBox(label, child) {
  const box = h('div', { class: 'scroll-x' }, child);
  const look = () => {
    const names = { tabindex: 0, role: 'group', 'aria-label': label };
    const isWide = box.scrollWidth > box.clientWidth + 1;
    for (const [name, value] of Object.entries(names)) {
      if (isWide) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  };
  const observer = new ResizeObserver(look);
  observer.observe(box);
  observer.observe(child);
  return box;
}
