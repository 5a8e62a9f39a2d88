"""The adapter of the original game and pages built like it.

They hold the board twice: saved in `gameState` of the local storage, as soon as a move is made,
and in the classes of their tiles, one frame later. Either is enough. If they differ, the one that
changed last counts: pages of one site share their storage, so the saved game may be that of another
page or be out of date, and a hidden tab draws no tiles.
"""

from typing import Any, ClassVar, Final

from twofold.board import Board
from twofold.browser.pages.base import (
    LIMITS,
    GamePage,
    PageTile,
    Sight,
    board_of,
    members,
    read_number,
    read_score,
    script,
)
from twofold.browser.tab import World
from twofold.errors import InvalidBoard
from twofold.records.foreign.boards import ScoredBoard, parse_saved

USUAL_SHAPE: Final = (4, 4)
"""The shape if neither the page nor its saved game tells it."""


class OriginalPage(GamePage):
    """The original game, or one that is built like it."""

    name: ClassVar[str] = "original"
    board_selector = ".game-container, .tile-container"
    keep_going_selector = ".keep-playing-button"

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._known: tuple[Board, Board] | None = None  # (saved, drawn) at the last look
        self._saved_is_newer = False
        self._source = ""

    @property
    def source(self) -> str:
        """Where the last board was read."""
        return self._source

    async def look(self) -> Sight:
        """The saved game, or the tiles if they are newer."""
        found = members(await self.world.call(script("original.js"), LIMITS))
        saved, saved_fault = _saved(found)
        usual = saved.board.shape if saved is not None else USUAL_SHAPE
        drawn, fault = _drawn(found, usual)
        over, won = bool(found.get("over")), bool(found.get("won"))
        if saved is not None and (drawn is None or self._counts(saved.board, drawn)):
            self._source = "the saved game"
            return Sight(saved.board, saved.score, over, won, is_drawn=drawn is not None)
        self._source = "the tiles"
        score = read_score(found.get("score"))
        return Sight(drawn, score, over, won, "" if drawn is not None else fault or saved_fault)

    def _counts(self, saved: Board, drawn: Board) -> bool:
        """True if the saved game counts, not the tiles; at first the tiles count."""
        if self._known is not None and (saved, drawn) != self._known:
            self._saved_is_newer = saved != self._known[0]
        self._known = saved, drawn
        return saved == drawn or self._saved_is_newer


def _saved(found: dict[str, Any]) -> tuple[ScoredBoard | None, str]:
    """The saved game, or why there is none."""
    text = found.get("saved")
    if not isinstance(text, str) or not text:
        return None, ""
    try:
        saved = parse_saved(text)
    except InvalidBoard as error:
        return None, str(error)
    return (saved, "") if saved.board.max_tile else (None, "expected tiles in the saved game")


def _drawn(found: dict[str, Any], usual: tuple[int, int]) -> tuple[Board | None, str]:
    """The board of the tiles, or why there is none."""
    try:
        tiles = [_tile(one) for one in found.get("tiles") or ()]
        if not tiles:
            return None, ""
        shape = int(found.get("rows") or usual[0]), int(found.get("cols") or usual[1])
        return board_of(tiles, *shape), ""
    except InvalidBoard as error:
        return None, str(error)


def _tile(found: list[Any]) -> PageTile:
    row, col, value, rank = found
    return PageTile(int(row), int(col), read_number(value), int(rank))
