"""The adapter of the page of `twofold serve`."""

import asyncio
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
from twofold.errors import InvalidBoard, PageError

DRIVEN_BY: Final = "(player) => { document.documentElement.dataset.driver = player; }"
"""Names the player; the page sends the name with each move, see `LiveGame.move` of live_game.js."""

ASKS_TOKEN: Final = (
    "the page asks for the token of its server: use the address that `twofold serve` has printed"
)

GAME: Final = "() => window.sessionStorage.getItem('twofold.game')"
"""The id of the game that the tab shows; see TAB_KEY of play.js."""

NEW_LOOKS: Final = 60
NEW_PAUSE: Final = 0.05
"""Number of looks for a new game, and the seconds between them."""


class OwnPage(GamePage):
    """The page of `twofold serve` on which a person plays."""

    name: ClassVar[str] = "twofold"
    board_selector = ".board-holder"
    keep_going_selector = ".overlay.won button.primary"

    async def look(self) -> Sight:
        """The tiles at their final places."""
        found = members(await self.world.call(script("own.js"), LIMITS))
        tiles = found.get("tiles")
        if not tiles:
            return Sight(None, fault=ASKS_TOKEN if found.get("asks") else "")
        over, won = bool(found.get("over")), bool(found.get("won"))
        try:
            board = board_of(map(_tile, tiles), int(found["rows"]), int(found["cols"]))
        except InvalidBoard as error:
            return Sight(None, over=over, won=won, fault=str(error))
        return Sight(board, read_score(found.get("score")), over, won)

    async def begin(self, player: str, *, new: bool) -> None:
        """Tell the page who plays, so that its games are not taken for those of a person."""
        await self.world.call(DRIVEN_BY, player)
        if not new:
            return
        before = await self.world.call(GAME)
        await self.world.focus()
        await self.world.press("n")
        for _ in range(NEW_LOOKS):
            if await self.world.call(GAME) != before:
                return
            await asyncio.sleep(NEW_PAUSE)
        raise PageError("expected a new game on the page after pressing N, got none")


def _tile(found: list[Any]) -> PageTile:
    row, col, value = found
    return PageTile(int(row), int(col), read_number(value))
