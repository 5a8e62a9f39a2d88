"""Opens the browser to play in: a running one, or a new one that is closed at the end.

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
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit, urlunsplit

from twofold.browser.tab import Tab, said
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
"""Timeout for the start or answer of a browser."""

PAGE_SECONDS: Final = 30.0
"""Timeout for loading a page."""

CLOSE_SECONDS: Final = 5.0
"""Timeout for closing a browser."""

MAX_ADDRESS: Final = 2_000
"""Largest length of a URL."""

MOST_TABS: Final = 1_000
"""Limit of the tabs of a running browser that are searched."""


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
async def open_tab(place: BrowserPlace) -> AsyncIterator[Tab]:
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
    page = find_tab(browser.contexts, place.url)
    if page is None:
        page = await _context(browser).new_page()
        await _go(page, place.url)
    with _said("the tab to come to the front"):
        await page.bring_to_front()
    yield page


def _context(browser: "Browser") -> "BrowserContext":
    if not browser.contexts:
        raise PageError("expected a browser with a window, got none")
    return browser.contexts[0]


def find_tab(contexts: "list[BrowserContext]", url: str) -> "Page | None":
    """The first tab with this URL, else the first one whose URL starts with it."""
    tabs = [page for context in contexts for page in context.pages][:MOST_TABS]
    same = [tab for tab in tabs if _plain(tab.url) == _plain(url)]
    inside = [tab for tab in tabs if tab.url.startswith(url)]
    return next(iter(same + inside), None)


def _plain(url: str) -> str:
    """A URL without its fragment and final slash."""
    return url.partition("#")[0].rstrip("/")


async def _go(page: "Page", url: str) -> None:
    from playwright.async_api import TimeoutError as TooLate

    with _said(f"the page {shown(bare_url(url))} to open"):
        try:
            await page.goto(url, wait_until="domcontentloaded", timeout=1000 * PAGE_SECONDS)
        except TooLate:
            raise PageError(
                f"expected the page {shown(bare_url(url))} to open within {PAGE_SECONDS:.0f} s"
            ) from None


@contextlib.contextmanager
def _said(expected: str) -> Iterator[None]:
    """Turn an error of Playwright into a PageError."""
    from playwright.async_api import Error

    try:
        yield
    except Error as error:
        raise PageError(f"expected {expected}, got {said(error)}") from None
