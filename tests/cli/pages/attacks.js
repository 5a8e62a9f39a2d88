/*
 * What a page may do against whoever plays it: `original.html?attack=NAME,NAME` does it from its
 * first key on, and goes on with the game where that does not keep it from doing so.
 */
const html = (text) => document.body.insertAdjacentHTML('beforeend', text);
const again = (what, ms) => { what(); setInterval(what, ms); };
const board = first('.game-container');
const everyKey = (what) => document.addEventListener('keydown', what, true);

const attacks = {
  alerts: () => again(() => { alert('Pay now'); confirm('Sure?'); prompt('Card number'); }, 50),
  'alert on each key': () => everyKey(() => { for (let n = 0; n < 3; n += 1) alert(n); }),
  'alerts without end': () => { for (;;) alert('Pay now'); },
  print: () => everyKey(() => window.print()),
  windows: () => everyKey(() => { for (let n = 0; n < 2; n += 1) window.open('empty.html'); }),
  downloads: () => everyKey(() => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(['x'.repeat(1e6)]));
    link.download = '../../evil.sh';
    link.click();
  }),
  permissions: () => everyKey(() => {
    navigator.geolocation.getCurrentPosition(() => {}, () => {});
    Notification.requestPermission();
    navigator.mediaDevices?.getUserMedia({ audio: true, video: true }).catch(() => {});
    navigator.clipboard?.readText().catch(() => {});
    document.documentElement.requestFullscreen().catch(() => {});
    document.documentElement.requestPointerLock();
  }),
  'the console': () => again(() => { for (let n = 0; n < 50; n += 1) console.log('x'.repeat(1e5), window); }, 20),
  'leaves for a file': () => everyKey(() => { window.location = 'file:///etc/passwd'; }),
  'leaves for nowhere': () => { window.location = 'about:blank'; },
  'leaves for another site': () => {
    window.location = `${window.location.origin.replace('127.0.0.1', 'localhost')}/empty.html`;
  },
  'loads itself at each key': () => window.location.reload(),
  'loads itself without end': () => setTimeout(() => { window.location = `${window.location}&`; }, 1),
  'the history': () => again(() => { history.pushState(0, '', `#${Math.random()}`); history.back(); }, 50),
  'closes itself': () => { window.open('', '_self'); window.close(); },
  'writes without end': () => { for (;;) document.write('<p>more'); },
  'writes itself away': () => again(() => document.write('<p>more'), 1),
  'a loop in a key': () => everyKey(() => { for (;;); }),
  'a million nodes': () => {
    board.insertAdjacentHTML('beforebegin', '<i></i>'.repeat(1e6));
  },
  'a million tiles': () => {
    const tile = '<i hidden class="tile tile-2 tile-position-1-1"></i>';
    html(tile.repeat(2e5));
  },
  'a long text': () => html(`<b class="tile tile-position-1-1">${'9'.repeat(5e7)}</b>`),
  'frames in frames': () => {
    let inner = document;
    for (let depth = 0; depth < 300; depth += 1) {
      const frame = inner.createElement('iframe');
      inner.body.append(frame);
      inner = frame.contentDocument;
    }
  },
  'many frames': () => html('<iframe hidden></iframe>'.repeat(200)),
  'names that hide functions': () => html('<form name="querySelectorAll"></form>'),
  'a form that hides its parent': () => html(
    '<form class="popup"><input name="parentElement"><input name="classList"></form>'),
  'rows that grow': () => html(`<div class="grid-container">${'<div class="grid-row"></div>'.repeat(1e4)}</div>`),
  'another size at each key': () => everyKey(() => {
    size = size === 4 ? 3 : 4;
    cells = Array.from({ length: size }, (_, r) => Array.from({ length: size }, (_, c) => (
      cells[r]?.[c] ?? (r === c ? { value: 2 } : null))));
    const row = `<div class="grid-row">${'<div class="grid-cell"></div>'.repeat(size)}</div>`;
    first('.grid-container').innerHTML = row.repeat(size);
    show();
  }),
  'ends and does not': () => {
    const message = first('.game-message');
    document.addEventListener('keydown', (event) => event.stopPropagation(), true);
    again(() => message.classList.toggle('game-over'), 30);
  },
  'is won again and again': () => {
    const message = first('.game-message');
    document.addEventListener('keydown', (event) => event.stopPropagation(), true);
    again(() => message.classList.toggle('game-won'), 30);
  },
  'tile 3': () => everyKey(() => { cells[0][0] = { value: 3 }; show(); }),
  'tile 10^30': () => everyKey(() => { cells[0][0] = { value: 1e30 }; show(); }),
};

for (const name of order.get('attack').split(',')) {
  document.addEventListener('keydown', attacks[name], { once: true, capture: true });
}
