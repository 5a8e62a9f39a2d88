"""The learning curves in a folder, read back from the files that training writes."""

import contextlib
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from twofold.arena.curves import read_table
from twofold.errors import InvalidInput
from twofold.game.notation import printable, shown
from twofold.learn.curve import COLUMNS, EVALUATIONS_SUFFIX, MAX_POINTS, SURVIVAL, columns
from twofold.storage.files import read_start
from twofold.storage.named_files import NamedFile, find, named
from twofold.values.network_file import SUFFIX as NETWORK

CURVE_SUFFIX: Final = ".csv"

MAX_SETS: Final = 16
"""Maximum number of sets of boards shown: the first ones of a file."""

_HEADER: Final = b"games,moves,seconds,mean,largest"
"""Begin of a curve."""

_WHEN: Final = tuple(COLUMNS.index(name) for name in ("games", "moves", "seconds"))
_MEAN: Final = COLUMNS.index("mean")
"""Columns of evaluations that are shown."""


class RunInfo(msgspec.Struct):
    """A training run in a list, with its last figures.

    Attributes:
        name: path of its file relative to the folder.
        changed: time of the last change, ISO 8601.
        network: name of the network's file; empty if there is none.
        player: spec of the player with this network; empty if there is none.
        games: number of finished games.
        seconds: training time.
        mean: mean score at the last point; null before the first one.
        largest: largest score of all games.
        reached: share of the games of the last point that reached each tile.
        error: why it cannot be read; empty if it can.
    """

    name: str
    changed: str
    network: str = ""
    points: int = 0
    games: int = 0
    moves: int = 0
    seconds: float = 0.0
    moves_per_second: float = 0.0
    mean: float | None = None
    largest: int | None = None
    reached: dict[str, float] = {}
    error: str = ""
    player: str = ""


class RunCurve(msgspec.Struct):
    """A learning curve.

    Attributes:
        columns: `games`, `moves`, `seconds`, `mean`, `largest`, then `reached_1024` and so on.
        rows: one per point, in order.
        evaluations: games, moves, seconds and mean score of each evaluation of the network.
        survival: by set of boards: games, moves, seconds and the share of games from these boards
            that reached the next large tile, for each evaluation.
    """

    name: str
    changed: str
    columns: list[str]
    rows: list[list[float]]
    evaluations: list[list[float]] = []
    survival: dict[str, list[list[float]]] = {}


def runs(folder: Path) -> list[RunInfo]:
    """The training runs below a folder, last changed first; unreadable ones with their error."""
    found = find(folder, CURVE_SUFFIX)
    return [info for one in found if (info := _run_info(folder, one)) is not None]


def run(folder: Path, name: str) -> RunCurve:
    """A learning curve; raises NotThere, or InvalidInput if it is not one."""
    return _curve(folder, named(folder, name, CURVE_SUFFIX))


def _curve(folder: Path, found: NamedFile) -> RunCurve:
    beside = None
    with contextlib.suppress(InvalidInput):  # there are no evaluations
        beside = named(
            folder, found.name.removesuffix(CURVE_SUFFIX) + EVALUATIONS_SUFFIX, CURVE_SUFFIX
        )
    return _read_curve(found, beside)


def _run_info(folder: Path, found: NamedFile) -> RunInfo | None:
    """None for a file that does not begin like a learning curve."""
    try:
        if not read_start(found.path, 200).startswith(_HEADER):
            return None
        curve = _curve(folder, found)
    except InvalidInput as error:
        words = str(error).replace(shown(str(found.path)), shown(found.name))
        return RunInfo(found.name, found.date, error=words)
    info = _summary(curve)
    with contextlib.suppress(InvalidInput):  # there is no network
        network = named(folder, found.name.removesuffix(CURVE_SUFFIX) + NETWORK, NETWORK)
        info.network = network.path.name
    return info


def _summary(curve: RunCurve) -> RunInfo:
    info = RunInfo(curve.name, curve.changed, points=len(curve.rows))
    if curve.rows:
        games, moves, seconds, mean, _, *reached = curve.rows[-1]
        info.games, info.moves, info.seconds, info.mean = int(games), int(moves), seconds, mean
        info.moves_per_second = moves / seconds if seconds > 0 else 0.0
        info.largest = int(max(row[4] for row in curve.rows))
        tiles = (name.removeprefix("reached_") for name in curve.columns[5:])
        info.reached = dict(zip(tiles, reached, strict=True))
    return info


@lru_cache(maxsize=64)
def _read_curve(found: NamedFile, judged: NamedFile | None) -> RunCurve:
    header, cells = read_table(found.path)
    if header != columns():
        raise InvalidInput("expected the columns of a learning curve, got other columns")
    rows = [[cell for cell in row if cell is not None] for row in cells]
    if any(len(row) < len(header) for row in rows):
        raise InvalidInput("expected a number in each cell of a learning curve, got none")
    means, survival = ([], {}) if judged is None else _judged(judged)
    return RunCurve(found.name, found.date, header, rows, means, survival)


def _judged(judged: NamedFile) -> tuple[list[list[float]], dict[str, list[list[float]]]]:
    """The evaluations and survival of `RunCurve`; empty if the file is damaged."""
    try:
        header, rows = read_table(judged.path)
    except InvalidInput:
        return [], {}
    if tuple(header[: len(COLUMNS)]) != COLUMNS:
        return [], {}

    def column(place: int) -> list[list[float]]:
        """Games, moves, seconds and one column of the evaluations that have it."""
        found = ([row[at] for at in (*_WHEN, place)] for row in rows[:MAX_POINTS])
        return [[cell for cell in row if cell is not None] for row in found if None not in row]

    sets = enumerate(header[len(COLUMNS) : len(COLUMNS) + MAX_SETS], len(COLUMNS))
    survival = {
        printable(name.removeprefix(SURVIVAL)): column(place)
        for place, name in sets
        if name.startswith(SURVIVAL)
    }
    return column(_MEAN), survival
