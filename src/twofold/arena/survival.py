"""Where games end: for each band of tile sums, the share of the games in it that ended there.

The sum of the tiles grows by the new tile of each move, so it measures the progress of a game.

>>> fates = Fates.of_sums(ends=[900, 2_100, 2_900, 5_000])
>>> [(band.low, band.at_risk, band.ended) for band in bands(fates, [0, 2_000, 4_000, 6_000])]
[(0, 4, 1), (2000, 3, 2), (4000, 1, 1)]
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from twofold.arena.bench import PlayerStanding
from twofold.arena.boards import StartBoards
from twofold.arena.games import UNKNOWN, GameColumns, tile_sum
from twofold.arena.stats import Interval, Values, round_up, wilson_interval
from twofold.figures import counted, format_table
from twofold.game.board import Board
from twofold.game.notation import printable
from twofold.game.rules import Rules

WIDTH: Final = 2_000
"""Width of the bands of tile sums for games of usual length."""

HEADER: Final = ("tile sum", "games", "ended", "ended, %", "95 % interval", "going on, %")
"""Columns of a table: games that reached the band, games that ended in it, survivors of all."""

_USUAL: Final = (8_000, 80_000)
"""Range of the largest tile sum in which the bands have this width; else about 20 bands."""


@dataclass(frozen=True, slots=True)
class SumBand:
    """The games in a band of tile sums, low <= sum < high; shares have 95 % intervals.

    Attributes:
        at_risk: games that reached the band, or began in it.
        ended: number of them that ended in it without a legal move.
        share: ended / at_risk.
        going: the share of all games that did not end below `high`; games that stopped at the goal
            count as survivors.
    """

    low: int
    high: int
    at_risk: int
    ended: int
    share: Interval
    going: Interval


@dataclass(frozen=True, slots=True)
class Fates:
    """The tile sums at which games began (0 for new games) and ended, int64 (games,).

    `died` is True for games without a legal move at the end, False for those stopped at the goal.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    died: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.ends)

    @classmethod
    def of_sums(cls, ends: Values, starts: Values | None = None) -> Self:
        """From games that all ended without a legal move."""
        found = np.asarray(ends, dtype=np.int64)
        begun = np.zeros_like(found) if starts is None else np.asarray(starts, dtype=np.int64)
        if begun.shape != found.shape or (begun > found).any():
            raise ValueError("expected one start for each end, not larger than the end")
        return cls(begun, found, np.ones(len(found), dtype=np.bool_))

    @classmethod
    def of_games(cls, games: GameColumns, rules: Rules, boards: StartBoards | None = None) -> Self:
        """From finished games; games with an unknown tile sum are left out.

        A game that stopped at the goal has not died. `boards` are those on which the games began.
        """
        known = games.tile_sums != UNKNOWN
        stopped = rules.stop_at_goal & (games.max_tiles >= rules.goal)
        starts = np.zeros(len(games), dtype=np.int64)
        if boards is not None:
            sums = np.array([tile_sum(board) for board in boards.boards], dtype=np.int64)
            starts = sums[(games.seeds - np.uint64(1)) % np.uint64(len(sums))]
        return cls(starts[known], games.tile_sums[known], ~stopped[known])


def next_sum(board: Board) -> int:
    """The tile sum at which a game from a board has made its next large tile.

    Large tiles are those from half the largest tile on. The sum is the next multiple of that half
    plus a 16th of it, when the tile has been made. From 8192 and a sum of 14,000 the next large
    tile is 16384; from 16384 and 8192 it is 32768; from 32768 and 8192 it is 16384.

    >>> next_sum(Board.parse("8192 4096 1024 512/128 32 16 0/0 0 0 0/0 0 0 0"))
    16640
    """
    half = max((1 << board.max_exponent) // 2, 2)
    return (tile_sum(board) // half + 1) * half + half // 16


def edges_of(many: Iterable[Fates], width: int | None = None) -> list[int]:
    """Bounds of bands of equal width over all players' games; an empty list without games."""
    some = [one for one in many if len(one)]
    if not some:
        return []
    low = min(int(one.starts.min()) for one in some)
    high = max(int(one.ends.max()) for one in some)
    usual = WIDTH if _USUAL[0] <= high <= _USUAL[1] else round_up(max(high - low, 20) / 20)
    step = usual if width is None else width
    return list(range(low // step * step, (high // step + 1) * step + 1, step))


def bands(fates: Fates, edges: Sequence[int]) -> list[SumBand]:
    """The games by band; bands without games are left out. `edges` must rise."""
    games, ends = len(fates), np.sort(fates.ends)
    starts, dead = np.sort(fates.starts), np.sort(fates.ends[fates.died])
    found = []
    for low, high in itertools.pairwise(edges):
        at_risk = _below(starts, high) - _below(ends, low)
        if not at_risk:
            continue
        ended = _below(dead, high) - _below(dead, low)
        share = wilson_interval(ended, at_risk)
        going = wilson_interval(games - _below(dead, high), games)
        found.append(SumBand(low, high, at_risk, ended, share, going))
    return found


def _below(ordered: NDArray[np.int64], bound: int) -> int:
    return int(np.searchsorted(ordered, bound))


def told_bands(fates: Fates, edges: Sequence[int]) -> list[SumBand]:
    """The bands of a table: neighbours in which no game ended are joined."""
    every = bands(fates, edges)
    quiet = {
        one.low
        for last, one in itertools.pairwise(every)
        if last.high == one.low and last.ended == one.ended == 0
    }
    bounds = {one.low for one in every} | {one.high for one in every}
    return bands(fates, sorted(bounds - quiet))


def cells(band: SumBand) -> tuple[str, ...]:
    """The cells of a row, in the order of HEADER."""
    ends = (band.share.low or 0.0, band.share.high or 0.0)
    return (
        f"{band.low:,} to {band.high:,}",
        f"{band.at_risk:,}",
        f"{band.ended:,}",
        _percent(band.share.value),
        " to ".join(map(_percent, ends)),
        _percent(band.going.value),
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def format_survival(
    runs: Sequence[PlayerStanding], rules: Rules, boards: StartBoards | None
) -> str:
    """A table for each player, with its name above it; empty if there are no games.

    A line below says how many games have an unknown tile sum and are left out.
    """
    fates = [Fates.of_games(run.games, rules, boards) for run in runs]
    edges = edges_of(fates)
    pairs = zip(runs, fates, strict=True)
    return "\n\n".join(_table_of(run, one, edges) for run, one in pairs if len(run.games))


def _table_of(run: PlayerStanding, fates: Fates, edges: Sequence[int]) -> str:
    lines = [printable(run.player)]
    if rows := [cells(band) for band in told_bands(fates, edges)]:
        lines.append(format_table(HEADER, rows))
    if unknown := len(run.games) - len(fates):
        games = counted(unknown, "game")
        lines.append(f"left out: {games} of an older version of twofold without tile sums")
    return "\n".join(lines)
