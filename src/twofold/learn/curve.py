"""The learning curve, and evaluations of a network in training on the same games each time.

Evaluations: how well a network in training plays, measured on the same games each time.

`twofold.learn.curve` plays the games; this module records the results.

Evaluation of a network in training: games at 1 ply, always from the same seeds and boards.

>>> from twofold.values.network_file import load_network
>>> found = EvaluationGames(STANDARD, games=20)(load_network("tiny"))
>>> found is not None and 500 < found.mean < 50_000
True
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from twofold.arena.boards import StartBoards
from twofold.arena.games import tile_sum
from twofold.arena.stats import mean_interval
from twofold.arena.survival import next_sum
from twofold.errors import InvalidInput
from twofold.figures import csv_text
from twofold.game.notation import SeedRange, printable, shown
from twofold.game.rules import STANDARD as STANDARD  # for the example
from twofold.game.rules import Rules
from twofold.limits import (
    MAX_DOWNGRADE,
    MAX_EXPONENT,
    MAX_GAMES,
    MAX_SCORE,
    MIN_DOWNGRADE,
    check_limit,
)
from twofold.players.presets import DOWNGRADE
from twofold.players.searching import ExpectimaxPlayer
from twofold.search.depth import Depth
from twofold.tables.library import EndgameTables
from twofold.values.network import Network, network_evaluator

if TYPE_CHECKING:
    from twofold.players import GameResult

STRETCH: Final = 1000
"""Games averaged into one point, at first."""

MAX_POINTS: Final = 2000
"""A curve of this length is halved by joining pairs of points. Even, so all points have a pair."""

EVALUATIONS_SUFFIX: Final = ".evaluations.csv"
"""Suffix of the file of evaluations: `net.evaluations.csv` beside `net.csv`."""

TILES: Final = (1024, 2048, 4096, 8192, 16384, 32768)
"""The tiles with a reach rate in each point."""

_LARGEST: Final = 15
"""The exponent of the last one."""


Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
Result = tuple[
    Annotated[int, msgspec.Meta(ge=0, le=MAX_SCORE)],
    Annotated[int, msgspec.Meta(ge=0, le=MAX_EXPONENT)],
]
"""Score and largest exponent of a game."""

Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Point(msgspec.Struct, frozen=True, array_like=True):
    """One point of a curve, in files a list of its fields.

    Attributes:
        games: games begun with start tiles and finished, since training began.
        moves: moves made in all games since training began, unfinished ones too.
        seconds: training time so far.
        mean: mean score of the games since the last point.
        largest: best score of them.
    """

    games: Count
    moves: Count
    seconds: float
    mean: float
    largest: Count
    reached_1024: float
    reached_2048: float
    reached_4096: float
    reached_8192: float
    reached_16384: float
    reached_32768: float

    @property
    def reached(self) -> tuple[float, ...]:
        """Share of the games since the last point that reached each of `TILES` or more."""
        return tuple(getattr(self, f"reached_{tile}") for tile in TILES)


class Curve(msgspec.Struct):
    """Collects the results of finished games into points of `stretch` games each.

    A checkpoint holds it as it is; decoding checks every limit.

    Attributes:
        points: one for each `stretch` games.
        games: games so far.
        since: the games after the last point.
        recent: the last thousand games.
    """

    points: Annotated[list[Point], msgspec.Meta(max_length=MAX_POINTS)] = []
    stretch: Annotated[int, msgspec.Meta(ge=1, le=2**62)] = STRETCH
    games: Count = 0
    since: list[Result] = []
    recent: Annotated[list[Result], msgspec.Meta(max_length=STRETCH)] = []

    def __post_init__(self) -> None:
        if len(self.since) >= self.stretch:
            raise ValueError(f"expected fewer than {self.stretch} games since the last point")

    def add(
        self, results: NDArray[np.uint64], moves: npt.ArrayLike, seconds: npt.ArrayLike
    ) -> None:
        """Add finished games.

        Args:
            results: uint64 (games, 3): first the score, last the largest exponent.
            moves: moves since training began until each game ended; one number for all games, or
                one each.
            seconds: training time until then.
        """
        when = zip(
            results[:, [0, -1]].tolist(),
            np.broadcast_to(moves, len(results)).tolist(),
            np.broadcast_to(seconds, len(results)).tolist(),
            strict=True,
        )
        for (score, largest), made, spent in when:
            self.games += 1
            self.recent.append((score, largest))
            self.since.append((score, largest))
            if len(self.since) == self.stretch:
                self._close(made, spent)
        del self.recent[:-STRETCH]

    def _close(self, moves: int, seconds: float) -> None:
        scores = [score for score, _ in self.since]
        self.points.append(
            Point(
                self.games,
                moves,
                round(seconds, 1),
                round(sum(scores) / len(scores), 1),
                max(scores),
                *_rates(self.since),
            )
        )
        self.since = []
        if len(self.points) >= MAX_POINTS:
            pairs = zip(self.points[::2], self.points[1::2], strict=False)
            self.points = [_joined(first, second) for first, second in pairs]
            self.stretch *= 2

    @property
    def mean(self) -> float:
        """Mean score of the last 1000 games; 0 before the first."""
        return sum(score for score, _ in self.recent) / len(self.recent) if self.recent else 0.0

    @property
    def reached(self) -> dict[int, float]:
        """Share of the last 1000 games that reached each of six tiles, up to their largest."""
        largest = max((exponent for _, exponent in self.recent), default=_LARGEST)
        tiles = tiles_up_to(largest)
        return dict(zip(tiles, _rates(self.recent, tiles), strict=True))

    def rows(self) -> list[list[float]]:
        """One list per point: games, moves, seconds, mean, largest, a rate for each tile."""
        found: list[list[float]] = msgspec.to_builtins(self.points)
        return found

    def csv(self) -> str:
        """The curve as CSV: a header, then one line per point."""
        return csv_text(columns(), self.rows())


def columns() -> list[str]:
    """The CSV header of a curve."""
    return list(Point.__struct_fields__)


def tiles_up_to(exponent: int) -> tuple[int, ...]:
    """The tiles whose rates are worth telling where this is the largest: six at most.

    >>> tiles_up_to(7)
    (4, 8, 16, 32, 64, 128)
    """
    last = min(exponent, _LARGEST)
    return tuple(1 << one for one in range(max(last - len(TILES) + 1, 1), last + 1))


def _rates(games: Iterable[tuple[int, int]], tiles: Sequence[int] = TILES) -> tuple[float, ...]:
    largest = [exponent for _, exponent in games]
    count = max(len(largest), 1)
    return tuple(
        round(sum(1 << exponent >= tile for exponent in largest) / count, 4) for tile in tiles
    )


def _joined(first: Point, second: Point) -> Point:
    reached = zip(first.reached, second.reached, strict=True)
    return Point(
        second.games,
        second.moves,
        second.seconds,
        round((first.mean + second.mean) / 2, 1),
        max(first.largest, second.largest),
        *(round((low + high) / 2, 4) for low, high in reached),
    )


COLUMNS: Final = ("games", "moves", "seconds", "training_mean", "mean", "margin")
"""First columns of the file of evaluations; then one for each set of boards."""

SURVIVAL: Final = "survival "
"""Prefix of the columns of sets of boards."""


SAMPLED: Final = "sampled_mean"
"""Column of the mean score of games with moves drawn by their probabilities."""

REACHED: Final = "reached_"
"""Prefix of the columns of reach rates."""


class Measured(msgspec.Struct, frozen=True):
    """Results of a network.

    Attributes:
        mean: mean score of whole games; None if none were played.
        margin: half of its 95 % interval; None for fewer than two games.
        survival: for each set of boards, the share of games that made the next large tile, see
            `twofold.arena.survival.next_sum`.
        sampled: mean score of games with moves drawn by their probabilities; None for networks
            without probabilities.
        reached: share of games that reached each tile; empty if not measured.
    """

    mean: float | None
    margin: float | None
    survival: dict[str, Rate]
    sampled: float | None = None
    reached: dict[str, Rate] = {}

    def __str__(self) -> str:
        digits = 0 if (self.mean or 0) >= 1000 else 1
        margin = "" if self.margin is None else f" ± {self.margin:,.{digits}f}"
        means = [] if self.mean is None else [f"mean {self.mean:,.{digits}f}{margin}"]
        if self.sampled is not None:
            means.append(f"drawn moves {self.sampled:,.{digits}f}")
        rates = {**self.survival, **dict(list(self.reached.items())[-3:])}
        return ", ".join(
            [*means, *(f"{printable(name)} {rate:.1%}" for name, rate in rates.items())]
        )


Measure = Callable[[Any], Measured | None]
"""Plays the evaluation games of a run's network; None if it was stopped."""


