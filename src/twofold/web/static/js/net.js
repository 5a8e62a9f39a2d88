/**
 * The connection to the server: requests and replies as in `protocol.py`.
 *
 * It reconnects by itself, and then re-opens every game that was open. Besides the replies by
 * their type, handlers can listen to `state` ({state}), when the connection comes or goes, and
 * to `gone` ({game}), when a game that was open could not be re-opened.
 */

import { listenTo } from './dom.js';
import { refusalText } from './refusals.js';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
const RESTART = 1012; // the code with which a server that ends closes

/** What the server refused, or that the connection was lost: `kind` names which. */
export class RefusedError extends Error {
  /**
   * @param {string} kind name of the error's class; `ConnectionLost` for a lost connection
   * @param {string} [detail] the server's own sentence
   */
  constructor(kind, detail = '') {
    super(refusalText(kind, detail));
    this.name = 'RefusedError';
    this.kind = kind;
    this.detail = detail;
  }
}

class Net {
  #socket = null;
  #handlers = new Map();
  #waiting = new Map();
  #outbox = [];
  #games = new Set();
  #ref = 0;
  #failures = 0;

  /** `connecting`, `open`, `lost` or `forbidden` (the server no longer knows this page). */
  state = 'connecting';

  /** The `welcome` message of the connection; null before the first one. */
  welcome = null;

  /** Whether the connection was lost because the server has ended, to be started again. */
  isRestarting = false;

  /** Whether the default player is loaded. */
  ready = false;

  /** Connect, and stay connected. Called once, by main.js. */
  start() {
    window.addEventListener('online', () => this.retry());
    this.#connect();
  }

