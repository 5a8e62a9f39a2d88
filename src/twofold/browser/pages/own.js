/* Reads the page of `twofold serve`: every tile stands where it belongs, also while it slides. */
(limits) => {
  const PLACE = /^translate\((-?[\d.]+)%(?:, (-?[\d.]+)%)?\)$/;

  const board = document.querySelector('.board-place .board');
  if (!board) return { asks: Boolean(document.querySelector('form #token[name=token]')) };

  const read = (tile) => {
    const place = PLACE.exec(tile.style.transform.slice(0, 80));
    if (!place) return null; // at hand for later, out of sight
    const index = (percent) => Math.round(Number(percent ?? 0) / 100);
    return [index(place[2]), index(place[1]), tile.textContent.slice(0, 20)];
  };

  const tiles = [...board.querySelectorAll('.board-tiles > .tile')].slice(0, limits.tiles);
  const rows = [...board.querySelectorAll('.board-row')];
  const overlay = document.querySelector('.overlay:not([hidden])');
  const ended = overlay?.dataset.ended === 'true'; // also where the rules stop at the goal
  return {
    tiles: tiles.map(read).filter(Boolean),
    rows: rows.length,
    cols: rows.length ? rows[0].querySelectorAll('.board-cell').length : 0,
    score: document.querySelector('.scores .score dd')?.textContent.slice(0, 40) ?? '',
    over: ended,
    won: !ended && overlay?.classList.contains('won') === true,
  };
}
