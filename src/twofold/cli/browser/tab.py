"""A browser and its tabs: opens a page, reads its frames, presses keys. Every wait has a timeout.

A page is read from an isolated JavaScript world in each frame, which shares the document with the
page but none of its objects. Content of a page is never run, and shown only as escaped text.
Playwright is used in its asynchronous form, since a page may hang, crash or close at any moment,
and only there every wait can have a timeout.
"""

import asyncio
import contextlib
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit, urlunsplit

from twofold.errors import InvalidInput, MissingExtra, PageError
from twofold.game.notation import shown
from twofold.limits import MAX_PAGE_FRAMES

if TYPE_CHECKING:
    from playwright.async_api import Browser, CDPSession, Frame, Page, Playwright

T = TypeVar("T")

NAMES: Final = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)
"""Names of browsers of the Chromium family on the PATH."""

WINDOWLESS: Final = ("chromium-headless-shell", "chrome-headless-shell")
"""Browsers without windows: they start sooner, and take a third less of the processor."""

PLACES: Final = {
    "darwin": (
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ),
    "win32": (
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
    ),
}
"""Their paths on systems that do not put them on the PATH."""

OPEN_SECONDS: Final = 30.0
"""Timeout for the start or answer of a browser, and for loading a page."""

CLOSE_SECONDS: Final = 5.0
"""Timeout for closing a browser."""

ANSWER_SECONDS: Final = 10.0
"""Default timeout for an answer of a page."""

MAX_ADDRESS: Final = 2_000
"""Largest length of a URL."""


@dataclass(frozen=True, slots=True)
class BrowserPlace:
    """A page and its browser.

    Attributes:
        url: of the page.
        endpoint: of a running browser, as of `parse_endpoint`; empty to start one.
        headless: True to start a browser without a window.
        program: path of the browser to start; empty to search for one.
    """

    url: str
    endpoint: str = ""
    headless: bool = False
    program: str = ""


def require_playwright() -> None:
    """Check that the extra `browser` is installed, else raise MissingExtra."""
    if importlib.util.find_spec("playwright") is None:
        raise MissingExtra.of("browser", "playing in a browser")


def find_browser(*, headless: bool = False) -> str:
    """The path of a browser of the Chromium family; with `headless` it may lack windows."""
    names = (*WINDOWLESS, *NAMES) if headless else NAMES
    found = next(filter(None, map(shutil.which, names)), None)
    places = PLACES.get(sys.platform, ())
    found = found or next((place for place in places if Path(place).is_file()), None)
    if found is None:
        raise MissingExtra(
            "expected chromium, chrome or edge on the PATH, found none: on Debian and Ubuntu "
            "apt-get install chromium"
        )
    return found


def parse_url(text: str) -> str:
    """Parse the URL of a web page or a file; InvalidInput for anything else."""
    with contextlib.suppress(ValueError):
        parts = urlsplit(text.strip())
        whole = parts.path if parts.scheme == "file" else parts.hostname
        if parts.scheme in ("http", "https", "file") and whole and len(text) <= MAX_ADDRESS:
            return text.strip()
    raise InvalidInput(f"expected an address such as https://example.org/2048, got {shown(text)}")


def parse_endpoint(text: str) -> str:
    """Parse a browser's endpoint: a port, `host:port`, or a URL of http or ws."""
    if re.fullmatch(r"[0-9]{1,5}", text, re.ASCII) and 0 < int(text) < 1 << 16:
        return f"http://127.0.0.1:{text}"
    whole = text if "://" in text else f"http://{text}"
    with contextlib.suppress(ValueError):
        parts = urlsplit(whole)
        named = parts.hostname and (parts.port or "://" in text)
        if parts.scheme in ("http", "https", "ws", "wss") and named and len(text) <= MAX_ADDRESS:
            return whole
    raise InvalidInput(
        "expected a port, host:port or an address such as http://127.0.0.1:9222 to attach to, "
        f"got {shown(text)}"
    )


