"""What a game looks like from outside: a sight of it, and what every kind of page can do."""

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
"""What the functions that read a page are told: how much they may bring along."""

ARROWS: Final[Mapping[Move, str]] = {
    Move.UP: "ArrowUp",
    Move.RIGHT: "ArrowRight",
    Move.DOWN: "ArrowDown",
    Move.LEFT: "ArrowLeft",
}
"""The keys of the original game."""

_SEPARATORS = re.compile(r"[\s,.'’_\u00a0\u202f]")
_DIGITS = re.compile(r"[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sight:
    """What can be seen of a game at one moment.

    Attributes:
        board: the board; None where what is there is no board.
        score: points; None where none are shown.
        over: whether the page says that the game has ended.
        won: whether the page asks if play should go on.
        fault: why there is no board, as a sentence; empty where nothing looks like one.
        is_drawn: whether the board is shown in this frame, and not only saved by its site.
    """

    board: Board | None
    score: int | None = None
    over: bool = False
    won: bool = False
    fault: str = ""
    is_drawn: bool = True


class GamePage(ABC):
    """A game on a page, of one kind.

    Args:
        world: our JavaScript world in the frame of the game.

    Attributes:
        name: what the kind is called.
        board_selector: where the board lies, as a CSS selector.
        steady_seconds: how long a board must be seen before it is believed: 0 where it is
            read from what the page holds rather than from what it draws.
    """

    name: ClassVar[str]
    board_selector: str
    steady_seconds: float = 0.0

    def __init__(self, world: World) -> None:
        self.world = world

    @property
    def source(self) -> str:
        """Where the board is read, in a few words."""
        return "the page"

    @abstractmethod
    async def look(self) -> Sight:
        """What can be seen now; nothing is waited for."""

    async def make(self, move: Move) -> None:
        """Ask the page for a move."""
        await self.world.press(ARROWS[move])

    @abstractmethod
    async def keep_going(self) -> None:
        """Ask the page to go on after the win."""


class PageTile(NamedTuple):
    """A tile as a page shows it.

    Attributes:
        row: counted from 0.
        col: counted from 0.
        value: 2, 4, 8 ...
        rank: of several tiles in one cell the highest rank counts, then the largest value:
            those that merge still slide below what they make.
    """

    row: int
    col: int
    value: int
    rank: int = 0


def board_of(tiles: Iterable[PageTile], rows: int, cols: int) -> Board:
    """The board that tiles make.

    Raises:
        InvalidBoard: the shape is none, there are no tiles, or one of them is none or lies
            outside.
    """
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
    """The number in a text such as `2048`, `2,048` or `2 048`; an empty text is 0.

    Raises:
        InvalidBoard: it is no number.
    """
    digits = _SEPARATORS.sub("", text) if isinstance(text, str) else None
    if digits == "":
        return 0
    if digits is None or not _DIGITS.fullmatch(digits):
        raise InvalidBoard(f"expected a number on the page, got {shown(text)}")
    return int(digits)


def read_score(text: object) -> int | None:
    """The points in a text; None if it holds none."""
    try:
        score = read_number(text) if text else None
    except InvalidBoard:
        return None
    return score if score is not None and score <= MAX_SCORE else None


@cache
def script(name: str) -> str:
    """The source of one of our functions that run in a page."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def members(value: Any) -> dict[str, Any]:
    """What a function that ran in a page returned, if it is an object; else nothing."""
    return value if isinstance(value, dict) else {}
