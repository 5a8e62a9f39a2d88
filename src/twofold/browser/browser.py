"""A browser to play in: one that runs already, or one that is started and closed again.

Playwright is asked in its asynchronous form: a page may hang, crash or go away at any moment,
and only there can every wait have an end.
"""

import asyncio
import contextlib
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit, urlunsplit

from twofold.browser.tab import Tab
from twofold.errors import InvalidInput, MissingExtra, PageError
from twofold.notation import shown

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Playwright

NAMES: Final = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)
"""What browsers of the Chromium family are called on the PATH."""

WINDOWLESS: Final = ("chromium-headless-shell", "chrome-headless-shell")
"""The same without any window: they start sooner, and take a third less of the processor."""

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
"""Where they are on systems that do not put them on the PATH."""

OPEN_SECONDS: Final = 30.0
"""How long a browser may take to start or to answer, and a page to load."""

CLOSE_SECONDS: Final = 5.0
"""How long a browser may take to close."""

MAX_ADDRESS: Final = 2_000
"""Most characters of an address."""

MOST_TABS: Final = 1_000
"""Most tabs of a running browser that are looked through."""


@dataclass(frozen=True, slots=True)
class BrowserPlace:
    """Which page, and in which browser.

    Attributes:
        url: address of the page.
        endpoint: where a running browser listens, as of `parse_endpoint`; empty to start one.
        headless: whether a browser that is started has no window.
        program: path of the browser to start; empty to look for one.
    """

    url: str
    endpoint: str = ""
    headless: bool = False
    program: str = ""


def require_playwright() -> None:
    """Refuse to go on without what the extra `browser` brings.

    Raises:
        MissingExtra: it is not installed.
    """
    if importlib.util.find_spec("playwright") is None:
        raise MissingExtra.of("browser", "playing in a browser")


def find_browser(*, headless: bool = False) -> str:
    """The path of a browser of the Chromium family.

    Args:
        headless: whether it may be one that cannot open a window.

    Raises:
        MissingExtra: there is none.
    """
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
    """An address to open: of the web, or of a file.

    Raises:
        InvalidInput: it is neither.
    """
    with contextlib.suppress(ValueError):
        parts = urlsplit(text.strip())
        whole = parts.path if parts.scheme == "file" else parts.hostname
        if parts.scheme in ("http", "https", "file") and whole and len(text) <= MAX_ADDRESS:
            return text.strip()
    raise InvalidInput(f"expected an address such as https://example.org/2048, got {shown(text)}")


def parse_endpoint(text: str) -> str:
    """Where a browser listens: a port, `host:port`, or an address of http or ws.

    Raises:
        InvalidInput: it is none of them.
    """
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
    """An address without what may be secret: user, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


@asynccontextmanager
async def open_tab(place: BrowserPlace) -> AsyncIterator[Tab]:
    """The tab of a page. A browser that was started for it is closed at the end, no other is.

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
    """A page in a browser of its own."""
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
        context.on("page", _close)  # a window that the page opens: nobody asked for it
        await _go(page, place.url)
        yield page
    finally:
        await _close(browser)


async def _close(what: "Browser | Page") -> None:
    """Close it, unless it is gone already or never ends."""
    with contextlib.suppress(Exception):
        async with asyncio.timeout(CLOSE_SECONDS):
            await what.close()


@asynccontextmanager
async def _attached(playwright: "Playwright", place: BrowserPlace) -> AsyncIterator["Page"]:
    """A page in a browser that runs already: its tab, or a new one. It stays as it is."""
    with _said(f"a browser to listen at {shown(place.endpoint)}"):
        browser = await playwright.chromium.connect_over_cdp(
            place.endpoint, timeout=1000 * OPEN_SECONDS
        )
    page = find_tab(browser.contexts, place.url)
    if page is None:
        page = await _context(browser).new_page()
        await _go(page, place.url)
    with _said("the tab to come to the front"):
        await page.bring_to_front()
    yield page


def _context(browser: "Browser") -> "BrowserContext":
    """Where the tabs of its owner are."""
    if not browser.contexts:
        raise PageError("expected a browser with a window, got none")
    return browser.contexts[0]


def find_tab(contexts: "list[BrowserContext]", url: str) -> "Page | None":
    """The first tab with this address; else the first one whose address begins so."""
    tabs = [page for context in contexts for page in context.pages][:MOST_TABS]
    same = [tab for tab in tabs if _plain(tab.url) == _plain(url)]
    inside = [tab for tab in tabs if tab.url.startswith(url)]
    return next(iter(same + inside), None)


def _plain(url: str) -> str:
    """An address without its fragment and the slash at its end."""
    return url.partition("#")[0].rstrip("/")


async def _go(page: "Page", url: str) -> None:
    with _said(f"the page {shown(bare_url(url))} to open"):
        await page.goto(url, wait_until="domcontentloaded", timeout=1000 * OPEN_SECONDS)


@contextlib.contextmanager
def _said(expected: str) -> Iterator[None]:
    """Turn an error of Playwright into a sentence.

    Raises:
        PageError: what was expected did not happen.
    """
    from playwright.async_api import Error

    try:
        yield
    except Error as error:
        lines = [line.strip() for line in error.message.splitlines() if line.strip()]
        first = lines[0] if lines else type(error).__name__
        raise PageError(f"expected {expected}, got {shown(first)}") from None
