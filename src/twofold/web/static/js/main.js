/** Starts the page: head, navigation, and the page that the address names. */

import { announceIn, clearToasts, toastsIn } from './announce.js';
import { Away, showNet } from './connection.js';
import { button, fill, h, icon } from './dom.js';
import { isPlain, listenKeys } from './keys.js';
import { language } from './language.js';
import { net } from './net.js';
import { settings } from './settings.js';
import { text } from './text.js';

/** Pages by path. */
const PAGES = {
  '/': 'play', '/watch': 'watch', '/analyse': 'analyse', '/practice': 'practice',
  '/games': 'games', '/daily': 'daily', '/lab': 'lab', '/learn': 'learn',
};

/** An address that the navigation has no room for. */
const LINKED = ['/daily'];

/** The students' page that helps on each page; else their list. */
const LESSONS = {
  play: 'game', watch: 'heuristics', analyse: 'expectimax', practice: 'solving', lab: 'measuring',
};

const help = h('a', { class: 'button icon-button quiet', 'aria-label': text('nav.help'), title: text('nav.help') },
  icon('help'));
const main = h('main', { id: 'main', tabindex: '-1' });
const links = Object.entries(PAGES).filter(([path]) => !LINKED.includes(path)).map(
  ([path, name]) => h('a', { href: path }, icon(name), h('span', { text: text(`nav.${name}`) })));

/** After this time on the page the browser is asked to keep it: then nothing else is loaded. */
const KEPT_AFTER_MS = 3000;

let unmount = () => {};
let visit = 0;
let away = null; // in the place of the page while no server has answered yet

function build() {
  const region = h('div', { class: 'visually-hidden', role: 'status', 'aria-live': 'polite' });
  const toasts = h('div', { class: 'toasts', role: 'region', 'aria-label': text('all.messages') });
  announceIn(region);
  toastsIn(toasts);
  document.body.append(
    h('a', { class: 'skip', href: '#main', text: text('all.skip'), onclick: skip }), toasts,
    head(), showNet(), main, region);
}

function head() {
  return h('header', { class: 'site-head' },
    h('a', { class: 'brand', href: '/' },
      h('img', { src: new URL('../icons/favicon.svg', import.meta.url), alt: '', width: 28, height: 28 }), 'twofold'),
    h('nav', { class: 'site-nav', 'aria-label': text('nav.main') }, links),
    h('div', { class: 'site-tools' }, help,
      button({ icon: 'keyboard', label: text('nav.keys') }, openKeys, { class: 'quiet' }),
      button({ icon: 'settings', label: text('nav.settings') }, openSettings, { class: 'quiet' })));
}

async function openKeys() {
  const { showKeys } = await import('./dialog.js');
  showKeys(PAGES[window.location.pathname]);
}

async function openSettings() {
  const { showSettings } = await import('./settings_dialog.js');
  showSettings();
}

function skip(event) {
  event.preventDefault();
  main.focus();
}

/** Show the page that the address names. */
async function show() {
  visit += 1;
  const mine = visit;
  const name = PAGES[window.location.pathname];
  unmount();
  clearToasts();
  unmount = () => {};
  mark();
  title(name ? text(`nav.${name}`) : '');
  fill(main);
  if (away) return void fill(main, away.element);
  if (!name) return void fill(main, h('p', { text: text('all.page_unknown') }));
  main.dataset.page = name;
  try {
    const page = await import(`./pages/${name}.js`);
    if (mine === visit) unmount = page.mount(main, context()) ?? (() => {});
  } catch (error) {
    console.error(error);
    const words = text('all.page_failed', { message: error.message });
    if (mine === visit) fill(main, h('p', { class: 'error', text: words }));
  }
}

/** A page from what the browser keeps: say that there is no server, and go on once there is. */
function onConnection({ state }) {
  if (state === 'connecting' || (net.welcome && !away)) return;
  const wasAway = Boolean(away);
  away = net.welcome ? null : away ?? new Away();
  away?.show(net.state);
  if (wasAway !== Boolean(away)) show();
}

function context() {
  return {
    params: new URLSearchParams(window.location.search),
    hash: window.location.hash,
    navigate,
    title,
  };
}

/** Go to another page of this server, such as `/analyse?game=k3`. */
function navigate(path) {
  window.history.pushState(null, '', path);
  window.scrollTo(0, 0);
  show();
  main.focus({ preventScroll: true });
}

function title(words) {
  document.title = words ? text('all.title', { page: words }) : 'twofold';
}

function mark() {
  const lesson = LESSONS[PAGES[window.location.pathname]];
  help.href = lesson ? `/learn?page=${lesson}` : '/learn';
  for (const link of links) {
    if (link.pathname === window.location.pathname) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

// Links to pages do not load the whole page again.
function follow(event) {
  const link = event.target.closest?.('a[href]');
  if (!link || !isPlain(event) || event.defaultPrevented || link.target || link.download) return;
  if (link.origin !== window.location.origin || !(link.pathname in PAGES)) return;
  event.preventDefault();
  navigate(link.pathname + link.search + link.hash);
}

/** Have the root element name a setting of the look; not the usual one. */
function dress(name, usual) {
  const { dataset } = document.documentElement;
  settings.on(name, (value) => {
    if (value === usual) delete dataset[name];
    else dataset[name] = value;
  });
}

/** Have the browser keep the page, see service_worker.js. A failure is no fault: nothing needs it. */
function keepPage() {
  navigator.serviceWorker?.register('/service_worker.js').catch((error) => console.info(error));
}

document.documentElement.lang = language;
build();
dress('theme', 'system');
dress('palette', 'usual');
settings.on('language', () => window.location.reload());
listenKeys({ commands: { '?': openKeys } });
document.addEventListener('click', follow);
window.addEventListener('popstate', show);
net.on('state', onConnection);
net.on('welcome', () => setTimeout(keepPage, KEPT_AFTER_MS));
net.start();
show();
