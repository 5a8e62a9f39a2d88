"""2048 pages in a browser: opened, found and read.

A page is read by a selector engine of Playwright, `pages.js`, which runs in an isolated JavaScript
world of each frame: it shares the document with the page but none of its objects. Content of a
page is never run, and shown only as escaped text. Playwright is used in its asynchronous form,
since a page may hang, crash or close at any moment, and only there every wait can have a timeout.
"""

import asyncio
import contextlib
import importlib.util
import json
import os
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, TypeVar
from urllib.parse import urlsplit, urlunsplit

import msgspec

from twofold.errors import InvalidBoard, InvalidInput, MissingExtra, PageError
from twofold.game.board import Board
from twofold.game.notation import check_shape, printable, shown
from twofold.game.rules import Move
from twofold.limits import MAX_PAGE_FRAMES, MAX_SCORE, MAX_TEXT

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page, Playwright

T = TypeVar("T")

NAMES: Final = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "microsoft-edge", "msedge",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)  # fmt: skip
"""Browsers of the Chromium family, on the PATH or where macOS and Windows have them."""

WINDOWLESS: Final = ("chromium-headless-shell", "chrome-headless-shell")
"""Browsers without windows: they start sooner, and take a third less of the processor."""

CLOSE_SECONDS: Final = 5.0
"""Timeout for closing a browser."""

ANSWER_SECONDS = 10.0
"""Timeout for an answer of a page."""

READER: Final = "twofold"
"""Name of the selector engine that reads pages."""

MAX_ADDRESS: Final = 2_000
"""Largest length of a URL."""


def require_playwright() -> None:
    """Check that the extra `browser` is installed, else raise MissingExtra."""
    if importlib.util.find_spec("playwright") is None:
        raise MissingExtra.of("browser", "playing in a browser")


def find_browser(program: str = "", *, headless: bool = False) -> str:
    """The path of a program, or of a browser of the Chromium family, which may be `headless`.

    Raises:
        InvalidInput: the program cannot be run.
        MissingExtra: there is no browser.
    """
    names = (program,) if program else (*WINDOWLESS, *NAMES) if headless else NAMES
    if path := next(filter(None, map(shutil.which, names)), None):
        return path
    if program:
        raise InvalidInput(f"expected a program that can be run as --browser, got {shown(program)}")
    raise MissingExtra(
        "expected chromium, chrome or edge on the PATH, found none: on Debian and Ubuntu "
        "apt-get install chromium"
    )


def parse_url(
    text: str,
    schemes: Sequence[str] = ("http", "https", "file"),
    expected: str = "an address such as https://example.org/2048",
) -> str:
    """Parse a URL, by default that of a web page or a file; InvalidInput for anything else."""
    with contextlib.suppress(ValueError):
        parts = urlsplit(text.strip())
        whole = parts.path if parts.scheme == "file" else parts.hostname and parts.port != 0
        if parts.scheme in schemes and whole and len(text) <= MAX_ADDRESS:
            return text.strip()
    raise InvalidInput(f"expected {expected}, got {shown(text)}")


def parse_endpoint(text: str) -> str:
    """Parse a browser's endpoint: a port, `host:port`, or a URL of http or ws."""
    whole = f"127.0.0.1:{text}" if re.fullmatch("[0-9]+", text, re.ASCII) else text
    return parse_url(
        whole if "://" in whole else f"http://{whole}",
        ("http", "https", "ws", "wss"),
        "a port, host:port or an address such as http://127.0.0.1:9222 to attach to",
    )


