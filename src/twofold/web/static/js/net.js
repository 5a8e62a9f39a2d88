/**
 * The connection to the server: requests and replies as in `protocol.py`.
 *
 * It reconnects by itself, and then re-opens every game that was open. Besides the replies by
 * their type, handlers can listen to `state` ({state}), when the connection comes or goes, and
 * to `gone` ({game}), when a game that was open could not be re-opened.
 */

import { listenTo, pageSignal, Teller } from './dom.js';
import { settings } from './settings.js';
import { fullSentence, text } from './text.js';

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

class Net extends Teller {
  #socket = null;
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

  /** Whether the server is not there, or wants the token again: what is asked waits. */
  get isAway() {
    return this.state === 'lost' || this.state === 'forbidden';
  }

  /** The players to pick from; the first is the default. Empty before `welcome`. */
  get players() {
    return this.welcome?.players ?? [];
  }

  /** Ask for the players again: a network that was trained since is one of them. */
  async refreshPlayers() {
    if (!this.welcome) return;
    this.welcome.players = await this.get('/api/players');
    this.tell('welcome', this.welcome);
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
   * Fetch JSON.
   *
   * @param {string} url
   * @returns {Promise<any>} rejects with a `RefusedError`
   */
  get(url) {
    return fetchJson(url);
  }

  /**
   * Post a text, a file, or a value as JSON.
   *
   * @param {string} url
   * @param {string|Blob|object} body
   * @returns {Promise<any>} the JSON answered; rejects with a `RefusedError`
   */
  post(url, body) {
    const isText = typeof body === 'string' || body instanceof Blob;
    return fetchJson(url, {
      method: 'POST',
      body: isText ? body : JSON.stringify(body),
      headers: { 'Content-Type': isText ? 'text/plain; charset=utf-8' : 'application/json' },
    });
  }

  /**
   * Delete what is at an address.
   *
   * @param {string} url
   * @returns {Promise<any>} the JSON answered; rejects with a `RefusedError`
   */
  remove(url) {
    return fetchJson(url, { method: 'DELETE' });
  }

  /**
   * Call a function once the connection is there again, unless the page is left before.
   *
   * @param {{kind: string}} error what a request has failed with; nothing is done but for a lost connection
   * @param {() => void} run
   */
  afterLoss({ kind }, run) {
    if (kind !== 'ConnectionLost') return;
    const back = ({ detail: { state } }) => {
      if (state !== 'open') return;
      this.removeEventListener('state', back);
      run();
    };
    this.addEventListener('state', back, { signal: pageSignal() });
  }

  #connect() {
    const scheme = window.location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${window.location.host}/ws`);
    this.#socket?.close(); // a server that has not answered yet is not listened to any more
    this.#socket = socket;
    this.#turn(this.welcome ? this.state : 'connecting');
    socket.addEventListener('message', ({ data }) => socket === this.#socket && this.#receive(JSON.parse(data)));
    socket.addEventListener('close', ({ code }) => this.#lost(socket, code));
  }

  #receive(reply) {
    if (reply.type === 'welcome') this.#open(reply);
    if (reply.type === 'ready') this.ready = true;
    if (reply.type === 'game') this.#games.add(reply.game);
    if (reply.was) this.#games.delete(reply.was); // it has another id now
    const waiting = reply.ref ? this.#waiting.get(reply.ref) : undefined;
    this.#waiting.delete(reply.ref);
    if (waiting?.reopened && reply.type === 'refused') {
      this.#games.delete(waiting.reopened);
      this.tell('gone', { game: waiting.reopened });
    }
    if (reply.type !== 'refused') {
      this.tell(reply.type, reply);
      return void waiting?.resolve(reply);
    }
    const error = new RefusedError(reply.kind, reply.message);
    this.tell('refused', { ...reply, message: error.message, detail: error.detail });
    waiting?.reject(error);
  }

  #open(welcome) {
    this.#failures = 0;
    this.welcome = welcome;
    this.ready = welcome.ready;
    settings.set('strengths', this.players.filter(({ strength }) => strength)); // for names at the next visit
    if (welcome.command) settings.set('command', welcome.command);
    this.state = 'open';
    for (const game of this.#games) {
      this.#waiting.set(this.send({ type: 'open', game }), { reopened: game, resolve() {}, reject() {} });
    }
    const messages = this.#outbox.splice(0);
    for (const message of messages) this.#socket.send(JSON.stringify(message));
    // Only now, for some ask anew: the server answers the last question alone.
    this.tell('state', { state: 'open' });
  }

  #lost(socket, code) {
    if (socket !== this.#socket) return;
    if (this.state === 'open') this.isRestarting = code === RESTART;
    this.#failures += 1;
    this.#turn(this.state === 'forbidden' ? 'forbidden' : 'lost');
    this.#rejectSent();
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#failures - 1));
    this.timer = setTimeout(() => this.#connect(), wait);
    // a refused WebSocket gives no reason; a plain request does
    fetch('/api/players').catch(() => null).then((answer) => {
      if (this.state !== 'open' && (answer?.ok || answer?.status === 403)) this.#turn(answer.ok ? 'lost' : 'forbidden');
    });
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

  #turn(state) {
    if (state === this.state) return;
    this.state = state;
    this.tell('state', { state });
  }
}

/** The JSON at an address; rejects with a `RefusedError`. */
async function fetchJson(url, options) {
  const answer = await fetch(url, options).catch(() => {
    throw new RefusedError('ConnectionLost');
  });
  const body = await answer.json().catch(() => null);
  if (answer.ok) return body;
  throw new RefusedError(body?.kind ?? 'HttpError', body?.error ?? `HTTP ${answer.status}`);
}

/** The one connection of the page. */
export const net = new Net();

/**
 * Call a function now and then, one call at a time, while the page is visible and until it is left.
 * What it throws is left to the next call: the head of the page says when the server is gone.
 *
 * @param {() => Promise<void>} ask
 * @param {number} every milliseconds between the end of a call and the next
 */
export function whileVisible(ask, every) {
  const signal = pageSignal();
  let timer = 0;
  let isBusy = false;
  async function turn() {
    clearTimeout(timer);
    if (isBusy || signal.aborted || document.hidden) return;
    isBusy = true;
    await ask().catch((error) => error.name === 'RefusedError' || console.error(error));
    isBusy = false;
    timer = setTimeout(turn, every);
  }
  listenTo(document, { visibilitychange: turn });
  turn();
}

/** Kinds that the catalogue has a sentence for: `refusal.KIND`. */
const KINDS = new Set([
  'CellOccupied', 'ConnectionLost', 'GameOver', 'IllegalMove', 'InternalError', 'InvalidBoard',
  'InvalidRecord', 'InvalidRules', 'InvalidSeed', 'NotFound', 'NothingToRedo',
  'NothingToUndo', 'ResourceError', 'StaleMove', 'TileTooLarge', 'TooLarge', 'UnsupportedRules',
]);

/** The server's sentence about a name that no player has; `shown` in Python quotes the name. */
const UNKNOWN = /^expected a player (?:\(.*\)|name .*), got '(.+?)'(?:; did you mean (.+)\?)?$/;

/** The server's sentence about a text of several games. */
const SEVERAL = /^expected one (?:game|board), got several/;

/**
 * A sentence for a refusal.
 *
 * @param {string} kind name of the error's class
 * @param {string} message of the server, shown where the catalogue has no sentence for the kind
 */
export function refusalText(kind, message) {
  if (SEVERAL.test(message)) return text('refusal.several');
  if (KINDS.has(kind)) return text(`refusal.${kind}`);
  const [, name, similar] = UNKNOWN.exec(message) ?? [];
  if (name) return text(`refusal.unknown_${similar ? 'similar' : 'player'}`, { name, similar });
  return text('refusal.other', { message: fullSentence(message) });
}
