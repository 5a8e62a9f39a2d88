"""Joint learning curves: mean and interval of several runs that differ only in their seeds."""

import csv
import io
import operator
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from twofold.arena.stats import Interval, mean_interval
from twofold.errors import InvalidInput, InvalidNetwork
from twofold.figures import csv_text
from twofold.files import read_start
from twofold.networks.file import read_card

RUNS_SUFFIX: Final = ".runs.csv"
"""Suffix of the file of a joint curve, such as `net.runs.csv` beside `net-1.safetensors`."""

COLUMNS: Final = ("games", "mean", "low", "high")
"""The first columns of that file, followed by a column `seed_N` for each run."""

_LARGEST: Final = 1e15
"""Largest number in a curve: games, moves, seconds or points."""

MAX_BYTES: Final = 4 * 2**20
"""Largest file of a curve that is read."""


@dataclass(frozen=True, slots=True)
class OneCurve:
    """The learning curve of a run.

    `points` are the number of finished games and the mean score since the point before, at equal
    distances.
    """

    seed: int
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class JointPoint:
    """The runs after the same number of games.

    Attributes:
        games: of each run.
        mean: over the runs with this many games, with its 95 % interval by Student's t.
        runs: the mean score of each run; None for a run with fewer games.
    """

    games: int
    mean: Interval
    runs: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class JointCurve:
    """The learning curves of several runs, with points in the order of games."""

    seeds: tuple[int, ...]
    points: tuple[JointPoint, ...]

    @property
    def last(self) -> JointPoint | None:
        """The last point of all runs; None if there is none."""
        there = [point for point in self.points if None not in point.runs]
        return there[-1] if there else None

    def csv(self) -> str:
        """One line a point, with a header; unknown cells are empty."""
        rows = []
        for point in self.points:
            found = (point.mean.value, point.mean.low, point.mean.high, *point.runs)
            rounded = [None if value is None else round(value, 1) for value in found]
            rows.append([point.games, *rounded])
        return csv_text([*COLUMNS, *(f"seed_{seed}" for seed in self.seeds)], rows)


def runs_path(out: str | os.PathLike[str]) -> Path:
    """The file of a joint curve: `net.runs.csv` for `net.safetensors`."""
    return Path(out).with_suffix(RUNS_SUFFIX)


def join(curves: Sequence[OneCurve]) -> JointCurve:
    """Join curves; points are averaged to the largest distance of any curve.

    There is a point wherever a run has one. The interval needs two runs.
    """
    apart = max((curve.points[0][0] for curve in curves if curve.points), default=1)
    means = [_widened(curve.points, apart) for curve in curves]
    points = []
    for games in sorted(set().union(*means)):
        runs = tuple(found.get(games) for found in means)
        known = [mean for mean in runs if mean is not None]
        points.append(JointPoint(games, mean_interval(known), runs))
    return JointCurve(tuple(curve.seed for curve in curves), tuple(points))


def _widened(points: Sequence[tuple[int, float]], apart: int) -> dict[int, float]:
    """Points at distance `apart`, each the mean of those since the one before."""
    if not points:
        return {}
    size = max(apart // points[0][0], 1)
    groups = [points[end - size : end] for end in range(size, len(points) + 1, size)]
    return {group[-1][0]: sum(mean for _, mean in group) / size for group in groups}


def read_runs(paths: Iterable[str | os.PathLike[str]]) -> JointCurve:
    """The joint curve of the networks in some files; the weights are not read."""
    return join(list(map(_curve_of, paths)))


def _curve_of(path: str | os.PathLike[str]) -> OneCurve:
    card = read_card(path)
    try:
        seed = int(card.settings["seed"])
        points = tuple((int(row[0]), float(row[3])) for row in card.curve)
        games = [0, *(at for at, _ in points)]
        if not all(map(operator.lt, games, games[1:])) or not all(_may_hold(y) for _, y in points):
            raise ValueError
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        raise InvalidNetwork(
            f"expected the file of a training run, got {os.fspath(path)!a}"
        ) from None
    return OneCurve(seed, points)


# ---- curves to draw


@dataclass(frozen=True, slots=True)
class DrawnCurve:
    """A curve to draw: of one run, or the mean of several runs with its interval.

    `lows` and `highs` are the ends of the intervals; None if unknown.
    """

    name: str
    games: tuple[float, ...]
    means: tuple[float, ...]
    lows: tuple[float | None, ...]
    highs: tuple[float | None, ...]


def read_curve(path: str | os.PathLike[str]) -> DrawnCurve:
    """The curve in a `net.csv` or `net.runs.csv` of `twofold train`, or InvalidInput."""
    data = read_start(path, MAX_BYTES + 1)
    try:
        if len(data) > MAX_BYTES:
            raise ValueError
        header, *lines = list(csv.reader(io.StringIO(data.decode()), strict=True)) or [[]]
        if not {"games", "mean"} <= set(header):
            raise ValueError
        columns = {name: [line[place] for line in lines] for place, name in enumerate(header)}
        return DrawnCurve(
            Path(path).name,
            tuple(map(finite_number, columns["games"])),
            tuple(map(finite_number, columns["mean"])),
            _ends(columns.get("low"), len(lines)),
            _ends(columns.get("high"), len(lines)),
        )
    except (csv.Error, ValueError, IndexError):
        raise InvalidInput(
            "expected a learning curve of twofold train, such as net.csv or net.runs.csv, "
            f"got {os.fspath(path)!a}"
        ) from None


def finite_number(text: str) -> float:
    """Parse a finite number, or raise ValueError."""
    value = float(text)
    if not _may_hold(value):
        raise ValueError(f"expected a number, got {text!r}")
    return value


def _may_hold(value: float) -> bool:
    return abs(value) <= _LARGEST


def _ends(cells: list[str] | None, count: int) -> tuple[float | None, ...]:
    if cells is None:
        return (None,) * count
    return tuple(finite_number(cell) if cell else None for cell in cells)