def bare_url(url: str) -> str:
    """A URL without its possibly secret parts: user, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


@contextlib.asynccontextmanager
async def open_page(
    url: str, endpoint: str = "", *, headless: bool = False, program: str = ""
) -> AsyncIterator["Page"]:
    """Open a page. A browser that was started for it is closed at the end.

    Args:
        url: of the page.
        endpoint: of a running browser, as of `parse_endpoint`, in which a tab with the page is
            used; empty to start one.
        headless: start a browser without a window.
        program: path of the browser to start; empty to search for one.

    Raises:
        MissingExtra: Playwright or a browser is missing.
        InvalidInput: the program cannot be run.
        PageError: the browser or the page does not open.
    """
    from playwright.async_api import async_playwright  # an extra

    async with async_playwright() as playwright, contextlib.AsyncExitStack() as stack:
        if endpoint:
            with _said(f"a browser to listen at {shown(endpoint)}"):
                browser = await playwright.chromium.connect_over_cdp(endpoint)
        else:
            with _said("the browser to start"):
                browser = await playwright.chromium.launch(
                    executable_path=find_browser(program, headless=headless),
                    headless=headless,
                    # Chromium refuses to start as root with its sandbox.
                    chromium_sandbox=not (hasattr(os, "geteuid") and os.geteuid() == 0),
                    args=["--disable-dev-shm-usage"],
                )
            stack.push_async_callback(lambda: _closed(browser.close()))
            context = await browser.new_context(accept_downloads=False, no_viewport=not headless)
        await register_reader(playwright)
        if not browser.contexts:
            raise PageError("expected a browser with a window, got none")
        page = find_tab([page for context in browser.contexts for page in context.pages], url)
        if page is None:
            page = await browser.contexts[0].new_page()
            if not endpoint:  # windows that the page opens
                context.on("page", lambda page: _closed(page.close()))
            with _said(f"the page {shown(bare_url(url))} to open"):
                await page.goto(url, wait_until="domcontentloaded")
        yield page


async def register_reader(playwright: "Playwright") -> None:
    """Let `pages.js` read the pages of open browsers, and those that they open later."""
    script = Path(__file__).with_name("pages.js").read_text(encoding="utf-8")
    await playwright.selectors.register(READER, script, content_script=True)


async def _closed(closing: Awaitable[None]) -> None:
    """Close a browser or page, if it still responds."""
    with contextlib.suppress(Exception):
        async with asyncio.timeout(CLOSE_SECONDS):
            await closing


def find_tab(tabs: "Sequence[Page]", url: str) -> "Page | None":
    """The first tab with this URL, else the first one whose URL starts with it."""

    def plain(url: str) -> str:
        return url.partition("#")[0].rstrip("/")

    same = [tab for tab in tabs if plain(tab.url) == plain(url)]
    return next(iter(same + [tab for tab in tabs if tab.url.startswith(url)]), None)


@contextlib.contextmanager
def _said(expected: str) -> Iterator[None]:
    """Turn an error of Playwright, whose own time limit is 30 s, into a PageError."""
    from playwright.async_api import Error

    try:
        yield
    except Error as error:
        raise PageError(f"expected {expected}, {_reason(error.message)}") from None


REASONS: Final = {
    "CONNECTION_REFUSED": "no program answers at this address",
    "NAME_NOT_RESOLVED": "there is no host of this name, or no network",
    "INTERNET_DISCONNECTED": "there is no network",
    "FILE_NOT_FOUND": "there is no such file",
    "UNSAFE_PORT": "browsers block its port as unsafe",
}
"""Why a page does not open, by the code of Chromium or of the system."""


def _reason(text: str) -> str:
    """The reason in an error of Playwright, as the second half of a sentence."""
    if found := re.search(r"\b(?:ERR_|connect E|EADDR)([A-Z_]+)", text):
        code = found[1].replace("CONNREFUSED", "CONNECTION_REFUSED")
        return f"but {REASONS.get(code, code.lower().replace('_', ' '))}"
    return f"got {_first_line(re.sub(r'^[A-Za-z]+[.][a-z_]+: ', '', text))}"


def _first_line(text: str) -> str:
    return shown(text.strip().partition("\n")[0])


# ---- kinds of pages

Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]


class ByMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A key to press, or the selector of a button, for each move."""

    up: Text
    right: Text
    down: Text
    left: Text


