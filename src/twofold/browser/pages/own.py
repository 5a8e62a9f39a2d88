"""The adapter of the page of `twofold serve`."""

from typing import Any, ClassVar, Final

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

KEEP_GOING: Final = "() => document.querySelector('.overlay.won button.primary')?.click()"


class OwnPage(GamePage):
    """The page of `twofold serve` on which a person plays."""

    name: ClassVar[str] = "twofold"

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.board_selector = ".board-holder"

    async def look(self) -> Sight:
        """The tiles at their final places."""
        found = members(await self.world.call(script("own.js"), LIMITS))
        tiles = found.get("tiles")
        if not tiles:
            return Sight(None)
        over, won = bool(found.get("over")), bool(found.get("won"))
        try:
            board = board_of(map(_tile, tiles), int(found["rows"]), int(found["cols"]))
        except InvalidBoard as error:
            return Sight(None, over=over, won=won, fault=str(error))
        return Sight(board, read_score(found.get("score")), over, won)

    async def keep_going(self) -> None:
        """Press the button of the win screen."""
        await self.world.call(KEEP_GOING)


def _tile(found: list[Any]) -> PageTile:
    row, col, value = found
    return PageTile(int(row), int(col), read_number(value))
