"""Tables of runs as text: scores, speed and reach rates."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from twofold.arena.stats import Summary, summarise
from twofold.figures import format_rate, format_table
from twofold.notation import printable

if TYPE_CHECKING:
    from twofold.arena.bench import PlayerStanding

MAX_NAME = 24
"""Longest player name in the first column."""

MIN_COLUMNS = 4
"""Smallest number of reach rates in a table, if there are enough tiles."""

MAX_COLUMNS = 8
"""Largest number of reach rates in a table, which then fits 80 characters."""


def format_runs(
    runs: Sequence["PlayerStanding"], *, rates: bool = True, from_boards: bool = False
) -> str:
    """Scores and speed, then reach rates; one line a player. Long specs are numbered.

    With `from_boards` the heading says that tiles of the given boards count as reached.
    """
    parts = []
    names = specs = [printable(run.player) for run in runs]
    if max(map(len, names)) > MAX_NAME:
        names = [str(number) for number in range(1, len(runs) + 1)]
        width = len(names[-1])
        parts.append(
            "\n".join(f"{name:>{width}}  {spec}" for name, spec in zip(names, specs, strict=True))
        )
    done = [
        (name, summarise(run.games))
        for name, run in zip(names, runs, strict=True)
        if len(run.games)
    ]
    if done:
        header = ["player", "games", "mean score", "± 95 %", "median", "best", "moves/s", "s/game"]
        parts.append(
            format_table(header, [[name, *_score_cells(summary)] for name, summary in done])
        )
        parts += [_rates(done, reach_heading(from_boards))] if rates else []
    parts += [
        f"{printable(run.player)}: failed on seed {run.failed_seed}: {run.error}"
        for run in failed(runs)
    ]
    return "\n\n".join(parts)


def failed(runs: Sequence["PlayerStanding"]) -> list["PlayerStanding"]:
    """The runs that ended with an error."""
    return [run for run in runs if run.error]


def _score_cells(summary: Summary) -> list[str]:
    half = summary.score.half_width
    return [
        f"{summary.games:,}",
        f"{summary.score.value:,.0f}",
        "-" if half is None else f"{half:,.0f}",
        f"{summary.median:,.0f}",
        f"{summary.best:,}",
        format_rate(summary.moves_per_second),
        f"{summary.seconds_per_game:.3g}",
    ]


def telling_tiles(summaries: Sequence[Summary], fewest: int = 1) -> list[int]:
    """The tiles whose reach rates differ between players.

    They go from the largest tile that all games reached to the largest of all. If they are fewer
    than `fewest`, smaller tiles are added.
    """
    top = max(summary.max_tile for summary in summaries)
    tiles = [1 << exponent for exponent in range(2, top.bit_length())]
    always = sum(all(reach(one, tile) == 1.0 for one in summaries) for tile in tiles)
    return tiles[max(0, min(always - 1, len(tiles) - fewest)) :]


def reach_tiles(summaries: Sequence[Summary]) -> list[int]:
    """The tiles of a table of reach rates."""
    return telling_tiles(summaries, MIN_COLUMNS)[-MAX_COLUMNS:]


def reach(summary: Summary, tile: int) -> float:
    """The reach rate of a tile."""
    return summary.reach[tile].value if tile in summary.reach else 0.0


def reach_heading(from_boards: bool) -> str:
    """The heading of a table of reach rates; tiles of given boards count as reached."""
    return "reached or given, %" if from_boards else "reached, % of games"


def _rates(done: Sequence[tuple[str, Summary]], heading: str) -> str:
    tiles = reach_tiles([summary for _, summary in done])
    rows = [
        [player, *(_percent(reach(summary, tile), summary.games) for tile in tiles)]
        for player, summary in done
    ]
    return format_table([heading, *map(str, tiles)], rows)


def _percent(share: float, games: int) -> str:
    if share == 0:
        return "-"
    return f"{100 * share:.0f}" if games <= 100 else f"{100 * share:.1f}"
