/* Reads a page by the selectors that its visitor gave. */
(selectors, limits) => {
  const first = (selector) => (selector ? document.querySelector(selector) : null);
  const isShown = (element) => element !== null && element.getClientRects().length > 0;
  const cut = (text) => (text ?? '').trim().slice(0, 40);

  const [kind, name] = selectors.value.split(/:(.*)/s);
  const classNumber = (element) => [...element.classList]
    .map((each) => (each.startsWith(name) ? each.slice(name.length) : ''))
    .find((rest) => /^\d+$/.test(rest)) ?? '';
  const value = (element) => {
    if (kind === 'attribute') return cut(element.getAttribute(name));
    return cut(kind === 'class' ? classNumber(element) : element.textContent);
  };

  const board = first(selectors.board)?.getBoundingClientRect();
  // Where the middle of a tile lies: 0 at the top or left edge of the board, 1 at the other.
  const place = (element) => {
    const box = element.getBoundingClientRect();
    return [
      (box.top + box.height / 2 - board.top) / board.height,
      (box.left + box.width / 2 - board.left) / board.width,
    ];
  };

  const tiles = [...document.querySelectorAll(selectors.tiles)].slice(0, limits.tiles);
  const boxes = selectors.place === 'box';
  return {
    values: tiles.map(value),
    places: boxes && board ? tiles.map(place) : null,
    score: cut(first(selectors.score)?.textContent),
    over: isShown(first(selectors.over)),
    won: isShown(first(selectors.won)),
  };
}
