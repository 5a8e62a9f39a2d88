"""`alphabeta`: the time of a move by depth, with and without the transposition table."""

from typing import Final

from benchmarks.common import Figure, Report, Settings, of_runs
from benchmarks.positions import of_games, time_choices
from twofold.game.rules import STANDARD
from twofold.kernels.alphabeta import LEAST_DEPTH
from twofold.search.context import TABLE_MB

NAMES: Final = ("rows", "clustering")
POSITIONS_PLAYER: Final = "expectimax:eval=rows,ply=2"
GAMES: Final = 10
PART: Final = (0.25, 0.75)
"""The part of each game from which positions are taken."""

POSITIONS: Final = {5: 2_000, 7: 800, 9: 100}
"""Positions per run, by depth in half-moves."""

AT_MOST: Final = {9: 300.0}
"""Target in milliseconds per move, by depth."""


def measure(settings: Settings) -> Report:
    """Measure depths 5, 7 and 9."""
    counts = ", ".join(f"{count:,} at depth {depth}" for depth, count in POSITIONS.items())
    return Report(
        "alphabeta (depth in half-moves)",
        [
            _time(f"alphabeta:eval={name},depth={depth},table_mb={table_mb}", depth, settings)
            for name in NAMES
            for depth in POSITIONS
            for table_mb in (TABLE_MB, 0)
        ],
        [
            f"Positions: {counts}, evenly spaced over the middle half of {GAMES} games of "
            f"{POSITIONS_PLAYER}, seeds from {settings.seed}.",
            f"Below depth {LEAST_DEPTH} the table is not used.",
            f"CPU time of one thread, median of {settings.runs} runs, each with an empty table.",
        ],
    )


def _time(spec: str, depth: int, settings: Settings) -> Figure:
    positions = of_games(POSITIONS_PLAYER, STANDARD, settings.seed, GAMES, part=PART)
    chosen = positions.thinned(POSITIONS[depth])
    times = [
        1e3 * time.cpu / len(chosen) for time in time_choices(spec, STANDARD, chosen, settings.runs)
    ]
    return of_runs(f"{spec}, a move", times, "ms", at_most=AT_MOST.get(depth))
