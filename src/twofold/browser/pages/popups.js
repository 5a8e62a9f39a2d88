/*
 * What lies over the board, described as `cover`. If something does, or in any case if so asked, a
 * known popup that is there is refused or closed, and its name returned as `closed`. Nothing is
 * ever agreed to.
 */
(selector, known, always) => {
  const isShown = (element) => element.getClientRects().length > 0;
  const cut = (text) => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, 60);

  const close = () => {
    for (const { name, button } of known) {
      const found = [...document.querySelectorAll(button)].find(isShown);
      if (!found) continue;
      found.click();
      return name;
    }
    const dialog = document.querySelector('dialog[open]');
    if (!dialog) return '';
    dialog.close();
    return 'dialog';
  };

  const describe = (element) => {
    const id = element.id ? `#${cut(element.id)}` : '';
    const names = [...element.classList].slice(0, 3).map((each) => `.${cut(each)}`).join('');
    const words = cut(element.textContent);
    return `<${element.localName}${id}${names}>${words ? ` ${words}` : ''}`;
  };

  const cover = () => {
    const board = document.querySelector(selector);
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
}
