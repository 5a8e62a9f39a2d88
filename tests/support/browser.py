"""The web app in a real Chromium: a server, and pages that note what goes wrong."""

import asyncio
import contextlib
import json
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect, sync_playwright

from tests.web.driver import serving
from twofold import Game, Move
from twofold.cli.browser import find_browser
from twofold.game.record import Record
from twofold.web.hub import Hub
from twofold.web.pages import address
from twofold.web.security import Access
from twofold.web.server import create_app, listen

PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)

LAPTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 860}, "color_scheme": "dark"}
PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "color_scheme": "light",
    "is_mobile": True,
    "has_touch": True,
}


ARROWS: Final = {"l": "ArrowLeft", "u": "ArrowUp", "r": "ArrowRight", "d": "ArrowDown"}
"""The keys of the moves."""

SCRIPTS: Final = address("js")
"""Where the scripts of the page are."""

STILL = """() => document.getAnimations().every((one) =>
    one.playState !== "running" || one.effect.getComputedTiming().endTime === Infinity)"""
"""Whether no animation runs that ends."""

FOLLOW = """(path) => {
    const link = document.body.appendChild(document.createElement("a"));
    link.href = path;
    link.click();
    link.remove();
}"""
"""Follow a link."""


@dataclass
class Served:
    """A server.

    Attributes:
        url: its address, without the token.
        token: what its owner knows.
        folder: where its data is.
    """

    url: str
    token: str
    folder: Path

    def ask(self, path: str, body: bytes | None = None) -> Any:
        """The answer of its API to a GET, or to a POST where there is a body."""
        headers = {"Authorization": f"Bearer {self.token}"}
        request = urllib.request.Request(self.url + path, body, headers)
        with urllib.request.urlopen(request, timeout=PATIENCE_MS / 1000) as answer:
            return json.loads(answer.read())

    def keep(self, game: Game | Record | str, player: str = "me") -> str:
        """Give it a game to keep as one of the person's, or its record; the id of the game."""
        record = Record.from_game(game, player=player) if isinstance(game, Game) else game
        self.ask("/api/import", str(record).encode())
        return str(self.ask("/api/games", str(record).encode())["game"])


@contextlib.contextmanager
def serve(
    folder: Path, player: str, before: Served | None = None, players: Sequence[str] = ()
) -> Iterator[Served]:
    """Serve the games in a folder, with a player that helps, from a thread of this process.

    It takes the place of the server `before`, which has ended, with its port and token. `players`
    may be asked for as well.
    """
    port = int(before.url.rpartition(":")[2]) if before else 0
    listener = listen("127.0.0.1", port)
    port = listener.getsockname()[1]
    access = Access(port, before.token) if before else Access(port)
    hub = Hub(folder, player, players)
    hub.command = f"twofold serve --no-open --port {port} --folder {folder}"
    with contextlib.closing(hub), serving(create_app(hub, access, folder), listener):
        yield Served(f"http://127.0.0.1:{access.port}", access.token, folder)


@contextlib.contextmanager
def launch() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(headless=True),
            args=["--no-sandbox", "--disable-dev-shm-usage"],
        )
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Chromium:
    """A browser that a whole run of tests shares.

    Playwright keeps its event loop marked as running in this thread, where then no other may run:
    the mark is there only while the browser is lent.

    Attributes:
        browser: the browser.
        loop: Playwright's event loop.
    """

    browser: Browser
    loop: asyncio.AbstractEventLoop

    @contextlib.contextmanager
    def lent(self) -> Iterator[Browser]:
        """The browser, to be used until the end of the block."""
        asyncio._set_running_loop(self.loop)
        try:
            yield self.browser
        finally:
            asyncio._set_running_loop(None)


@contextlib.contextmanager
def share() -> Iterator[Chromium]:
    """A browser to lend."""
    with launch() as browser:
        chromium = Chromium(browser, asyncio.get_running_loop())
        asyncio._set_running_loop(None)
        try:
            yield chromium
        finally:
            asyncio._set_running_loop(chromium.loop)