ARROWS: Final = ByMove("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft")


class Selectors(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """CSS selectors of a game on a page, and how to read and play it.

    Attributes:
        tiles: the elements that hold the numbers.
        value: source of an element's number: `text`, `attribute:NAME`, or `class:PREFIX`, which
            reads 8 from a class `PREFIX8`.
        numbers: `tiles` (2, 4, 8 ...) or `exponents` (1, 2, 3 ...).
        place: `order` if there is one element a cell, row by row; `box` if only tiles have
            elements, whose positions on the board give the cell.
        board: the element that the cells fill; required with `box`.
        score: the element with the points.
        over: an element that is shown when the game has ended.
        won: an element that is shown while the page asks whether to continue; needs `keep_going`.
        keep_going: the element to click then.
        keys: the key of each move.
        buttons: the element to click for each move, instead of keys.
    """

    tiles: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_TEXT)]
    value: Annotated[
        str, msgspec.Meta(pattern="^(text|(attribute|class):[A-Za-z_][A-Za-z0-9_-]{0,99})$")
    ] = "text"
    numbers: Literal["tiles", "exponents"] = "tiles"
    place: Literal["order", "box"] = "order"
    board: Text = ""
    rows: Annotated[int, msgspec.Meta(ge=1, le=8)] = 4
    cols: Annotated[int, msgspec.Meta(ge=1, le=8)] = 4
    score: Text = ""
    over: Text = ""
    won: Text = ""
    keep_going: Text = ""
    keys: ByMove = ARROWS
    buttons: ByMove | None = None


def read_selectors(options: Iterable[str]) -> Selectors:
    """Selectors from options `NAME=VALUE`; InvalidInput if a name or value is invalid."""
    values: dict[str, Any] = {}
    for option in options:
        name, equals, value = (part.strip() for part in option.partition("="))
        group, dot, move = name.partition(".")
        if not equals:
            raise InvalidInput(f"expected --selector NAME=VALUE, got {shown(option)}")
        if group not in Selectors.__struct_fields__:
            names = ", ".join(Selectors.__struct_fields__)
            raise InvalidInput(
                f"expected --selector with one of the names {names}, got {shown(name)}"
            )
        table = values.setdefault(group, {}) if dot else values
        if not isinstance(table, dict):
            raise InvalidInput(f"expected a table of {shown(group)}, got {shown(table)}")
        table[move or group] = value
    try:
        selectors = msgspec.convert(values, Selectors, strict=False)
    except msgspec.ValidationError as error:
        fault, _, place = str(error).replace("`", "").partition(" - at $.")
        raise InvalidInput(f"cannot use --selector {place}: {fault.lower()}") from None
    if selectors.place == "box" and not selectors.board:
        raise InvalidInput("expected a selector of the board with place = box, got none")
    return selectors


class Sight(NamedTuple):
    """The visible state of a game.

    Attributes:
        board: None if there is no valid board.
        over: True if the page reports the end of the game.
        won: True if the page asks whether to continue after the win.
        fault: why there is no board; empty if nothing looks like one.
    """

    board: Board | None
    score: int | None = None
    over: bool = False
    won: bool = False
    fault: str = ""


ORIGINAL: Final = Selectors(
    tiles=".tile", board=".game-container, .tile-container", keep_going=".keep-playing-button"
)
"""The original game and pages built like it, whose tiles `pages.js` reads by their classes."""

POPUPS: Final = (
    ("notice", ".notice-close-button"),
    ("OneTrust", "#onetrust-reject-all-handler, #onetrust-close-btn-container button"),
    ("Cookiebot", "#CybotCookiebotDialogBodyButtonDecline"),
    ("CookieYes", ".cky-btn-reject, .cky-banner-btn-close"),
    ("Didomi", "#didomi-notice-disagree-button, .didomi-continue-without-agreeing"),
    ("Funding Choices", ".fc-cta-do-not-consent, .fc-close"),
    ("Quantcast", ".qc-cmp2-close-icon, #disagree-btn"),
    (
        "dialog",
        '[role="dialog"] [aria-label="Close" i], [aria-modal="true"] [aria-label="Close" i]',
    ),
    ("dialog", '.modal [data-dismiss="modal"], .modal [data-bs-dismiss="modal"]'),
    ("dialog", ".modal .close, .popup .close"),
)
"""Popups, and the buttons that close or refuse them; never those that accept something."""


