"""The driver in a real Chromium, on a page with the timings of the original and on others.

Needs chromium on the PATH and what `scripts/_venv test` installs.
"""

import asyncio
import tempfile
from contextlib import closing
from pathlib import Path

from benchmarks.common import ROOT, Figure, Report, Settings, of_runs
from tests.support.browser import serve
from twofold import Record, make_player
from twofold.cli._driver import Driver, PageFollower, Thinker
from twofold.cli.browser import ByMove, Selectors, find_game, kinds, open_tab

PAGES = ROOT / "tests" / "cli" / "pages"
FIND_SECONDS = 10.0
STOP_AT = 512
"""A game to this tile has about 260 moves."""

FAST = "ntuple:ply=1"
STRONG = "ntuple:ply=3"
CELLS = Selectors(tiles="#cells .cell", keys=ByMove("w", "d", "s", "a"))


def measure(settings: Settings) -> Report:
    """Measure each page, with a new browser for each game."""
    original = (PAGES / "original.html").as_uri()
    cells = (PAGES / "cells.html").as_uri()
    figures = [
        _figure("original, the saved game, 1 ply", f"{original}?seed=", FAST, settings),
        _figure("original, the saved game, 3 plies", f"{original}?seed=", STRONG, settings),
        _figure("original, the tiles alone, 1 ply", f"{original}?unsaved&seed=", FAST, settings),
        _figure("generic, 1 ply", f"{cells}?goal=99&seed=", FAST, settings, CELLS),
        _own(settings),
    ]
    notes = [
        f"Headless, animations on; games of `ntuple` to the tile {STOP_AT}, from the first key to "
        f"the last answer; median of {settings.runs} games with the extremes."
    ]
    return Report("Driving a page", figures, notes)


def _figure(
    what: str, url: str, player: str, settings: Settings, selectors: Selectors | None = None
) -> Figure:
    speeds = []
    for run in range(settings.runs):
        address = f"{url}{settings.seed + run}"
        speeds.append(asyncio.run(_play(address, player, selectors)))
    return of_runs(what, speeds, "moves/s")


def _own(settings: Settings) -> Figure:
    speeds = []
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder), "greedy") as served:
        for run in range(settings.runs):
            game = served.keep(str(Record(seed=settings.seed + run)))
            url = f"{served.url}/?game={game}&token={served.token}"
            speeds.append(asyncio.run(_play(url, FAST)))
    return of_runs("page of `twofold serve`, 1 ply", speeds, "moves/s")


async def _play(url: str, spec: str, selectors: Selectors | None = None) -> float:
    """Moves per second of one game."""
    wanted = kinds(selectors=selectors)
    follower = PageFollower()
    with closing(Thinker(lambda _rules: make_player(spec))) as thinker:
        async with open_tab(url, headless=True) as tab:
            page = await find_game(tab, wanted, FIND_SECONDS)
            driver = Driver(
                page,
                thinker,
                follower,
                lambda: find_game(tab, wanted, FIND_SECONDS),
                stop_at=STOP_AT,
            )
            await driver.play()
    return follower.made / (driver.last_at - driver.first_at)
