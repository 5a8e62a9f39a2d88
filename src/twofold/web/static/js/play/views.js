/** Parts of the page of a game, as functions of the game, and what lies over the board at its end. */

import { copyMenu, figureList } from '../controls.js';
import { button, fill, h, icon, part } from '../dom.js';
import { dayName, describeRules } from '../games/words.js';
import { analysisLink } from '../links.js';
import { settings } from '../settings.js';
import { number, text } from '../text.js';
import { hasReached, isFinished } from './live_game.js';

/** A number of so many digits is written smaller. */
const LONG = 9;

/**
 * Title, what there is to do, and the scores.
 *
 * @param {object|null} state the last `game` message
 * @param {object|null} now where it stands
 * @returns {HTMLElement[]}
 */
export function headView(state, now) {
  const goal = String(state?.rules.goal ?? 2048);
  const subtitle = state?.daily ? text('daily.subtitle', { day: dayName(state.daily) })
    : text('play.subtitle', { goal });
  const score = (label, points = 0) => h('div', { class: 'score' }, h('dt', { text: label }),
    h('dd', { class: `number ${number(points).length > LONG ? 'long' : ''}`, text: number(points) }));
  return [
    h('div', { class: 'grow' }, h('h1', { class: 'play-title', text: goal }),
      h('p', { class: 'soft play-subtitle', text: subtitle })),
    h('dl', { class: 'scores line' }, score(text('play.score'), now?.score),
      score(text('games.best'), now?.best)),
  ];
}

/**
 * The buttons over the board.
 *
 * @param {object|null} state the last `game` message
 * @param {object|null} now where it stands
 * @param {{isUndoable: boolean, help: HTMLElement[], newGame: function(): void,
 *   rules: function(): void, undo: function(): void,
 *   redo: function(): void, hints: function(): void}} page what they do; `help` are the buttons of
 *   the player
 * @returns {HTMLElement[]}
 */
export function controlsView(state, now, page) {
  const why = state?.daily ? text('daily.play_note') : '';
  const undo = now?.undos ? text('play.undo_count', { count: now.undos }) : text('play.undo');
  return [
    h('div', { class: 'group' },
      button({ icon: 'new', text: text('play.new') }, page.newGame, { class: 'primary' }),
      button({ text: text('play.rules') }, page.rules, { title: text('play.new_rules') })),
    h('div', { class: 'group' },
      h('button', { type: 'button', class: 'button icon-button undo', onclick: page.undo,
        'aria-label': undo, title: why || undo, disabled: !page.isUndoable }, icon('undo'),
      h('span', { class: 'undos number', 'aria-hidden': 'true', text: now?.undos > 99 ? '99+' : String(now?.undos || '') })),
      button({ icon: 'redo', label: text('play.redo') }, page.redo, { disabled: !now?.can_redo })),
    h('a', { class: 'button icon-button', href: '/games', 'aria-label': text('nav.games'), title: text('nav.games') }, icon('games')),
    h('div', { class: 'group narrow-only' },
      button({ icon: 'hint', label: text('play.hints') }, page.hints, { disabled: Boolean(why),
        title: why || text('play.hints'), 'aria-pressed': String(settings.get('hints')) }),
      page.help),
  ];
}

/**
 * What is known about the game, and what can be done with it.
 *
 * @param {object} state the last `game` message
 * @param {object} now where it stands
 * @param {{takeBack: function(): void|false, share: function(): void}} page `takeBack` where help can be taken back
 * @returns {HTMLElement[]}
 */
export function factsView(state, now, { takeBack, share }) {
  const played = [text(`games.kind_${now.kind}`),
    takeBack && button({ text: text('play.take_back') }, takeBack, { class: 'quiet small-button' })];
  const facts = [
    ['play.facts_moves', number(now.move_number)],
    ['play.facts_undos', number(now.undos)],
    ['play.facts_hints', number(now.hints)],
    ['games.column_kind', played],
    ['play.facts_rules', describeRules(state.rules)],
    ['play.facts_seed', state.seed],
  ];
  return [
    h('h2', { id: 'facts-title', text: text('play.facts') }),
    state.daily && h('p', {}, h('a', { href: `/daily?day=${state.daily}`, text: text('nav.daily') })),
    figureList('facts', facts.map(([name, value]) => [text(name), value])),
    h('div', { class: 'row facts-buttons' },
      h('a', { class: 'button', text: text('play.analyse'),
        href: analysisLink({ game: state.game, move: now.move_number }) }),
      copyMenu({ ...now, ...state.rules }),
      button({ icon: 'share', text: text('share.button') }, share),
      h('a', { class: 'button icon-button', download: true, 'aria-label': text('play.download'),
        title: text('play.download'), href: `/api/games/${state.game}/record` }, icon('download'))),
  ];
}