class Evaluation(msgspec.Struct, frozen=True):
    """One evaluation during a training run.

    `games`, `moves` and `seconds` are those of `twofold.learn.curve.Point`; `training_mean` is
    the mean score of the last 1000 training games.
    """

    games: Count
    moves: Count
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    training_mean: float
    measured: Measured


def evaluations_csv(evaluations: Sequence[Evaluation]) -> str:
    """Evaluations as CSV, one per line after a header; a cell is empty if nothing was measured."""
    names = list(dict.fromkeys(name for one in evaluations for name in one.measured.survival))
    tiles = sorted({tile for one in evaluations for tile in one.measured.reached}, key=int)
    more = [
        *([SAMPLED] if any(one.measured.sampled is not None for one in evaluations) else []),
        *(f"{REACHED}{tile}" for tile in tiles),
    ]
    header = [*COLUMNS, *(f"{SURVIVAL}{printable(name)}" for name in names), *more]
    rows = []
    for one in evaluations:
        found = one.measured
        survival = [found.survival.get(name) for name in names]
        means = [one.training_mean, found.mean, found.margin]
        drawn = [found.sampled] if SAMPLED in more else []
        reached = [found.reached.get(tile, 0.0) for tile in tiles]
        rows.append([one.games, one.moves, one.seconds, *means, *survival, *drawn, *reached])
    return csv_text(header, rows)


