'use strict';

/** Moves a second while it plays by itself at the speed 1x. */
const RATE = 8;

/** Boards drawn a second at most; at a higher speed some moves are not shown. */
const MOST_SHOWN = 32;

const PAUSE = 'M6 5h4v14H6zM14 5h4v14h-4z';
const NAMES = { u: 'up', r: 'right', d: 'down', l: 'left' };
const byId = (id) => document.getElementById(id);

/** The game: packed as JSON, deflated, in base 64. */
async function unpack() {
  const bytes = Uint8Array.from(atob(byId('data').textContent), (c) => c.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(unpacked).json();
}

function walk(game) {
  const places = [...document.querySelectorAll('#board > g')];
  const slider = byId('at');
  const speed = byId('speed');
  const steps = game.moves.length;
  const sign = document.querySelector('#play path');
  const playSign = sign.getAttribute('d');
  let timer = 0;

  /** Show the position after some moves. */
  function show(step) {
    slider.value = game.first + step;
    const exponents = [...game.boards.slice(step * places.length, (step + 1) * places.length)]
      .map((digit) => parseInt(digit, 36));
    places.forEach((place, cell) => {
      const spawned = step > 0 && game.cells[step - 1] === cell;
      place.setAttribute('class', `e${exponents[cell]}${spawned ? ' new' : ''}`);
      place.lastChild.textContent = exponents[cell] ? 2 ** exponents[cell] : '';
    });
    byId('board').setAttribute('aria-label', inWords(exponents));
    const facts = [
      `move ${(game.first + step).toLocaleString('en')} of ${(game.first + steps).toLocaleString('en')}`,
      step > 0 ? NAMES[game.moves[step - 1]] : 'start',
      `${game.scores[step].toLocaleString('en')} points`,
    ];
    byId('facts').textContent = facts.join(' · ');
    slider.setAttribute('aria-valuetext', facts.join(', '));
    byId('comment').textContent = game.comments[game.first + step] ?? '';
    for (const id of ['start', 'back']) byId(id).disabled = step === 0;
    for (const id of ['on', 'end']) byId(id).disabled = step === steps;
    if (step === steps) stop();
  }

  function inWords(exponents) {
    const rows = Array.from({ length: game.rows }, (_, row) =>
      exponents.slice(row * game.cols, (row + 1) * game.cols));
    return rows.map((row, number) =>
      `Row ${number + 1}: ${row.map((e) => (e ? 2 ** e : 'empty')).join(', ')}.`).join(' ');
  }

  const at = () => slider.valueAsNumber - game.first;
  const go = (step) => show(Math.max(0, Math.min(steps, step)));

  function stop() {
    clearInterval(timer);
    timer = 0;
    sign.setAttribute('d', playSign);
    byId('play').setAttribute('aria-label', 'Play');
  }

  function start() {
    const rate = RATE * Number(speed.value);
    const shown = Math.min(rate, MOST_SHOWN);
    clearInterval(timer);
    timer = setInterval(() => go(at() + rate / shown), 1000 / shown);
  }

  /** Choose the next speed, or the one before. */
  function change(by) {
    speed.selectedIndex = Math.max(0, Math.min(speed.length - 1, speed.selectedIndex + by));
    if (timer) start();
  }

  function play() {
    if (at() === steps) go(0);
    start();
    sign.setAttribute('d', PAUSE);
    byId('play').setAttribute('aria-label', 'Pause');
  }

  const actions = {
    start: () => { stop(); go(0); },
    back: () => { stop(); go(at() - 1); },
    on: () => { stop(); go(at() + 1); },
    end: () => { stop(); go(steps); },
    play: () => (timer ? stop() : play()),
  };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener('click', action);
  speed.addEventListener('change', () => change(0));
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '+' || event.key === '=') change(1);
    if (event.key === '-') change(-1);
  });
  slider.addEventListener('input', () => { stop(); go(at()); });
  byId('play').disabled = steps === 0;
  byId('controls').hidden = false;
  show(0);
}

unpack().then(walk).catch((error) => { byId('comment').textContent = String(error); });
