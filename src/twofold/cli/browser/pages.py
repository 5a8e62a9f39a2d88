"""Kinds of 2048 pages: how each is found, read and played.

They are the original game and its clones, the page of `twofold serve`, and any page whose parts the
user gives as CSS selectors.
"""

import asyncio
import contextlib
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import msgspec

from twofold.cli.browser.tab import FrameGone, Tab, World
from twofold.errors import InvalidBoard, InvalidInput, PageError
from twofold.game.board import Board
from twofold.game.foreign.boards import ScoredBoard, parse_saved
from twofold.game.notation import check_shape, printable, shown
from twofold.game.rules import Move
from twofold.limits import MAX_EXPONENT, MAX_SAVED_GAME, MAX_SCORE, MAX_TEXT
from twofold.storage.files import read_start

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


def read_selectors(path: str | os.PathLike[str] | None, options: Iterable[str]) -> Selectors:
    """Selectors from a TOML file, from options `NAME=VALUE`, or both; options have priority.

    Raises:
        InvalidInput: the file cannot be read, or a name or value is invalid.
    """
    values = {} if path is None else _parse_file(path)
    for option in options:
        name, equals, value = (part.strip() for part in option.partition("="))
        group, dot, move = name.partition(".")
        if not equals:
            raise InvalidInput(f"expected --selector NAME=VALUE, got {shown(option)}")
        table = values.setdefault(group, {}) if dot else values
        if not isinstance(table, dict):
            raise InvalidInput(f"expected a table of {shown(group)}, got {shown(table)}")
        table[move or group] = value
    try:
        selectors = msgspec.convert(values, Selectors, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidInput(
            f"expected selectors ({', '.join(Selectors.__struct_fields__)}), got: {error}"
        ) from None
    if selectors.place == "box" and not selectors.board:
        raise InvalidInput("expected a selector of the board with place = box, got none")
    return selectors


def _parse_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    data = read_start(path, MAX_FILE_BYTES + 1)
    name = shown(os.fspath(path))
    if len(data) > MAX_FILE_BYTES:
        raise InvalidInput(f"expected at most {MAX_FILE_BYTES} bytes in {name}, got more")
    try:
        return tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeError, RecursionError) as error:
        raise InvalidInput(f"expected a TOML file, got {name}: {shown(str(error))}") from None


MAX_FILE_BYTES: Final = 65_536
"""Largest file of selectors, in bytes."""


@dataclass(frozen=True, slots=True)
class Sight:
    """The visible state of a game.

    Attributes:
        board: None if there is no valid board.
        over: True if the page reports the end of the game.
        won: True if the page asks whether to continue after the win.
        fault: why there is no board; empty if nothing looks like one.
        is_drawn: False if the board is only saved by the site, not shown in this frame.
    """

    board: Board | None
    score: int | None = None
    over: bool = False
    won: bool = False
    fault: str = ""
    is_drawn: bool = True


@dataclass(frozen=True, slots=True)
class PageKind:
    """A kind of page.

    Attributes:
        name: of the kind, and of the function of browser.js that reads it.
        arguments: of that function.
        board: selector of the board.
        keep_going: selector of the element that continues after the win; empty if the page
            continues by itself.
        steady_seconds: how long a board must be unchanged to be accepted; 0 if tiles are read at
            their final places.
        selectors: given by the user.
    """

    name: str
    arguments: Sequence[object]
    board: str
    keep_going: str
    steady_seconds: float = 0.0
    selectors: Selectors | None = None


ORIGINAL: Final = PageKind(
    "original", [MAX_SAVED_GAME], ".game-container, .tile-container", ".keep-playing-button"
)
OWN: Final = PageKind("twofold", [], ".board-holder", ".overlay.won button.primary")
ADAPTERS: Final = ("auto", "original", "twofold", "generic")
"""The adapters that a user may name."""