def bare_url(url: str) -> str:
    """A URL without its possibly secret parts: user, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


@asynccontextmanager
async def open_tab(place: BrowserPlace) -> AsyncIterator["Tab"]:
    """Open the tab of a page. A browser that was started for it is closed at the end.

    Raises:
        MissingExtra: Playwright or a browser is missing.
        PageError: the browser or the page does not open.
    """
    require_playwright()
    from playwright.async_api import async_playwright  # an extra

    opened = _attached if place.endpoint else _started
    async with async_playwright() as playwright, opened(playwright, place) as page:
        yield Tab(page)


@asynccontextmanager
async def _started(playwright: "Playwright", place: BrowserPlace) -> AsyncIterator["Page"]:
    """A page in a new browser."""
    program = place.program or find_browser(headless=place.headless)
    # Chromium refuses to start as root with its sandbox.
    sandbox = not (hasattr(os, "geteuid") and os.geteuid() == 0)
    with _said("the browser to start"):
        browser = await playwright.chromium.launch(
            executable_path=program,
            headless=place.headless,
            chromium_sandbox=sandbox,
            args=["--disable-dev-shm-usage"],
            timeout=1000 * OPEN_SECONDS,
        )
    try:
        look: dict[str, Any] = {} if place.headless else {"no_viewport": True}
        context = await browser.new_context(accept_downloads=False, **look)
        page = await context.new_page()
        context.on("page", _close)  # closes windows that the page opens
        await _go(page, place.url)
        yield page
    finally:
        await _close(browser)


async def _close(what: "Browser | Page") -> None:
    """Close it, if it still responds."""
    with contextlib.suppress(Exception):
        async with asyncio.timeout(CLOSE_SECONDS):
            await what.close()


@asynccontextmanager
async def _attached(playwright: "Playwright", place: BrowserPlace) -> AsyncIterator["Page"]:
    """A page in a running browser, which stays open: its tab, or a new one."""
    with _said(f"a browser to listen at {shown(place.endpoint)}"):
        browser = await playwright.chromium.connect_over_cdp(
            place.endpoint, timeout=1000 * OPEN_SECONDS
        )
    if not browser.contexts:
        raise PageError("expected a browser with a window, got none")
    page = find_tab([page for context in browser.contexts for page in context.pages], place.url)
    if page is None:
        page = await browser.contexts[0].new_page()
        await _go(page, place.url)
    with _said("the tab to come to the front"):
        await page.bring_to_front()
    yield page


def find_tab(tabs: "Sequence[Page]", url: str) -> "Page | None":
    """The first tab with this URL, else the first one whose URL starts with it."""

    def plain(url: str) -> str:
        return url.partition("#")[0].rstrip("/")

    same = [tab for tab in tabs if plain(tab.url) == plain(url)]
    return next(iter(same + [tab for tab in tabs if tab.url.startswith(url)]), None)


async def _go(page: "Page", url: str) -> None:
    from playwright.async_api import TimeoutError as TooLate

    expected = f"the page {shown(bare_url(url))} to open"
    with _said(expected):
        try:
            await page.goto(url, wait_until="domcontentloaded", timeout=1000 * OPEN_SECONDS)
        except TooLate:
            raise PageError(f"expected {expected} within {OPEN_SECONDS:.0f} s") from None


@contextlib.contextmanager
def _said(expected: str) -> Iterator[None]:
    """Turn an error of Playwright into a PageError."""
    from playwright.async_api import Error

    try:
        yield
    except Error as error:
        raise PageError(f"expected {expected}, got {_first_line(str(error))}") from None


def _first_line(text: str) -> str:
    return shown(text.strip().partition("\n")[0])


# ---- a tab


class FrameGone(PageError):
    """The frame no longer exists."""


class Tab:
    """A tab of a browser; `answer_seconds` is the timeout of each call."""

    def __init__(self, page: "Page", answer_seconds: float = ANSWER_SECONDS) -> None:
        self._page = page
        self._answer_seconds = answer_seconds
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._sessions: dict[Frame, CDPSession] = {}
        self._worlds: dict[tuple[CDPSession, str], World] = {}
        if page.is_closed():
            self._lose("a closed tab")
        page.on("crash", lambda _: self._lose("a crash of the page"))
        page.on("close", lambda _: self._lose("a closed tab"))
        if page.context.browser is not None:
            page.context.browser.on("disconnected", lambda _: self._lose("a closed browser"))

    def _lose(self, how: str) -> None:
        if not self._lost.done():
            self._lost.set_result(how)

    async def wait_lost(self) -> str:
        """Wait until the tab is gone; the reason."""
        return await asyncio.shield(self._lost)

    async def ask(self, question: Awaitable[T]) -> T:
        """Await an answer of Playwright, whose own errors pass; PageError without an answer."""
        from playwright.async_api import Error

        task = asyncio.ensure_future(question)
        either: set[asyncio.Future[Any]] = {task, self._lost}
        timeout = self._answer_seconds
        try:
            await asyncio.wait(either, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            error = task.exception() if task.done() and not task.cancelled() else None
            if isinstance(error, Error) and ("closed" in error.message or "crash" in error.message):
                # The failed call may return before the event that the tab is gone.
                await asyncio.wait({self._lost}, timeout=1.0)
            if self._lost.done():
                raise PageError(f"expected the game to stay open, got {self._lost.result()}")
            if not task.done():
                raise PageError(f"expected an answer from the page within {timeout:g} s, got none")
            return task.result()
        finally:
            task.cancel()

    async def press(self, key: str) -> None:
        """Press and release a key."""
        with _said(f"to press the key {shown(key)}"):
            await self.ask(self._page.keyboard.press(key))

    async def worlds(self) -> "list[World]":
        """The isolated worlds in the frames of the tab, the outermost first."""
        from playwright.async_api import Error

        found: list[World] = []
        for frame in self._page.frames[:MAX_PAGE_FRAMES]:
            try:
                if frame not in self._sessions:
                    whole = frame if frame.parent_frame else self._page
                    question = self._page.context.new_cdp_session(whole)
                    self._sessions[frame] = await self.ask(question)
                session = self._sessions[frame]
                tree = await self.ask(session.send("Page.getFrameTree"))
            except Error:  # it belongs to its parent's session, or is gone
                self._sessions.pop(frame, None)
                continue
            for name in frame_names(tree["frameTree"]):
                found.append(self._worlds.setdefault((session, name), World(self, session, name)))
        return found[:MAX_PAGE_FRAMES]


def frame_names(tree: Mapping[str, Any]) -> Iterator[str]:
    """The browser's ids of a frame and those inside it, the outermost first."""
    trees = [tree]
    for inner in trees:
        yield str(inner["frame"]["id"])
        trees += inner.get("childFrames", ())


