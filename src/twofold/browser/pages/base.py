"""The base of the page adapters: what they can see of a game, and what they can do."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from twofold.board import Board
from twofold.browser.tab import World
from twofold.errors import InvalidBoard
from twofold.limits import MAX_PAGE_TILES, MAX_SAVED_GAME, MAX_SCORE
from twofold.notation import check_shape, shown
from twofold.rules import Move

LIMITS: Final = {"saved": MAX_SAVED_GAME, "tiles": MAX_PAGE_TILES}
"""Limits of the functions that read a page: how much they may return."""

ARROWS: Final[Mapping[Move, str]] = {
    Move.UP: "ArrowUp",
    Move.RIGHT: "ArrowRight",
    Move.DOWN: "ArrowDown",
    Move.LEFT: "ArrowLeft",
}
"""The keys of the original game."""

CLICK: Final = """(selector) => {
  const found = document.querySelector(selector);
  found?.click();
  return found !== null;
}"""
"""Clicks an element; false if there is none."""

_SEPARATORS = re.compile(r"[\s,.'’_\u00a0\u202f]")
_DIGITS = re.compile(r"[0-9]{1,18}", re.ASCII)


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


class GamePage(ABC):
    """A game on a page of one kind; `world` is the isolated world of its frame.

    Attributes:
        board_selector: CSS selector of the board.
        keep_going_selector: CSS selector of the element that continues after the win.
        steady_seconds: how long a board must be unchanged to be accepted; 0 if it is read from
            stored data and not from what is drawn.
    """

    name: ClassVar[str]
    board_selector: str
    keep_going_selector: str
    steady_seconds: float = 0.0

    def __init__(self, world: World) -> None:
        self.world = world

    @property
    def source(self) -> str:
        """Where the board is read, in a few words."""
        return "the page"

    @abstractmethod
    async def look(self) -> Sight:
        """The visible state now, without waiting."""

    async def begin(self, player: str, *, new: bool) -> None:  # noqa: B027 (optional)
        """Called before the first move of `player`; `new`: leave a game that the site has kept."""

    async def make(self, move: Move) -> None:
        """Press the key of a move."""
        await self.world.press(ARROWS[move])

    async def keep_going(self) -> None:
        """Continue after the win."""
        await self.world.call(CLICK, self.keep_going_selector)


class PageTile(NamedTuple):
    """A tile as a page shows it; `row` and `col` count from 0, `value` is 2, 4, 8 ...

    Of several tiles in one cell the highest `rank` counts, then the largest value: tiles that merge
    are still drawn below the result.
    """

    row: int
    col: int
    value: int
    rank: int = 0


def board_of(tiles: Iterable[PageTile], rows: int, cols: int) -> Board:
    """The board of tiles; InvalidBoard for an invalid shape or tile, or without tiles."""
    check_shape(rows, cols)
    top: dict[tuple[int, int], PageTile] = {}
    for tile in tiles:
        place = tile.row, tile.col
        if not (0 <= tile.row < rows and 0 <= tile.col < cols):
            raise InvalidBoard(
                f"expected tiles in {rows} rows and {cols} columns, "
                f"got one in row {tile.row + 1}, column {tile.col + 1}"
            )
        if place not in top or (tile.rank, tile.value) > (top[place].rank, top[place].value):
            top[place] = tile
    if not any(tile.value for tile in top.values()):
        raise InvalidBoard("expected tiles on the board, got none")
    none = PageTile(0, 0, 0)
    return Board.from_tiles(
        [[top.get((row, col), none).value for col in range(cols)] for row in range(rows)]
    )


def read_number(text: object) -> int:
    """Parse a number such as `2048`, `2,048` or `2 048`, else InvalidBoard; an empty text is 0."""
    digits = _SEPARATORS.sub("", text) if isinstance(text, str) else None
    if digits == "":
        return 0
    if digits is None or not _DIGITS.fullmatch(digits):
        raise InvalidBoard(f"expected a number on the page, got {shown(text)}")
    return int(digits)


def read_score(text: object) -> int | None:
    """Parse a score; None if there is none."""
    try:
        score = read_number(text) if text else None
    except InvalidBoard:
        return None
    return score if score is not None and score <= MAX_SCORE else None


@cache
def script(name: str) -> str:
    """The source of a function of this package that runs in a page."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def members(value: Any) -> dict[str, Any]:
    """The result of a function if it is an object, else an empty dict."""
    return value if isinstance(value, dict) else {}