def kinds(adapter: str = "auto", selectors: Selectors | None = None) -> Sequence[PageKind]:
    """The kinds of pages to search for; with selectors only the generic kind.

    Raises:
        InvalidInput: there is no such adapter, or it lacks selectors, or takes none.
    """
    if adapter not in ADAPTERS:
        raise InvalidInput(f"expected an adapter ({', '.join(ADAPTERS)}), got {shown(adapter)}")
    if selectors is None:
        if adapter == "generic":
            raise InvalidInput("expected --selectors or --selector with the adapter generic")
        return [kind for kind in (ORIGINAL, OWN) if adapter in ("auto", kind.name)]
    if adapter not in ("auto", "generic"):
        raise InvalidInput(f"expected selectors with the adapter generic, got {adapter}")
    # One frame for cells, longer for boxes that slide.
    steady = 0.016 if selectors.place == "order" else 0.12
    told = msgspec.to_builtins(selectors)
    board = selectors.board or selectors.tiles
    return [PageKind("generic", [told], board, selectors.keep_going, steady, selectors)]


ASKS_TOKEN: Final = (
    "the page asks for the token of its server: use the address that `twofold serve` has printed"
)

NEW_SECONDS: Final = 3.0
"""Timeout for a new game on the page of `twofold serve`."""

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


class GamePage:
    """A game on a page, in the frame of a world.

    Pages like the original hold the board twice: saved in `gameState` of the local storage, as soon
    as a move is made, and in the classes of their tiles, one frame later. Either is enough. If they
    differ, the one that changed last counts: pages of one site share their storage, so the saved
    game may be that of another page or be out of date, and a hidden tab draws no tiles.

    Attributes:
        source: where the last board was read, in words.
    """

    def __init__(self, world: World, kind: PageKind) -> None:
        self.world = world
        self.kind = kind
        self.source = "the page" if kind.name != "original" else ""
        self._known: tuple[Board, Board] | None = None  # (saved, drawn) at the last look
        self._saved_is_newer = False

    async def look(self) -> Sight:
        """The visible state now, without waiting."""
        found = await self.world.call(self.kind.name, *self.kind.arguments)
        return self.read(found if isinstance(found, dict) else {})

    def read(self, found: Mapping[str, Any]) -> Sight:
        """The state in the result of a function of browser.js."""
        over, won = bool(found.get("over")), bool(found.get("won"))
        saved, saved_fault = _saved(found.get("saved"))
        drawn, fault = self._drawn(found, saved.board.shape if saved is not None else (4, 4))
        fault = fault or saved_fault or (ASKS_TOKEN if found.get("asks") else "")
        if saved is not None and (drawn is None or self._counts(saved.board, drawn)):
            self.source = "the saved game"
            return Sight(saved.board, saved.score, over, won, is_drawn=drawn is not None)
        if self.kind.name == "original":
            self.source = "the tiles"
        # A page without a button is assumed to continue after the win by itself.
        won = won and bool(self.kind.keep_going)
        score = read_score(found.get("score"))
        return Sight(drawn, score, over, won, "" if drawn is not None else fault)

    def _counts(self, saved: Board, drawn: Board) -> bool:
        """True if the saved game counts, not the tiles; at first the tiles count."""
        if self._known is not None and (saved, drawn) != self._known:
            self._saved_is_newer = saved != self._known[0]
        self._known = saved, drawn
        return saved == drawn or self._saved_is_newer

    def _drawn(self, found: Mapping[str, Any], usual: tuple[int, int]) -> tuple[Board | None, str]:
        """The board of the tiles, or why there is none."""
        tiles = found.get("tiles")
        if not tiles:
            return None, printable(str(found.get("fault", "")))
        told = self.kind.selectors
        number = read_exponent if told and told.numbers == "exponents" else read_number
        rows, cols = found.get("rows") or usual[0], found.get("cols") or usual[1]
        try:
            read = [(int(row), int(col), number(text), rank) for row, col, text, rank in tiles]
            return board_of(read, rows, cols), ""
        except InvalidBoard as error:
            return None, str(error)

    async def begin(self, player: str, *, new: bool) -> None:
        """Tell a page of twofold who plays; `new`: leave the game that it has kept."""
        if self.kind is not OWN:
            return
        await self.world.call("drivenBy", player)
        if not new:
            return
        before = await self.world.call("game")
        await self.world.call("focus")
        await self.world.tab.press("n")
        due = asyncio.get_running_loop().time() + NEW_SECONDS
        while await self.world.call("game") == before:
            if asyncio.get_running_loop().time() >= due:
                raise PageError("expected a new game on the page after pressing N, got none")
            await asyncio.sleep(0.05)

    async def make(self, move: Move) -> None:
        """Press the key of a move, or click its button."""
        told, name = self.kind.selectors, move.name.lower()
        if told is None or told.buttons is None:
            await self.world.tab.press(getattr(told.keys if told else ARROWS, name))
            return
        button = getattr(told.buttons, name)
        if not await self.world.call("click", button):
            raise PageError(f"expected a button {shown(button)} for {name}, got none")

    async def close_popup(self, *, always: bool) -> tuple[str, str]:
        """Close a known popup over the board, with `always` also elsewhere: (its name, cover)."""
        found = await self.world.call("popup", self.kind.board, POPUPS, always)
        return printable(str(found["closed"])), printable(str(found["cover"]))


