/** Starts the page: head, navigation, and the page that the address names. */

import { announce, clearToasts, hush, spoken, toasts } from './announce.js';
import { button, fill, h, icon, leavePage, pageSignal } from './dom.js';
import { isPlain, listenKeys } from './moves.js';
import { net } from './net.js';
import { settings } from './settings.js';
import { language, text } from './text.js';

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
const emptyMain = () => h('main', { id: 'main', tabindex: '-1' });
let main = emptyMain(); // each page has its own: an answer that comes after the page has left draws there
const links = Object.entries(PAGES).filter(([path]) => !LINKED.includes(path)).map(
  ([path, name]) => h('a', { href: path }, icon(name), h('span', { text: text(`nav.${name}`) })));

/** After this time on the page the browser is asked to keep it: then nothing else is loaded. */
const KEPT_AFTER_MS = 3000;

/** A connection that comes within a moment is not worth a word. */
const PATIENCE_MS = 2000;

let away = null; // in the place of a page that is opened while there is no server
const statusLine = h('div', { class: 'status-line', role: 'status', hidden: true });

let patience = 0;

const iconButton = (name, key, onclick) => button({ icon: name, label: text(key) }, onclick, { class: 'quiet' });
const skip = (event) => {
  event.preventDefault();
  main.focus();
};

document.documentElement.lang = language;
document.body.append(
  h('a', { class: 'skip', href: '#main', text: text('all.skip'), onclick: skip }), toasts,
  h('header', { class: 'site-head' },
    h('a', { class: 'brand', href: '/' },
      h('img', { src: new URL('../icons/favicon.svg', import.meta.url), alt: '', width: 28, height: 28 }), 'twofold'),
    h('nav', { class: 'site-nav', 'aria-label': text('nav.main') }, links),
    h('div', { class: 'site-tools' }, help, iconButton('keyboard', 'nav.keys', openKeys),
      iconButton('settings', 'nav.settings', async () => (await import('./dialog.js')).showSettings()))),
  statusLine, main, spoken);

async function openKeys() {
  const { showKeys } = await import('./dialog.js');
  showKeys(PAGES[window.location.pathname]);
}

/** Show the page that the address names. */
async function show() {
  const { pathname, search, hash } = window.location;
  const name = PAGES[pathname];
  leavePage();
  const signal = pageSignal();
  clearToasts();
  if (away) hush();
  away = net.isAway ? awayView() : null;
  tellStatus();
  help.href = name in LESSONS ? `/learn?page=${LESSONS[name]}` : '/learn';
  for (const link of links) link.ariaCurrent = link.pathname === pathname ? 'page' : null;
  title(name ? text(`nav.${name}`) : '');
  main.replaceWith(main = emptyMain());
  if (away) return void fill(main, away);
  if (!name) return void fill(main, h('p', { text: text('all.page_unknown') }));
  main.dataset.page = name;
  try {
    const page = await import(`./pages/${name}.js`);
    if (!signal.aborted) page.mount(main, { params: new URLSearchParams(search), hash, navigate, title, signal });
  } catch (error) {
    console.error(error);
    const words = text('all.page_failed', { message: error.message });
    if (!signal.aborted) fill(main, h('p', { class: 'error', text: words }));
  }
}

/**
 * A page that is there stays while the connection is lost, and what says that there is no server until
 * one has answered; what is opened meanwhile goes on with it.
 */
function onConnection() {
  if (away && (net.state === 'connecting' || net.state === away.dataset.state)) return;
  if (away || !(net.welcome || net.state === 'connecting')) show();
  else tellStatus();
}

/** Show the line, or hide it; a page that opens does not move if the server answers at once. */
function tellStatus() {
  clearTimeout(patience);
  if (away || net.state === 'open') showStatus();
  else patience = setTimeout(showStatus, PATIENCE_MS);
}

/** A line while the connection is not there, unless the page says so. */
function showStatus() {
  const { state } = net;
  const quiet = (key, run) => button({ text: text(key) }, run, { class: 'quiet' });
  statusLine.hidden = state === 'open' || Boolean(away);
  const word = state === 'lost' && net.isRestarting ? 'restarting' : state;
  fill(statusLine, statusLine.hidden ? '' : text(`status.${word}`),
    state === 'lost' && quiet('status.retry', () => net.retry()),
    // the server answers with a form for the token
    state === 'forbidden' && quiet('status.sign_in', () => window.location.reload()));
}

/** Says that there is no server and how to start it; or, where it wants the token again, asks for its form. */
function awayView() {
  const view = (title, words, key, run) => h('section', { class: 'away stack', dataset: { state: net.state } }, h('h1', { text: text(title) }), words,
    h('div', { class: 'row' }, button({ text: text(key) }, run, { class: 'primary' })));
  if (net.state === 'forbidden') {
    const reload = () => window.location.reload();
    if (performance.getEntriesByType('navigation')[0]?.type !== 'reload') reload(); // to the form, unless that has failed
    return view('status.sign_in', h('p', { text: text('away.sign_in_note') }), 'status.sign_in', reload);
  }
  announce(text('away.title'));
  return view('away.title', [h('p', { text: text('away.how') }), h('pre', { class: 'away-command mono' }, h('code', { text: settings.get('command') })),
    h('p', { text: text('away.goes_on') })], 'status.retry', () => net.retry());
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

dress('theme', 'system');
dress('palette', 'usual');
settings.on('language', () => window.location.reload());
listenKeys({ commands: { '?': openKeys } });
document.addEventListener('click', follow);
window.addEventListener('popstate', show);
net.on('state', onConnection);
// a failure is no fault: nothing needs what service_worker.js keeps
net.on('welcome', () => setTimeout(() => navigator.serviceWorker?.register('/service_worker.js').catch(console.info), KEPT_AFTER_MS));
net.start();
show();