def violations(page: Page) -> list[str]:
    """What axe has to say. To list all elements without a fault as well takes as long again."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found]


@dataclass
class Visit:
    """A page, and what its reader must not meet.

    Attributes:
        page: the page.
        served: the server.
        faults: errors in the console or in scripts. A request to another host is one, since the
            page's policy refuses it.
    """

    page: Page
    served: Served
    faults: list[str] = field(default_factory=list)

    def open(self, path: str, ready: str) -> None:
        """Go to a path, by a link where the app is loaded, and wait until something is there."""
        url = self.page.url
        if url.startswith(self.served.url) and "/static/" not in url:
            self.page.evaluate(FOLLOW, path)
        else:
            self.page.goto(self.served.url + path)
        self.page.locator(ready).first.wait_for()

    def rest(self) -> None:
        """Wait until nothing slides or fades any more."""
        self.page.wait_for_function(STILL)

    def leave(self) -> None:
        """Leave the page; nothing that it has saved, held back or noted here remains.

        A picture of the same server follows: after a page of another one, or a blank one, the next
        page would start a process.
        """
        self.page.unroute_all(behavior="ignoreErrors")
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.page.goto(self.served.url + address("icons/favicon.svg"))
        self.faults.clear()

    def check(self) -> None:
        """Everybody can read the page as it is, once it rests, and nothing is cut off."""
        self.rest()
        assert violations(self.page) == []
        assert not self.is_too_wide()

    def is_too_wide(self) -> bool:
        """Whether it has to be scrolled sideways."""
        return bool(
            self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1")
        )

    # ---- a game on it

    @property
    def moves(self) -> Locator:
        """The number of moves made."""
        return self.page.locator("dt:has-text('Moves') + dd").first

    @property
    def game(self) -> str:
        """The id of the game."""
        link = self.page.get_by_role("link", name="Download").get_attribute("href")
        assert link is not None
        return link.split("/")[3]

    def usual_game(self) -> str:
        """The address of a game on 4x4; another test may have played a smaller one last."""
        return f"/?game={self.served.keep(first_moves(1))}"

    def new_game(self) -> str:
        """Open the page to play on and begin a game; returns its id."""
        self.open(self.usual_game(), ".tile")
        before = f"/api/games/{self.game}/record"
        controls = self.page.get_by_role("group", name="Game", exact=True)
        controls.get_by_role("button", name="New game", exact=True).click()
        link = self.page.get_by_role("link", name="Download")
        expect(link).not_to_have_attribute("href", before)
        expect(self.moves).to_have_text("0")
        return self.game

    def press_arrows(self) -> None:
        """Make at least a move: of four arrow keys two may change nothing."""
        for key in ARROWS.values():
            self.page.keyboard.press(key)

    def swipe(self, box: Locator, dx: float, dy: float = 0) -> None:
        """Move a finger over something, from its middle."""
        found = box_of(box)
        x, y = found["x"] + found["width"] / 2, found["y"] + found["height"] / 2
        touch = self.page.context.new_cdp_session(self.page)
        for kind, points in (
            ("touchStart", [{"x": x, "y": y}]),
            ("touchMove", [{"x": x + dx, "y": y + dy}]),
            ("touchEnd", []),
        ):
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@contextlib.contextmanager
def visit(
    browser: Browser, served: Served, look: dict[str, Any], *, installs: bool = False
) -> Iterator[Visit]:
    """An empty page that has the cookie of a server.

    Only if the app `installs` itself, its service worker is there and the browser keeps its files.
    """
    context = browser.new_context(**look, service_workers="allow" if installs else "block")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    found = Visit(page, served)
    page.on(
        "console",
        lambda message: found.faults.append(message.text) if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: found.faults.append(str(error)))
    try:
        context.request.get(f"{served.url}/?token={served.token}", max_redirects=0)
        yield found
    finally:
        context.close()


def box_of(element: Locator) -> FloatRect:
    """Where an element is that can be seen."""
    found = element.bounding_box()
    assert found is not None
    return found


def first_moves(count: int | None = None, rules: str = "4x4", seed: int = 1) -> Game:
    """A game of the first legal moves: so many, or to its end."""
    game = Game(rules, seed)
    while not game.is_finished and game.move_number != count:
        game.play(game.legal_moves()[0])
    return game


def drawn(page: Page, frames: int = 2) -> None:
    """Wait until the page has drawn that many frames."""
    page.evaluate(
        """(frames) => new Promise((done) => {
          const next = () => (frames-- ? requestAnimationFrame(next) : done());
          next();
        })""",
        frames,
    )


def replayed(letters: str, seed: str) -> str:
    """These moves of a game with this seed, without the illegal ones."""
    game = Game(seed=int(seed))
    for letter in letters:
        if (move := Move.parse(letter)) in game.legal_moves():
            game.play(move)
    return "".join(move.letter for move in game.moves)