def _saved(text: object) -> tuple[ScoredBoard | None, str]:
    """The saved game, or why there is none."""
    if not isinstance(text, str) or not text:
        return None, ""
    try:
        saved = parse_saved(text)
    except InvalidBoard as error:
        return None, str(error)
    return (saved, "") if saved.board.max_tile else (None, "expected tiles in the saved game")


def board_of(tiles: Iterable[tuple[int, int, int, int]], rows: int, cols: int) -> Board:
    """The board of tiles (row, column, value, rank); InvalidBoard if it is none.

    Of several tiles in one cell the highest rank counts, then the largest value: tiles that merge
    are still drawn below the result.
    """
    check_shape(rows, cols)
    top: dict[tuple[int, int], tuple[int, int]] = {}
    for row, col, value, rank in tiles:
        if not (0 <= row < rows and 0 <= col < cols):
            raise InvalidBoard(
                f"expected tiles in {rows} rows and {cols} columns, "
                f"got one in row {row + 1}, column {col + 1}"
            )
        top[row, col] = max(top.get((row, col), (0, 0)), (rank, value))
    if not any(value for _, value in top.values()):
        raise InvalidBoard("expected tiles on the board, got none")
    return Board.from_tiles(
        [[top.get((row, col), (0, 0))[1] for col in range(cols)] for row in range(rows)]
    )


def read_number(text: object) -> int:
    """Parse a number such as `2048`, `2,048` or `2 048`, else InvalidBoard; an empty text is 0."""
    digits = re.sub(r"[\s,.'’_\u00a0\u202f]", "", text) if isinstance(text, str) else None
    if digits == "":
        return 0
    if digits is None or not re.fullmatch(r"[0-9]{1,18}", digits, re.ASCII):
        raise InvalidBoard(f"expected a number on the page, got {shown(text)}")
    return int(digits)


def read_exponent(text: object) -> int:
    """Parse the exponent of a tile: its value, 0 for an empty cell."""
    exponent = read_number(text)
    if exponent > MAX_EXPONENT:
        raise InvalidBoard(f"expected exponents up to {MAX_EXPONENT}, got {shown(text)}")
    return 1 << exponent if exponent else 0


def read_score(text: object) -> int | None:
    """Parse a score; None if there is none."""
    try:
        score = read_number(text) if text else None
    except InvalidBoard:
        return None
    return score if score is not None and score <= MAX_SCORE else None


async def find_game(tab: Tab, wanted: Sequence[PageKind], seconds: float) -> GamePage:
    """The first game that can be read in any frame of a tab, after a wait of up to `seconds`.

    A game that is drawn has priority over one that is only saved: all frames of a site share their
    storage.

    Raises:
        PageError: there is none; the message names the closest candidate.
    """
    clock = asyncio.get_running_loop().time
    due = clock() + seconds
    while True:
        seen: list[tuple[GamePage, Sight]] = []
        for world in await tab.worlds():
            with contextlib.suppress(FrameGone):
                pages = [GamePage(world, kind) for kind in wanted]
                seen += [(page, await page.look()) for page in pages]
        games = [(page, sight) for page, sight in seen if sight.board is not None]
        if games:
            return min(games, key=lambda game: not game[1].is_drawn)[0]
        if clock() >= due:
            break
        await asyncio.sleep(0.1)
    names = " or ".join(kind.name for kind in wanted)
    why = next((f" ({sight.fault})" for _, sight in seen if sight.fault), "")
    raise PageError(f"expected a board of the kind {names} on the page, got none{why}")
