/**
 * Keeps the files of the page, so that it opens while the server is away and can say so.
 *
 * The server is asked first, always: what is kept is shown only where nothing answers, so that no
 * page is older than its server. Games, the API and sign-in pages are never kept. The server
 * writes the version and the files into this script, as `web/pages.py` has it: another
 * version is another script, whose files take the place of those before.
 */

const VERSION = '%VERSION%';
const FILES = '%FILES%'.split(' ');

const PREFIX = 'twofold-';
const CACHE = `${PREFIX}${VERSION}`;

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));
self.addEventListener('fetch', (event) => {
  if (isKept(event.request)) event.respondWith(answer(event.request));
});

async function install() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES); // all or none: without the cookie there is nothing to keep
  await self.skipWaiting();
}

async function activate() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** An address with a token passes untouched: some tokens work once. */
function isKept(request) {
  const { origin, pathname, searchParams } = new URL(request.url);
  return request.method === 'GET' && origin === self.location.origin
    && !searchParams.has('token') && FILES.includes(pathname);
}

async function answer(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(new URL(request.url).pathname, { cacheName: CACHE });
    if (kept) return kept;
    throw error;
  }
}
