"""Learning curves, read from the files that training writes; the mean of several runs."""

import csv
import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from twofold.arena.stats import mean_interval
from twofold.errors import InvalidInput
from twofold.game.notation import shown
from twofold.storage.files import read_start

_LARGEST: Final = 1e15
"""Largest number in a curve: games, moves, seconds or points."""

MAX_BYTES: Final = 4 * 2**20
"""Largest file of a curve that is read."""

MAX_POINTS: Final = 2000
"""A curve of this length is halved by joining pairs of points. Even, so all points have a pair."""


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
    """The header and the rows of a `net.csv`; None for an empty cell.

    Raises:
        InvalidInput: it is no such file, or a cell is no finite number.
    """
    data = read_start(path, MAX_BYTES + 1)
    try:
        if len(data) > MAX_BYTES:
            raise ValueError(f"expected at most {MAX_BYTES:,} bytes, got more")
        if data.count(b"\n") > MAX_POINTS + 1:
            raise ValueError(f"expected at most {MAX_POINTS:,} points, got more")
        header, *lines = list(csv.reader(io.StringIO(data.decode()), strict=True)) or [[]]
        if not {"games", "mean"} <= set(header):
            raise ValueError("expected the columns games and mean, got others")
        if any(len(line) != len(header) for line in lines):
            raise ValueError(f"expected {len(header)} cells a line, got another number")
        return header, [[_finite(cell) if cell else None for cell in one] for one in lines]
    except (csv.Error, ValueError) as error:
        raise InvalidInput(
            "expected a learning curve of twofold train, such as net.csv, "
            f"got {shown(os.fspath(path))}: {error}"
        ) from None


def read_curve(path: str | os.PathLike[str], *, axis: str = "games", tile: int = 0) -> DrawnCurve:
    """The curve in a `net.csv` of `twofold train`.

    Args:
        path: the file.
        axis: one of `AXES`.
        tile: reach rates of this tile in place of scores; 0 for scores.

    Raises:
        InvalidInput: it is no such file, or has no such columns, or no points.
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
    if not rows:
        raise InvalidInput(f"expected a curve with points, got none in {name}")
    means = [(100 if tile else 1) * (value or 0.0) for value in columns[figure]]
    places, unknown = [value or 0.0 for value in columns[axis]], (None,) * len(rows)
    return DrawnCurve(Path(path).name, (*places,), (*means,), unknown, unknown, axis, tile)


def mean_curve(curves: Sequence[DrawnCurve]) -> DrawnCurve:
    """The mean of runs as far as all of them have come, with its 95 % interval by Student's t.

    Raises:
        InvalidInput: their points are not after the same numbers of games.
    """
    first = curves[0]
    count = min(len(one.games) for one in curves)
    if len({one.games[:count] for one in curves}) > 1:
        raise InvalidInput(
            f"expected runs with points after the same {first.axis} for their mean, "
            f"got others in {shown(curves[-1].name)}"
        )
    means = [
        mean_interval(values) for values in zip(*(one.means[:count] for one in curves), strict=True)
    ]
    name = re.sub(r"[-_.]?\d*\.csv$", "", first.name) or first.name
    return replace(
        first,
        name=f"{name}, {len(curves)} runs",
        games=first.games[:count],
        means=tuple(one.value for one in means),
        lows=tuple(one.low for one in means),
        highs=tuple(one.high for one in means),
    )


def _finite(text: str) -> float:
    value = float(text)
    if not abs(value) <= _LARGEST:
        raise ValueError(f"expected a number, got {text!r}")
    return value