class EvaluationGames:
    """The games of each evaluation: `ntuple:ply=1` on the seeds from 1 on.

    Args:
        rules: of the games.
        games: number of whole games, 0 for none.
        boards: sets of boards with different names; one game starts from each board.
        downgrade: sum of the different tiles from which boards are downgraded, 0 for never.
        tables: endgame tables, asked before the network; None for none.
        stop: polled during the games; True ends the evaluation without a result.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        games: int,
        boards: Sequence[StartBoards] = (),
        downgrade: int = DOWNGRADE,
        tables: EndgameTables | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self.rules, self.boards, self.tables, self.stop = rules, tuple(boards), tables, stop
        names = [one.name for one in self.boards]
        for name in names:
            if names.count(name) > 1:
                raise InvalidInput(
                    f"expected sets of boards with different names, got {shown(name)} twice"
                )
        self.games = check_limit("games of an evaluation", games, 0, MAX_GAMES)
        if downgrade:
            check_limit("downgrade of an evaluation", downgrade, MIN_DOWNGRADE, MAX_DOWNGRADE)
        self.downgrade = downgrade

    def __call__(self, network: Network) -> Measured | None:
        """Play the games with a network; None if stopped."""
        player = ExpectimaxPlayer(
            network_evaluator(network), Depth.fixed(1), downgrade=self.downgrade, tables=self.tables
        )
        whole = self._play(player, self.games, None)
        each = {one.name: self._play(player, len(one), one) for one in self.boards}
        if self.stop is not None and self.stop():
            return None
        reached = {name: survival(results) for name, results in each.items()}
        if not whole:
            return Measured(None, None, reached)
        mean = mean_interval([game.score for game in whole])
        half = mean.half_width
        return Measured(mean.value, None if half is None else round(half, 1), reached)

    def _play(
        self, player: ExpectimaxPlayer, games: int, boards: StartBoards | None
    ) -> "list[GameResult]":
        seeds = SeedRange(1, games)
        starts = [boards.of_seed(seed) for seed in seeds] if boards else []
        from twofold.players import play_games  # loads kernels

        return list(play_games(player, self.rules, seeds, boards=starts, stop=self.stop))


def survival(games: "Sequence[GameResult]") -> float:
    """The share of games from boards that reached the next large tile; 0 if there are none."""
    came = [
        tile_sum(game.board) >= next_sum(game.start) for game in games if game.start is not None
    ]
    return sum(came) / max(len(came), 1)