/**
 * What else there is to do today: links in a strip under the board.
 *
 * @param {{daily?: object, games?: object[]}} offers the daily games and the newest games, as the server says
 * @param {{id: string, now: object|null}} game that is played
 */
export function todayView({ daily, games = [] }, { id, now }) {
  const tried = daily?.tries.find(({ day }) => day === daily.today)?.game;
  const last = games.find(({ game, status, score }) => game !== id && game !== tried?.game && score && (status === 'going' || status === 'won'));
  const { score, status } = tried?.game === id ? now : tried ?? {};
  const dailyWords = !tried ? text('play.offer_today')
    : text(isFinished({ status }) ? 'play.game_score' : 'play.offer_going', { score });
  const offer = (name, href, title, note) => h('a', { class: 'today-link line', href, key: name }, icon(name),
    h('span', {}, h('strong', { text: title }), h('small', { class: 'soft', text: note })));
  return h('nav', { class: 'today', 'aria-label': text('play.offers') },
    offer('daily', '/daily', text('nav.daily'), dailyWords),
    offer('dice', '/practice#day', text('practice.puzzle_today'), text('play.offer_puzzle')),
    last ? offer('play', `/?game=${last.game}`, text('play.offer_last'), text('play.game_score', { score: last.score }))
      : offer('games', '/games', text('nav.games'), text('play.offer_games')),
    offer('help', '/learn', text('nav.learn'), text('play.offer_lesson')));
}

/** After the end of a game its buttons do not react for this time: keys meant the game. */
const QUIET_MS = 1000;

/** An overlay that is empty most of the time. */
export class Overlay {
  #timer = null;

  constructor() {
    this.element = part(h('div', { class: 'overlay stack', role: 'group', hidden: true,
      onkeydown: (event) => event.repeat && event.preventDefault() })); // a key that is held presses nothing
  }

  /** Whether it is there. */
  get isShown() {
    return !this.element.hidden;
  }

  /** Take it away. */
  hide() {
    this.element.hidden = true;
    this.element.replaceChildren();
  }

  /**
   * The goal is reached, and play may go on.
   *
   * @param {object} state a `game` message
   * @param {object} now where it stands
   * @param {{keepGoing: function(): void, newGame: function(): void}} actions
   */
  won(state, now, { keepGoing, newGame }) {
    const facts = text('play.won_facts', { goal: String(state.rules.goal), score: now.score,
      count: now.move_number });
    this.#show('won', text('play.won'), facts, false, [
      button({ text: text('play.keep_going') }, keepGoing, { class: 'primary' }),
      this.#analyse(state), button({ text: text('play.new') }, newGame),
    ]);
  }

  /**
   * No move is left, or the rules stop at the goal.
   *
   * @param {object} state a `game` message
   * @param {object} now where it stands
   * @param {{undo: function(): void, newGame: function(): void}} actions
   */
  over(state, now, { undo, newGame }) {
    const [isStopped, isWon] = [now.status === 'stopped', hasReached(now, state.rules)];
    const title = text(isStopped ? 'play.won' : isWon ? 'play.won_over' : 'play.over',
      { goal: String(state.rules.goal) });
    const facts = text('daily.result_facts', { score: now.score, count: now.move_number,
      tile: String(Math.max(...now.tiles)) });
    const daily = state.daily && h('a', { class: 'button primary',
      href: `/daily?day=${state.daily}`, text: text('daily.result') });
    this.#show(isWon ? 'won' : 'over', title, facts, true, [
      daily, button({ text: text('play.new') }, newGame, { class: daily ? '' : 'primary' }),
      this.#analyse(state),
      now.can_undo && button({ icon: 'undo', text: text('play.undo') }, undo),
    ]);
  }

  /**
   * Have the link to the analysis lead to a move.
   *
   * @param {string} href
   * @param {string} words
   */
  pointTo(href, words) {
    Object.assign(this.link, { href, textContent: words });
  }

  #analyse({ game }) {
    this.link = h('a', { class: 'button', href: analysisLink({ game }), text: text('play.analyse') });
    return this.link;
  }

  #show(kind, title, facts, isEnd, buttons) {
    Object.assign(this.element, { className: `overlay stack ${kind}`, ariaLabel: title, hidden: false });
    fill(this.element,
      h('p', { class: 'overlay-title', text: title }),
      h('p', { class: 'overlay-facts', text: facts }),
      h('div', { class: 'row overlay-buttons' }, buttons));
    this.#rest(isEnd);
    clearTimeout(this.#timer);
    if (isEnd) this.#timer = setTimeout(() => this.#rest(false), QUIET_MS);
  }

  #rest(isResting) {
    this.element.inert = isResting;
    if (!isResting && this.isShown) this.element.querySelector('.button').focus({ preventScroll: true });
  }
}
