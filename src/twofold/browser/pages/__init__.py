"""Kinds of 2048 pages, and the search for the game on a page."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from twofold.browser.pages.base import GamePage, Sight
from twofold.browser.pages.generic import GenericPage
from twofold.browser.pages.original import OriginalPage
from twofold.browser.pages.own import OwnPage
from twofold.browser.pages.selectors import Selectors
from twofold.browser.tab import FrameGone, Tab, World
from twofold.errors import InvalidInput, PageError
from twofold.notation import shown

__all__ = ["ADAPTERS", "GamePage", "PageKind", "Selectors", "Sight", "find_game", "kinds"]

AUTO: Final = "auto"
ADAPTERS: Final = (AUTO, OriginalPage.name, OwnPage.name, GenericPage.name)
"""The adapters that a user may name."""

SEARCH_PAUSE: Final = 0.1
"""Interval between two searches of a page that shows no game yet."""


@dataclass(frozen=True, slots=True)
class PageKind:
    """A kind of page; `make` makes its adapter for a frame."""

    name: str
    make: Callable[[World], GamePage]


def kinds(adapter: str = AUTO, selectors: Selectors | None = None) -> Sequence[PageKind]:
    """The kinds of pages to search for; with selectors only the generic kind.

    Raises:
        InvalidInput: there is no such adapter, or it lacks selectors, or takes none.
    """
    if adapter not in ADAPTERS:
        raise InvalidInput(f"expected an adapter ({', '.join(ADAPTERS)}), got {shown(adapter)}")
    if selectors is not None:
        if adapter not in (AUTO, GenericPage.name):
            raise InvalidInput(f"expected selectors with the adapter generic, got {adapter}")
        return [PageKind(GenericPage.name, partial(GenericPage, selectors=selectors))]
    if adapter == GenericPage.name:
        raise InvalidInput("expected --selectors or --selector with the adapter generic, got none")
    known = [PageKind(kind.name, kind) for kind in (OriginalPage, OwnPage)]
    return known if adapter == AUTO else [kind for kind in known if kind.name == adapter]


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
        seen = [one for world in await tab.worlds() for one in await _look(world, wanted)]
        games = [one for one in seen if one[1].board is not None]
        if games:
            return min(games, key=lambda one: not one[1].is_drawn)[0]
        if clock() >= due:
            break
        await asyncio.sleep(SEARCH_PAUSE)
    names = " or ".join(kind.name for kind in wanted)
    why = next((f" ({sight.fault})" for _, sight in seen if sight.fault), "")
    raise PageError(f"expected a board of the kind {names} on the page, got none{why}")


async def _look(world: World, wanted: Sequence[PageKind]) -> list[tuple[GamePage, Sight]]:
    pages = [kind.make(world) for kind in wanted]
    try:
        return [(page, await page.look()) for page in pages]
    except FrameGone:
        return []