  /** Try again now rather than after the wait. */
  retry() {
    if (this.state === 'open' || this.#socket?.readyState === WebSocket.CONNECTING) return;
    clearTimeout(this.timer);
    this.#connect();
  }

  /** The players to pick from; the first is the default. Empty before `welcome`. */
  get players() {
    return this.welcome?.players ?? [];
  }

  /** Ask for the players again: a network that was trained since is one of them. */
  async refreshPlayers() {
    if (!this.welcome) return;
    this.welcome.players = await this.get('/api/players');
    this.#emit('welcome', this.welcome);
  }

  /**
   * Send a request and wait for its first reply.
   *
   * @param {object} message with its `type`
   * @returns {Promise<object>} rejects with a `RefusedError`
   */
  ask(message) {
    return new Promise((resolve, reject) => {
      const ref = this.send(message);
      this.#waiting.set(ref, { resolve, reject });
    });
  }

  /**
   * Send a request whose replies come to the handlers.
   *
   * @param {object} message with its `type`
   * @returns {number} the `ref` that its replies carry
   */
  send(message) {
    this.#ref += 1;
    const full = { ...message, ref: this.#ref };
    if (message.type === 'close') this.#games.delete(message.game);
    if (this.state === 'open') this.#socket.send(JSON.stringify(full));
    else this.#outbox.push(full);
    return full.ref;
  }

  /**
   * Listen to replies.
   *
   * @param {string} type of the reply, or `state`, or `gone`
   * @param {function(object): void} handler
   * @returns {function(): void} ends it
   */
  on(type, handler) {
    if (!this.#handlers.has(type)) this.#handlers.set(type, new Set());
    this.#handlers.get(type).add(handler);
    return () => this.#handlers.get(type).delete(handler);
  }

  /**
   * Fetch JSON.
   *
   * @param {string} url
   * @returns {Promise<any>} rejects with a `RefusedError`
   */
  async get(url) {
    return parseAnswer(await fetchOrLost(url, {}));
  }

  /**
   * Post a text, a file, or a value as JSON.
   *
   * @param {string} url
   * @param {string|Blob|object} body
   * @returns {Promise<any>} the JSON answered; rejects with a `RefusedError`
   */
  async post(url, body) {
    const isText = typeof body === 'string' || body instanceof Blob;
    return parseAnswer(await fetchOrLost(url, {
      method: 'POST',
      body: isText ? body : JSON.stringify(body),
      headers: { 'Content-Type': isText ? 'text/plain; charset=utf-8' : 'application/json' },
    }));
  }

  /**
   * Delete what is at an address.
   *
   * @param {string} url
   * @returns {Promise<any>} the JSON answered; rejects with a `RefusedError`
   */
  async remove(url) {
    return parseAnswer(await fetchOrLost(url, { method: 'DELETE' }));
  }

  #connect() {
    const scheme = window.location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${window.location.host}/ws`);
    this.#socket = socket;
    this.#turn(this.welcome ? this.state : 'connecting');
    socket.addEventListener('message', (event) => this.#receive(JSON.parse(event.data)));
    socket.addEventListener('close', ({ code }) => this.#lost(socket, code));
  }

  #receive(reply) {
    if (reply.type === 'welcome') this.#open(reply);
    if (reply.type === 'ready') this.ready = true;
    if (reply.type === 'game') this.#games.add(reply.game);
    if (reply.was) this.#games.delete(reply.was); // it has another id now
    const waiting = reply.ref ? this.#waiting.get(reply.ref) : undefined;
    this.#waiting.delete(reply.ref);
    if (waiting?.reopened) this.#reopened(reply, waiting.reopened);
    if (reply.type === 'refused') return void this.#refused(reply, waiting);
    this.#emit(reply.type, reply);
    waiting?.resolve(reply);
  }

  #refused(reply, waiting) {
    const error = new RefusedError(reply.kind, reply.message);
    this.#emit('refused', { ...reply, message: error.message, detail: error.detail });
    waiting?.reject(error);
  }

  #open(welcome) {
    this.#failures = 0;
    this.welcome = welcome;
    this.ready = welcome.ready;
    this.state = 'open';
    for (const game of this.#games) this.#reopen(game);
    const messages = this.#outbox.splice(0);
    for (const message of messages) this.#socket.send(JSON.stringify(message));
    // Only now, for some ask anew: the server answers the last question alone.
    this.#emit('state', { state: 'open' });
  }

  #reopen(game) {
    const ref = this.send({ type: 'open', game });
    this.#waiting.set(ref, { reopened: game, resolve() {}, reject() {} });
  }

  #reopened(reply, game) {
    if (reply.type !== 'refused') return;
    this.#games.delete(game);
    this.#emit('gone', { game });
  }

  #lost(socket, code) {
    if (socket !== this.#socket) return;
    if (this.state === 'open') this.isRestarting = code === RESTART;
    this.#failures += 1;
    this.#turn(this.state === 'forbidden' ? 'forbidden' : 'lost');
    this.#rejectSent();
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#failures - 1));
    this.timer = setTimeout(() => this.#connect(), wait);
    this.#checkToken();
  }

  /** Fail what was sent and not answered; what still waits to be sent stays. */
  #rejectSent() {
    const unsent = new Set(this.#outbox.map((message) => message.ref));
    for (const [ref, { reject }] of [...this.#waiting]) {
      if (unsent.has(ref)) continue;
      this.#waiting.delete(ref);
      reject(new RefusedError('ConnectionLost'));
    }
  }

  /** A refused WebSocket gives no reason; a plain request does. */
  async #checkToken() {
    const answer = await fetch('/api/players').catch(() => null);
    if (this.state === 'open') return;
    if (answer?.status === 403) this.#turn('forbidden');
    else if (answer?.ok) this.#turn('lost');
  }

  #turn(state) {
    if (state === this.state) return;
    this.state = state;
    this.#emit('state', { state });
  }

  #emit(type, reply) {
    for (const handler of [...(this.#handlers.get(type) ?? [])]) handler(reply);
  }
}

async function fetchOrLost(url, options) {
  try {
    return await fetch(url, options);
  } catch {
    throw new RefusedError('ConnectionLost');
  }
}

async function parseAnswer(answer) {
  const body = await answer.json().catch(() => null);
  if (answer.ok) return body;
  throw new RefusedError(body?.kind ?? 'HttpError', body?.error ?? `HTTP ${answer.status}`);
}

/** The one connection of the page. */
export const net = new Net();

/**
 * Call a function now and then, one call at a time, while the page is visible. What it throws is
 * left to the next call: the head of the page says when the server is gone.
 *
 * @param {() => Promise<void>} ask
 * @param {number} every milliseconds between the end of a call and the next
 * @returns {() => void} ends it
 */
export function whileVisible(ask, every) {
  let timer = 0;
  let isBusy = false;
  let isOver = false;
  async function turn() {
    clearTimeout(timer);
    if (isBusy || isOver || document.hidden) return;
    isBusy = true;
    try {
      await ask();
    } catch (error) {
      if (error.name !== 'RefusedError') console.error(error);
    }
    isBusy = false;
    if (!isOver) timer = setTimeout(turn, every);
  }
  const off = listenTo(document, { visibilitychange: turn });
  turn();
  return () => {
    isOver = true;
    clearTimeout(timer);
    off();
  };
}