class FrameGone(PageError):
    """The frame no longer exists."""


class _Seen(msgspec.Struct):
    """What pages.js reads; a tile is (row, column, text, rank)."""

    tiles: list[tuple[int, int, str, int]] = []
    rows: int = 0
    cols: int = 0
    score: str = ""
    over: bool = False
    won: bool = False
    fault: str = ""


class GamePage:
    """A game on a page, in one of its frames.

    Attributes:
        told: says where the game is on the page.
        sight: the result of the last look.
        popups: names of the popups that were closed.
    """

    def __init__(self, frame: "Frame", told: Selectors) -> None:
        self.frame, self.told = frame, told
        self.sight = Sight(None)
        self.popups: list[str] = []

    @property
    def kind(self) -> str:
        """The kind of page, and the function of pages.js that reads it."""
        return "original" if self.told is ORIGINAL else "generic"

    @property
    def steady_seconds(self) -> float:
        """How long a board must be unchanged to be accepted; 0 if tiles have their final places."""
        if self.told is ORIGINAL:
            return 0.0
        return 0.016 if self.told.place == "order" else 0.12  # one frame; boxes slide

    async def call(self, function: str, *arguments: object) -> Any:
        """Call a function of pages.js.

        Raises:
            FrameGone: the frame no longer exists.
            PageError: the function fails, or the page does not answer or is gone.
        """
        question = f"{READER}={json.dumps([function, *arguments])}"
        text = self.frame.locator(question).text_content()
        answer = await self._answered(text, "the frame of the game")
        found = json.loads(answer or "{}")
        if "fault" in found:
            if wrong := re.search(r"'([^']*)' is not a valid selector", found["fault"]):
                raise PageError(f"expected CSS in --selector, got {shown(wrong[1])}")
            raise PageError(f"expected a readable page, got {_first_line(found['fault'])}")
        return found["answer"]

    async def _answered(self, question: Awaitable[T], expected: str) -> T:
        """Await an answer of Playwright; its errors become ours."""
        from playwright.async_api import Error

        page = self.frame.page
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await question
        except TimeoutError:
            raise PageError(
                f"expected an answer from the page within {ANSWER_SECONDS:g} s, got none"
            ) from None
        except Error as error:
            if "crashed" in error.message:
                how = "a crash of the page"
            elif "closed" in error.message:
                browser = page.context.browser
                how = "a closed tab" if browser and browser.is_connected() else "a closed browser"
            else:
                raise FrameGone(f"expected {expected}, got {_first_line(error.message)}") from None
            raise PageError(f"expected the game to stay open, got {how}") from None

    async def look(self) -> Sight:
        """The visible state now, without waiting."""
        self.sight = self.read(await self.call(self.kind, msgspec.to_builtins(self.told)))
        return self.sight

    def read(self, found: object) -> Sight:
        """The state in the result of a function of pages.js."""
        try:
            seen = msgspec.convert(found, _Seen)
        except msgspec.ValidationError as error:  # a number is infinite, or none
            return Sight(None, fault=printable(str(error)))
        board, fault = None, printable(seen.fault)
        try:
            if seen.tiles:
                shape = seen.rows or 4, seen.cols or 4
                board = board_of(seen.tiles, shape, exponents=self.told.numbers == "exponents")
        except InvalidBoard as error:
            fault = str(error)
        # A page without a button is assumed to continue after the win by itself.
        won = seen.won and bool(self.told.keep_going)
        return Sight(board, read_score(seen.score), seen.over, won, fault)

    async def focus(self) -> None:
        """Show the tab, since a hidden one draws no tiles; take the keys from text fields."""
        await self._answered(self.frame.page.bring_to_front(), "the tab to come to the front")
        await self.call("focus")

    async def make(self, move: Move) -> None:
        """Press the key of a move, or click its button."""
        told, name = self.told, move.name.lower()
        if told.buttons is None:
            key = getattr(told.keys, name)
            pressed = self.frame.page.keyboard.press(key)
            await self._answered(pressed, f"to press the key {shown(key)}")
            return
        button = getattr(told.buttons, name)
        if not await self.call("click", button):
            raise PageError(f"expected a button {shown(button)} for {name}, got none")

    async def close_popup(self, *, always: bool) -> str:
        """Close a known popup over the board, with `always` also elsewhere; else what covers it."""
        found = await self.call("popup", self.told.board or self.told.tiles, POPUPS, always)
        if closed := printable(str(found["closed"])):
            self.popups.append(closed)
        return "" if closed else printable(str(found["cover"]))


