/*
 * Reads 2048 pages, and closes popups over them. Runs in an isolated world of a frame: the page's
 * document is there, its own scripts are not. Tiles are [row, column, text, rank]; of several tiles
 * in a cell the one of the highest rank counts.
 *
 * To Playwright this is a selector engine: the selector is a function with its arguments, and the
 * element found is one of no document, whose text is the answer.
 */
(() => {
  const MOST_TILES = 1000; // read as tiles
  const MOST_CLASSES = 20;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const first = (selector) => (selector ? document.querySelector(selector) : null);
  const isShown = (element) => element !== null && element.getClientRects().length > 0;
  const cut = (text, length = 40) => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, length);

  /* The original game and its many relatives, by the tiles that it shows. The classes
   * `tile tile-8 tile-position-2-1` are an 8 in column 2 of row 1. */
  const original = () => {
    const match = (names, pattern) => names.map((each) => pattern.exec(each)).find(Boolean);
    const read = (tile) => {
      const names = [...tile.classList].slice(0, MOST_CLASSES);
      const place = match(names, /^tile-position-(\d{1,2})-(\d{1,2})$/);
      if (!place) return null;
      const value = match(names, /^tile-(\d{1,15})$/)?.[1] ?? cut(tile.textContent);
      // A merged tile lies over the two it was made of; a new one over tiles that are leaving.
      const rank = names.includes('tile-merged') ? 2 : Number(names.includes('tile-new'));
      return [Number(place[2]) - 1, Number(place[1]) - 1, value, rank];
    };
    const rows = first('.grid-container')?.querySelectorAll('.grid-row') ?? [];
    return {
      rows: rows.length,
      cols: rows[0]?.querySelectorAll('.grid-cell').length ?? 0,
      tiles: all('[class*="tile-position-"]').slice(0, MOST_TILES).map(read).filter(Boolean),
      // The points of the last move float in an element of their own beside the score.
      score: cut(first('.score-container')?.firstChild?.textContent),
      over: isShown(first('.game-over')),
      won: isShown(first('.game-won')),
    };
  };

  /* Any other page, by the selectors of the user. */
  const generic = (told) => {
    const { rows, cols } = told;
    const [kind, key] = told.value.split(/:(.*)/s);
    const classNumber = (element) => [...element.classList]
      .map((each) => (each.startsWith(key) ? each.slice(key.length) : ''))
      .find((rest) => /^\d+$/.test(rest)) ?? '';
    const value = (element) => {
      if (kind === 'attribute') return cut(element.getAttribute(key));
      return cut(kind === 'class' ? classNumber(element) : element.textContent);
    };
    const board = first(told.board)?.getBoundingClientRect();
    // Where the middle of a tile lies on the board, as a row and a column.
    const inBox = (element) => {
      const box = element.getBoundingClientRect();
      const down = (box.top + box.height / 2 - board.top) / board.height;
      const right = (box.left + box.width / 2 - board.left) / board.width;
      return [Math.floor(down * rows), Math.floor(right * cols)];
    };
    const found = all(told.tiles).slice(0, MOST_TILES);
    const inOrder = told.place === 'order';
    const place = (each, cell) => (inOrder ? [Math.floor(cell / cols), cell % cols] : inBox(each));
    let fault = '';
    if (inOrder && found.length !== rows * cols) {
      fault = `expected ${rows * cols} cells '${told.tiles}', got ${found.length}`;
    } else if (!inOrder && (!board || !found.length)) {
      fault = `expected a board '${told.board}' with tiles '${told.tiles}', got none`;
    }
    return {
      rows,
      cols,
      fault,
      tiles: fault ? [] : found.map((each, cell) => [...place(each, cell), value(each), 0]),
      score: cut(first(told.score)?.textContent),
      over: isShown(first(told.over)),
      won: isShown(first(told.won)),
    };
  };

  /* What lies over the board, described as `cover`. If something does, or in any case if so asked,
   * a known popup is refused or closed, and its name returned as `closed`. Nothing is ever agreed
   * to. */
  const popup = (selector, known, always) => {
    const close = () => {
      for (const [title, button] of known) {
        const found = all(button).find(isShown);
        if (found) {
          found.click();
          return title;
        }
      }
      const dialog = first('dialog[open]');
      dialog?.close();
      return dialog ? 'dialog' : '';
    };
    const describe = (element) => {
      const id = element.id ? `#${cut(element.id)}` : '';
      const names = [...element.classList].slice(0, 3).map((each) => `.${cut(each)}`).join('');
      return cut(`<${element.localName}${id}${names}> ${cut(element.textContent, 60)}`, 200);
    };
    const cover = () => {
      const board = first(selector);
      if (!board) return '';
      board.scrollIntoView({ block: 'center', inline: 'center' });
      const box = board.getBoundingClientRect();
      let top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      if (!top || board.contains(top) || top.contains(board)) return '';
      while (top.parentElement && !top.parentElement.contains(board)) top = top.parentElement;
      return describe(top);
    };
    const over = cover();
    return { closed: over || always ? close() : '', cover: over };
  };

  const click = (selector) => {
    const found = first(selector);
    found?.click();
    return found !== null;
  };

  const focus = () => {
    window.focus();
    document.activeElement?.blur?.(); // takes it from text fields
  };

  const answer = (question) => {
    const element = document.createElement('p');
    try {
      const [name, ...words] = JSON.parse(question);
      const functions = { original, generic, popup, click, focus };
      element.textContent = JSON.stringify({ answer: functions[name](...words) ?? null });
    } catch (error) {
      element.textContent = JSON.stringify({ fault: String(error) });
    }
    return element;
  };
  return { query: (_, question) => answer(question), queryAll: (_, question) => [answer(question)] };
})()
