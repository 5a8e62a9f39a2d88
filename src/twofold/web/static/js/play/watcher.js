/** What the page of a game in play does when something happens in it. */

/**
 * @typedef {object} Watcher what the page does when something happened
 * @property {function(object): void} state a `game` message: show the game anew
 * @property {function(object): void} step a `step` message
 * @property {function(object): void} frame a `frame` message
 * @property {function(object): void} ended an `ended` message
 * @property {function(string): void} sending a letter of a move that is asked for now
 * @property {function(string): void} illegal a letter that moves nothing here
 * @property {function(string): void} trouble a sentence for the person
 * @property {function(): void} waiting the number of waiting or dropped moves has changed
 * @property {function(import('./loss.js').Found): void} back the connection is back, and all moves
 *   that waited were made
 */

export {};
