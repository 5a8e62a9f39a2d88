/** What moves a race: go, pause, steps, the scrubber, the speed. */

import { button, fill, h, icon } from '../dom.js';
import { text } from '../text.js';
import { SPEEDS, formatSpeed, placeOf } from './speed.js';

const ICONS = { go: 'run', pause: 'pause', again: 'dice' };

/** The controls of a `Race`. */
export class Transport {
  #shown = '';
  #face = '';

  /**
   * @param {import('./race.js').Race} race
   * @param {() => void} onAgain called for a new race, once all games are over
   */
  constructor(race, onAgain) {
    this.race = race;
    this.onAgain = onAgain;
    this.goIcon = h('span', { class: 'transport-icon' });
    this.goText = h('span', { class: 'button-text' });
    this.goButton = h('button', {
      type: 'button', class: 'button primary transport-go', onclick: () => this.go(),
    }, this.goIcon, this.goText);
    this.backButton = button({ icon: 'back', label: text('watch.back') }, () => race.back());
    this.forwardButton = button({ icon: 'step', label: text('watch.forward') }, () => race.forward());
    this.#buildScrubber();
    this.#buildSpeed();
    this.element = this.#build();
    this.showSpeed();
  }

  #build() {
    return h('section', { class: 'transport card', 'aria-label': text('watch.controls') },
      h('div', { class: 'transport-buttons group' }, this.backButton, this.goButton, this.forwardButton),
      h('div', { class: 'transport-scrub' }, this.scrubber, this.where),
      h('div', { class: 'transport-speed' },
        h('label', { class: 'label', for: 'watch-speed', text: text('play.pace') }),
        this.speed, this.speedText));
  }

  #buildScrubber() {
    this.scrubber = h('input', {
      type: 'range', min: 0, max: 0, step: 1, value: 0, 'aria-label': text('watch.scrubber'),
      oninput: () => this.race.seek(Number(this.scrubber.value)),
    });
    this.where = h('span', { class: 'transport-where number' });
  }

  #buildSpeed() {
    this.speed = h('input', {
      id: 'watch-speed', type: 'range', min: 0, max: SPEEDS.length - 1, step: 1,
      oninput: () => this.race.setSpeed(SPEEDS[Number(this.speed.value)]),
    });
    this.speedText = h('output', { class: 'transport-speed-text number', for: 'watch-speed' });
  }

  /** Go, pause, or begin a new race where this one is over. */
  go() {
    const isEnd = this.race.cursor === null && this.race.isFinished;
    if (isEnd) this.onAgain();
    else this.race.toggle();
  }

  /** @param {number} steps up or down the scale of speeds */
  changeSpeed(steps) {
    const place = placeOf(this.race.speed) + steps;
    this.race.setSpeed(SPEEDS[Math.max(0, Math.min(place, SPEEDS.length - 1))]);
  }

  /** Show the speed as the race has it. */
  showSpeed() {
    const words = formatSpeed(this.race.speed);
    this.speed.value = placeOf(this.race.speed);
    this.speed.setAttribute('aria-valuetext', words);
    this.speedText.textContent = words;
  }

  /** Draw what changes while a race goes; cheap where nothing has. */
  draw() {
    const { race } = this;
    const { last, isGoing } = race;
    const place = race.cursor ?? last;
    const isEnd = race.cursor === null && race.isFinished;
    const key = `${place} ${last} ${isGoing} ${isEnd}`;
    if (key === this.#shown) return;
    this.#shown = key;
    this.scrubber.max = last;
    this.scrubber.value = place;
    this.where.textContent = text(place === last ? 'watch.newest' : 'watch.where', { move: place, last });
    this.backButton.disabled = place <= race.first;
    this.forwardButton.disabled = isEnd;
    this.#drawGo(isEnd ? 'again' : isGoing ? 'pause' : 'go');
  }

  #drawGo(face) {
    if (this.#face === face) return;
    this.#face = face;
    fill(this.goIcon, icon(ICONS[face]));
    this.goText.textContent = text(`watch.${face}`);
  }
}
