/** Learn: the students' pages, made from docs/learn by docs/learn_pages.py, with links to Analysis. */

import { scrollBox } from '../controls.js';
import { h, icon, render } from '../dom.js';
import { analysisLink } from '../links.js';
import { language, text } from '../text.js';

/** The pages, in their order. */
const LESSONS = ['index', 'game', 'heuristics', 'expectimax', 'minimax', 'td-learning', 'networks', 'solving', 'measuring', 'exercises'];

/**
 * @param {HTMLElement} root
 * @param {object} context see main.js
 */
export function mount(root, { params, title }) {
  const lesson = LESSONS.includes(params.get('page')) ? params.get('page') : LESSONS[0];
  const article = h('article', { class: 'learn-page', lang: 'en' }, h('p', { text: text('all.loading') }));
  root.append(h('div', { class: 'learn' },
    language !== 'en' && h('p', { class: 'soft', text: text('learn.english') }), article, pager(LESSONS.indexOf(lesson))));
  show(lesson, article, title);
}

async function show(lesson, article, title) {
  const answer = await fetch(new URL(`../../learn/${lesson}.html`, import.meta.url)).catch(() => null);
  if (!answer?.ok) return void render(article, h('p', { class: 'error', text: text('learn.none') }));
  const { body } = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const link of body.querySelectorAll('[data-board]')) {
    const { board } = link.dataset;
    link.href = analysisLink({ board });
    link.append(icon('analyse'), ` ${text('learn.board', { board })}`);
  }
  for (const image of body.querySelectorAll('img')) image.src = new URL(image.getAttribute('src'), answer.url);
  const around = (element, wrap) => {
    const place = h('div');
    element.replaceWith(place);
    place.replaceWith(wrap(element));
  };
  for (const table of body.querySelectorAll('table')) around(table, (one) => scrollBox(text('learn.table'), one));
  // a picture fits on a phone; a tap shows it by itself, to be enlarged
  for (const picture of body.querySelectorAll('p > img')) around(picture, (one) => h('a', { href: one.getAttribute('src'), target: '_blank' }, one));
  article.replaceChildren(...body.childNodes);
  title(article.querySelector('h1').textContent);
}

/** The page before and the next one. */
function pager(place) {
  const link = (at, name) => LESSONS[at] && h('a', { class: 'button', href: at ? `/learn?page=${LESSONS[at]}` : '/learn' },
    text(`learn.${name}`));
  return h('nav', { class: 'row', 'aria-label': text('learn.pages') }, link(place - 1, 'back'), place > 0 && link(0, 'all'), link(place + 1, 'next'));
}
