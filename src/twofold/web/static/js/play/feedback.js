/** Sounds, made here, soft and short; no file is loaded for them. */

import { settings } from '../settings.js';

const LOUDNESS = 0.09;
const LOWEST_HZ = 196; // G3, a merge to 4
const PENTATONIC = [0, 2, 4, 7, 9];
const SLIDE = { hz: 150, seconds: 0.07, loudness: 0.4 };
const OVER = [0, -3, -7];
const GOAL = [0, 4, 7, 12];
const FIRST = [0, 7, 12];
const NOTE_GAP = 0.11; // seconds
const LEAST_GAP_MS = 50; // a fast player makes no noise

/** Makes a game heard, if the settings say so. */
export class Feedback {
  #audio = null;
  #last = 0;

  /**
   * @param {object} step a `step` message
   * @param {boolean} isFirst whether it has reached something for the first time
   */
  step(step, isFirst) {
    const now = performance.now();
    if (!settings.get('sounds') || now - this.#last < LEAST_GAP_MS) return;
    this.#last = now;
    this.#sound(step, largestMerge(step), isFirst);
  }

  close() {
    this.#audio?.close();
    this.#audio = null;
  }

  #sound({ now, goal_reached: isGoal }, tile, isFirst) {
    const isOver = now.status === 'over'; // stopped at the goal is no loss
    if (isFirst && !isOver && !isGoal) return void this.#tune(FIRST);
    if (isOver || isGoal) this.#tune([...(isGoal ? GOAL : []), ...(isOver ? OVER : [])]);
    else if (tile) this.#note({ hz: pitch(tile), seconds: 0.16, loudness: 1 });
    else this.#note(SLIDE);
  }

  #tune(steps) {
    steps.forEach((semitones, index) => this.#note(
      { hz: 2 * LOWEST_HZ * 2 ** (semitones / 12), seconds: 0.28, loudness: 0.9 }, index * NOTE_GAP));
  }

  /** A triangle wave that begins at once and fades. */
  #note({ hz, seconds, loudness }, after = 0) {
    this.#audio ??= new AudioContext();
    const audio = this.#audio;
    const [wave, gain] = [audio.createOscillator(), audio.createGain()];
    const start = audio.currentTime + after;
    wave.type = 'triangle';
    wave.frequency.value = hz;
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(loudness * LOUDNESS, start + 0.008);
    gain.gain.exponentialRampToValueAtTime(0.0001, start + seconds);
    wave.connect(gain).connect(audio.destination);
    wave.start(start);
    wave.stop(start + seconds);
  }
}

/** The largest tile that a move has made; 0 for none. */
function largestMerge({ slides, now }) {
  return Math.max(0, ...slides.filter(([, , merged]) => merged).map(([, end]) => now.tiles[end]));
}

/** Higher, the larger the tile: up a pentatonic scale, in which all notes go together. */
function pitch(tile) {
  const place = Math.log2(tile) - 2;
  const semitones = 12 * Math.floor(place / PENTATONIC.length) + PENTATONIC[place % PENTATONIC.length];
  return LOWEST_HZ * 2 ** (semitones / 12);
}
