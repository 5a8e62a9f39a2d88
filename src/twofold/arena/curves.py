"""Learning curves: joined from several runs, and read back from the files that training writes."""

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
from twofold.game.notation import shown
from twofold.storage.files import read_start
from twofold.values.network_file import read_card

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
            f"expected the file of a training run, got {shown(os.fspath(path))}"
        ) from None
    return OneCurve(seed, points)


@dataclass(frozen=True, slots=True)
class DrawnCurve:
    """A curve to draw: of one run, or the mean of several runs with its interval.

    Attributes:
        games: number of games, or what `axis` says.
        means: mean scores in points, or with a `tile` its reach rate in percent.
        lows, highs: ends of the intervals; None if unknown.
    """

    name: str
    games: tuple[float, ...]
    means: tuple[float, ...]
    lows: tuple[float | None, ...]
    highs: tuple[float | None, ...]
    axis: str = "games"
    tile: int = 0


AXES: Final = ("games", "moves", "seconds")
"""What a learning curve can be drawn over."""


def read_table(path: str | os.PathLike[str]) -> tuple[list[str], list[list[float | None]]]:
    """The header and the rows of a `net.csv` or `net.runs.csv`; None for an empty cell.

    Raises:
        InvalidInput: it is no such file, or a cell is no finite number.
    """
    data = read_start(path, MAX_BYTES + 1)
    try:
        if len(data) > MAX_BYTES:
            raise ValueError(f"expected at most {MAX_BYTES:,} bytes, got more")
        header, *lines = list(csv.reader(io.StringIO(data.decode()), strict=True)) or [[]]
        if not {"games", "mean"} <= set(header):
            raise ValueError("expected the columns games and mean, got others")
        if any(len(line) != len(header) for line in lines):
            raise ValueError(f"expected {len(header)} cells a line, got another number")
        return header, [[_finite(cell) if cell else None for cell in one] for one in lines]
    except (csv.Error, ValueError) as error:
        raise InvalidInput(
            "expected a learning curve of twofold train, such as net.csv or net.runs.csv, "
            f"got {shown(os.fspath(path))}: {error}"
        ) from None


def read_curve(path: str | os.PathLike[str], *, axis: str = "games", tile: int = 0) -> DrawnCurve:
    """The curve in a `net.csv` or `net.runs.csv` of `twofold train`.

    Args:
        path: the file.
        axis: one of `AXES`; a joint curve has games alone.
        tile: reach rates of this tile in place of scores; 0 for scores.

    Raises:
        InvalidInput: it is no such file, or has no such columns.
    """
    header, rows = read_table(path)
    columns = {name: [row[place] for row in rows] for place, name in enumerate(header)}
    figure, name = f"reached_{tile}" if tile else "mean", shown(os.fspath(path))
    if lacking := {axis, figure} - set(header):
        raise InvalidInput(
            f"expected a curve with the column {min(lacking)}, got {name}, which has "
            f"{shown(', '.join(header[:12]))}"
        )
    if None in columns[axis] + columns[figure]:
        raise InvalidInput(f"expected a number of {axis} and {figure} on each line, got {name}")
    unknown = [None] * len(rows)
    return DrawnCurve(
        Path(path).name,
        tuple(value or 0.0 for value in columns[axis]),
        tuple((100 if tile else 1) * (value or 0.0) for value in columns[figure]),
        tuple(unknown if tile else columns.get("low", unknown)),
        tuple(unknown if tile else columns.get("high", unknown)),
        axis,
        tile,
    )


def read_points(path: str | os.PathLike[str], *, axis: str = "games", tile: int = 0) -> DrawnCurve:
    """The curve of `read_curve`; raises InvalidInput if it has no points, too."""
    curve = read_curve(path, axis=axis, tile=tile)
    if not curve.games:
        raise InvalidInput(f"expected a curve with points, got none in {shown(curve.name)}")
    return curve


def _finite(text: str) -> float:
    value = float(text)
    if not _may_hold(value):
        raise ValueError(f"expected a number, got {text!r}")
    return value


def _may_hold(value: float) -> bool:
    return abs(value) <= _LARGEST