def board_of(
    tiles: Iterable[tuple[int, int, str, int]], shape: tuple[int, int], *, exponents: bool = False
) -> Board:
    """The board of tiles (row, column, text, rank); InvalidBoard if it is none.

    Of several tiles in one cell the highest rank counts, then the largest value: tiles that merge
    are still drawn below the result.
    """
    rows, cols = shape
    check_shape(rows, cols)
    top = dict.fromkeys(((row, col) for row in range(rows) for col in range(cols)), (0, 0))
    for row, col, text, rank in tiles:
        if (row, col) not in top:
            raise InvalidBoard(
                f"expected tiles in {rows} rows and {cols} columns, "
                f"got one in row {row + 1}, column {col + 1}"
            )
        top[row, col] = max(top[row, col], (rank, read_number(text)))
    cells = [value for _, value in top.values()]
    if not any(cells):
        raise InvalidBoard("expected tiles on the board, got none")
    if exponents:
        return Board(cells, shape)
    return Board.from_tiles([cells[row * cols : (row + 1) * cols] for row in range(rows)])


def read_number(text: str) -> int:
    """Parse a number such as `2048`, `2,048` or `2 048`, else InvalidBoard; an empty text is 0."""
    digits = re.sub(r"[\s,.'’_\u00a0\u202f]", "", text) or "0"
    if not re.fullmatch(r"[0-9]{1,18}", digits, re.ASCII):
        raise InvalidBoard(f"expected a number on the page, got {shown(text)}")
    return int(digits)


def read_score(text: str) -> int | None:
    """Parse a score; None if there is none."""
    with contextlib.suppress(InvalidBoard):
        if text and (score := read_number(text)) <= MAX_SCORE:
            return score
    return None


async def find_game(page: "Page", told: Selectors, seconds: float) -> GamePage:
    """The first game that can be read in any frame of a page, after a wait of up to `seconds`.

    Raises:
        PageError: there is none; the message names what was looked for and the closest candidate.
    """
    clock = asyncio.get_running_loop().time
    due = clock() + seconds
    while True:
        fault = ""
        for frame in page.frames[:MAX_PAGE_FRAMES]:
            game = GamePage(frame, told)
            try:
                if (await game.look()).board is not None:
                    return game
                fault = fault or game.sight.fault
            except FrameGone:
                pass
            except PageError:
                if frame == page.main_frame:
                    raise  # but an advertisement may leave questions without an answer
        if clock() >= due:
            break
        await asyncio.sleep(0.1)
    why = f" ({fault})" if fault else ""
    wanted = f"with tiles {shown(told.tiles)}"
    if told is ORIGINAL:
        wanted = "with tiles of a class such as tile-position-1-1"
        why += "; --selector says where another page has its tiles"
    raise PageError(f"expected a 2048 {wanted} on the page within {seconds:g} s, got none{why}")
