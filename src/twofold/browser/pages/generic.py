"""The adapter of a page that the user describes by selectors."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Final

from twofold.board import Board
from twofold.browser.pages.base import (
    ARROWS,
    CLICK,
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
from twofold.browser.pages.selectors import Selectors
from twofold.browser.tab import World
from twofold.errors import InvalidBoard, PageError
from twofold.limits import MAX_EXPONENT
from twofold.notation import shown
from twofold.rules import Move

STEADY_SECONDS: Final = {"order": 0.016, "box": 0.12}
"""How long a board must be unchanged: one frame for cells, longer for sliding boxes."""


class GenericPage(GamePage):
    """A game that is found by selectors."""

    name: ClassVar[str] = "generic"

    def __init__(self, world: World, selectors: Selectors) -> None:
        super().__init__(world)
        self._selectors = selectors
        self._told = {
            name: getattr(selectors, name)
            for name in ("tiles", "value", "place", "board", "score", "over", "won")
        }
        self.board_selector = selectors.board or selectors.tiles
        self.keep_going_selector = selectors.keep_going
        self.steady_seconds = STEADY_SECONDS[selectors.place]

    async def look(self) -> Sight:
        """The state that the selectors find."""
        found = members(await self.world.call(script("generic.js"), self._told, LIMITS))
        # Without `keep_going` the page is assumed to continue after the win by itself.
        won = bool(found.get("won")) and bool(self._selectors.keep_going)
        over = bool(found.get("over"))
        try:
            board = self._board(found.get("values") or [], found.get("places"))
        except InvalidBoard as error:
            return Sight(None, over=over, won=won, fault=str(error))
        return Sight(board, read_score(found.get("score")), over, won)

    def _board(self, values: Sequence[object], places: Any) -> Board:
        rows, cols = self._selectors.rows, self._selectors.cols
        tiles = shown(self._selectors.tiles)
        if self._selectors.place == "order":
            if len(values) != rows * cols:
                raise InvalidBoard(f"expected {rows * cols} cells {tiles}, got {len(values)}")
            cells = [divmod(cell, cols) for cell in range(rows * cols)]
        else:
            if not values or places is None:
                raise InvalidBoard(
                    f"expected a board {shown(self._selectors.board)} with tiles {tiles}, got none"
                )
            cells = [(_index(down, rows), _index(right, cols)) for down, right in places]
        return board_of(
            [
                PageTile(row, col, self._tile(value))
                for (row, col), value in zip(cells, values, strict=True)
            ],
            rows,
            cols,
        )

    def _tile(self, text: object) -> int:
        number = read_number(text)
        if self._selectors.numbers == "tiles":
            return number
        if number > MAX_EXPONENT:
            raise InvalidBoard(f"expected exponents up to {MAX_EXPONENT}, got {shown(text)}")
        return 1 << number if number else 0

    async def make(self, move: Move) -> None:
        """Press the key of a move, or click its button."""
        if not self._selectors.buttons:
            await self.world.press(self._selectors.keys.get(move, ARROWS[move]))
        elif not await self.world.call(CLICK, self._selectors.buttons[move]):
            button = shown(self._selectors.buttons[move])
            raise PageError(f"expected a button {button} for {move.name.lower()}, got none")


def _index(share: Any, count: int) -> int:
    """The row or column of a relative position on the board; -1 outside."""
    if not isinstance(share, (int, float)) or not math.isfinite(share):
        return -1
    return math.floor(share * count) if 0 <= share < 1 else -1
