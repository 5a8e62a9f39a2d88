/*
 * Reads the original game and its many relatives: the state that it saves, and the tiles that it
 * shows. The classes of a tile say what it is and where: `tile tile-8 tile-position-2-1` is an 8
 * in column 2 of row 1.
 */
(limits) => {
  const PLACE = /^tile-position-(\d{1,2})-(\d{1,2})$/;
  const VALUE = /^tile-(\d{1,15})$/;
  const MOST_CLASSES = 20;

  const saved = () => {
    try {
      const found = window.localStorage.getItem('gameState');
      return found && found.length <= limits.saved ? found : '';
    } catch {
      return ''; // a page may have no storage
    }
  };

  const match = (names, pattern) => names.map((name) => pattern.exec(name)).find(Boolean);

  // A merged tile lies over the two it was made of; a new one over tiles that have yet to leave.
  const rank = (tile) => {
    if (tile.classList.contains('tile-merged')) return 2;
    return tile.classList.contains('tile-new') ? 1 : 0;
  };

  const read = (tile) => {
    const names = [...tile.classList].slice(0, MOST_CLASSES);
    const place = match(names, PLACE);
    if (!place) return null;
    const value = match(names, VALUE)?.[1] ?? tile.textContent.slice(0, MOST_CLASSES);
    return [Number(place[2]) - 1, Number(place[1]) - 1, value, rank(tile)];
  };

  const isShown = (element) => element !== null && element.getClientRects().length > 0;

  // The points of the last move float in an element of their own beside the score.
  const score = () => {
    const node = document.querySelector('.score-container')?.firstChild;
    return node ? node.textContent.slice(0, 40) : '';
  };

  const tiles = [...document.querySelectorAll('[class*="tile-position-"]')];
  const rows = [...document.querySelectorAll('.grid-container .grid-row')];
  return {
    saved: saved(),
    tiles: tiles.slice(0, limits.tiles).map(read).filter(Boolean),
    rows: rows.length,
    cols: rows.length ? rows[0].querySelectorAll('.grid-cell').length : 0,
    score: score(),
    over: isShown(document.querySelector('.game-over')),
    won: isShown(document.querySelector('.game-won')),
  };
}