class World:
    """An isolated JavaScript world in a frame, reached through a session."""

    def __init__(self, tab: Tab, session: "CDPSession", frame: str) -> None:
        self.tab = tab
        self._session = session
        self._frame = frame
        self._context: int | None = None

    async def call(self, function: str, *arguments: object) -> Any:
        """Call a function of browser.js, also if the page was reloaded meanwhile.

        Raises:
            FrameGone: the frame no longer exists.
            PageError: the function fails, or the page does not answer.
        """
        from playwright.async_api import Error

        known = self._context is not None
        try:
            return await self._call(function, *arguments)
        except Error as error:
            self._context = None
            if known:  # its page was reloaded, if it is not gone
                return await self.call(function, *arguments)
            got = _first_line(str(error))
            raise FrameGone(f"expected the frame of the game, got {got}") from None

    async def _call(self, *arguments: object) -> Any:
        if self._context is None:
            wanted = {"frameId": self._frame, "worldName": "twofold"}
            made = await self.tab.ask(self._session.send("Page.createIsolatedWorld", wanted))
            self._context = made["executionContextId"]
        question = {
            "functionDeclaration": _script(),
            "executionContextId": self._context,
            "arguments": [{"value": argument} for argument in arguments],
            "returnByValue": True,
        }
        answer = await self.tab.ask(self._session.send("Runtime.callFunctionOn", question))
        if "exceptionDetails" in answer:
            fault = answer["exceptionDetails"].get("exception", {}).get("description", "an error")
            raise PageError(f"expected a readable page, got {_first_line(fault)}")
        return answer["result"].get("value")


@cache
def _script() -> str:
    return Path(__file__).with_name("pages.js").read_text(encoding="utf-8")
