/** What is meant to be done in a game: a move, an undo, a move of a player; whether it can. */

/**
 * @param {{status: string}} now where a game stands
 * @returns {boolean} whether no move follows
 */
export function isFinished({ status }) {
  return status === 'over' || status === 'stopped';
}

/**
 * @param {{tiles: number[]}} now where a game stands
 * @param {{goal: number}} rules
 * @returns {boolean} whether the board holds the goal or a larger tile
 */
export function hasReached({ tiles }, { goal }) {
  return Math.max(...tiles) >= goal;
}

/** Whether a move was made before, and a server has lost it; see `Line.after`. */
export function isAgain({ at }) {
  return at !== undefined;
}

/**
 * @param {object} intent
 * @param {object} now where the game stands
 * @returns {boolean} whether it can be done there
 */
export function canDo(intent, now) {
  if (intent.type === 'move') return now.legal.includes(intent.move);
  if (intent.type === 'undo') return now.can_undo;
  if (intent.type === 'redo') return now.can_redo;
  return intent.type === 'take_back' || now.legal !== '';
}
