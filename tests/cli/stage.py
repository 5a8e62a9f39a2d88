"""Pages of our own in a real Chromium, and what plays them: what the tests of the driver share.

The driver is asynchronous: an event loop in a thread of its own holds the browser.
"""

import asyncio
import functools
import http.server
import socket
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import pytest
from playwright.async_api import Page, ViewportSize, async_playwright

from twofold.cli import browser
from twofold.cli.browser import ORIGINAL, Selectors, find_browser, find_game, register_reader
from twofold.cli.drive import FIND_SECONDS, Driver, PageFollower
from twofold.errors import TwofoldError
from twofold.players import PlayerSpec

T = TypeVar("T")

PAGES = Path(__file__).with_name("pages")
HANG_SECONDS = 240.0

BUSY_SECONDS = 20.0
"""Patience with a page that answers in the end, however busy the machine is."""

SMALL: ViewportSize = {"width": 600, "height": 600}
POINTS = ".score-container, #points"


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    """Serves the pages without a log."""

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Address of a server of the pages."""
    handler = functools.partial(QuietFiles, directory=str(PAGES))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@dataclass
class Played:
    """The result of a game on a page."""

    driver: Driver
    error: str = ""
    title: str = ""
    points: str = ""

    @property
    def follower(self) -> PageFollower:
        """The game that was seen."""
        return self.driver.follower


class Stage:
    """A browser, a page in it, and the event loop that drives them.

    Attributes:
        site: address of the pages.
        port: the browser's debugging port.
    """

    def __init__(self, site: str) -> None:
        self.site = site
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="stage", daemon=True)
        self._thread.start()
        self.run(self._open())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine that runs in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(HANG_SECONDS)

    async def _open(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = str(free.getsockname()[1])
        self._playwright = await async_playwright().start()
        self._browser = await self._playwright.chromium.launch(
            executable_path=find_browser(headless=True),
            args=[
                "--no-sandbox",
                "--disable-dev-shm-usage",
                f"--remote-debugging-port={self.port}",
            ],
        )
        await register_reader(self._playwright)
        self._page = await self._browser.new_page(viewport=SMALL)

    def close(self) -> None:
        """End the browser and the loop."""
        self.run(self._browser.close())
        self.run(self._playwright.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @asynccontextmanager
    async def page(self, path: str, *, own: bool = False) -> AsyncIterator[Page]:
        """A page on which nothing is saved yet; one of its own if it will not survive."""
        page = await self._browser.new_page(viewport=SMALL) if own else self._page
        try:
            await page.goto("about:blank")  # what was there might save once more
            line = await page.context.new_cdp_session(page)
            for origin in (self.site, self.site.replace("127.0.0.1", "localhost")):
                wanted = {"origin": origin, "storageTypes": "local_storage"}
                await line.send("Storage.clearDataForOrigin", wanted)
            await line.detach()
            await page.goto(self.site + "/" + path)
            yield page
        finally:
            if own:
                await page.context.close()

    def play(
        self, path: str, player: str = "greedy", *, own: bool = False, **options: Any
    ) -> Played:
        """Play a page; see `page` and `play_page`."""

        async def play() -> Played:
            async with self.page(path, own=own) as page:
                return await play_page(page, player, **options)

        return self.run(play())


async def play_page(
    page: Page,
    player: str = "greedy",
    *,
    told: Selectors = ORIGINAL,
    answer_seconds: float = browser.ANSWER_SECONDS,
    meanwhile: Any = None,
    **wishes: Any,
) -> Played:
    """Play a page until it ends or fails.

    Args:
        page: the page.
        player: spec of who plays.
        told: says where the game is.
        answer_seconds: how long the page may leave a question without an answer.
        meanwhile: a coroutine function that is given the page and the follower, and runs beside.
        wishes: options of `Driver`.
    """
    spec, wishes = PlayerSpec.parse(player), {"patience": BUSY_SECONDS, **wishes}
    with patch.object(browser, "ANSWER_SECONDS", answer_seconds):
        driver = Driver(await find_game(page, told, FIND_SECONDS), spec, **wishes)
        played = Played(driver)
        beside = asyncio.ensure_future(meanwhile(page, driver.follower)) if meanwhile else None
        try:
            await driver.play()
            if "hostile" not in page.url:  # there, nobody but our own world can be asked
                played.title = await page.title()
                if await page.query_selector(POINTS):
                    played.points = await page.inner_text(POINTS)
        except TwofoldError as error:
            played.error = str(error)
    if beside is not None:
        beside.cancel()
        await asyncio.gather(beside, return_exceptions=True)
    return played


@pytest.fixture(scope="session")
def stage(site: str) -> Iterator[Stage]:
    """A browser. Its loop has a thread of its own, so it may live beside everything else."""
    with closing(Stage(site)) as stage:
        yield stage
