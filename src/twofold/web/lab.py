"""The laboratory: studies and training runs in a folder, as the page shows them.

No file is trusted: an unreadable one is listed with its error.
"""

import contextlib
import csv
import io
import itertools
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO, Final, TypeVar
from urllib.parse import quote

import msgspec
from starlette.responses import Response, StreamingResponse

from twofold.arena import plots
from twofold.arena.export import csv_parts
from twofold.arena.plots import MAX_BYTES, finite_number
from twofold.arena.report import SectionCharts, gather, grouped, section_charts
from twofold.arena.study import Study
from twofold.arena.study_file import APPLICATION
from twofold.arena.study_rows import Wanted
from twofold.arena.tables import SectionTables, section_tables
from twofold.errors import InvalidInput, TwofoldError
from twofold.game.notation import printable, shown
from twofold.learn.curve import COLUMNS, EVALUATIONS_SUFFIX, MAX_POINTS, SURVIVAL, columns
from twofold.limits import MAX_TRAINING_RUNS
from twofold.storage.files import read_start
from twofold.values.network_file import SUFFIX as NETWORK
from twofold.web.operations import LabFile, Operation, find, named, operation, operations_of
from twofold.web.roster import network_player

CURVE_SUFFIX: Final = ".csv"

MAX_SETS: Final = 16
"""Maximum number of sets of boards shown: the first ones of a file."""

_SINGLE: Final = b"games,moves,seconds,mean,largest"
_JOINT: Final = ",".join(plots.COLUMNS).encode()
"""Headers of the curves of one run and of several."""

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
        games: number of finished games, of all runs.
        seconds: training time.
        mean: mean score at the last point; null before the first one.
        largest: largest score of all games.
        reached: share of the games of the last point that reached each tile.
        runs: number of runs averaged; if there are several, moves, time, largest score and reach
            rates are unknown.
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
    runs: int = 1
    error: str = ""
    player: str = ""


class RunCurve(msgspec.Struct):
    """A learning curve.

    Attributes:
        columns: `games`, `moves`, `seconds`, `mean`, `largest`, then `reached_1024` and so on; for
            several runs `games`, `mean`, `low`, `high`, then `seed_1` and so on.
        rows: one per point, in order; null for unknown values.
        evaluations: games, moves, seconds and mean score of each evaluation of the network.
        survival: by set of boards: games, moves, seconds and the share of games from these boards
            that reached the next large tile, for each evaluation.
    """

    name: str
    changed: str
    columns: list[str]
    rows: list[list[float | None]]
    evaluations: list[list[float]] = []
    survival: dict[str, list[list[float]]] = {}


def runs(folder: Path) -> list[RunInfo]:
    """The training runs below a folder, last changed first; unreadable ones with their error."""
    found = find(folder, CURVE_SUFFIX)
    return [info for one in found if (info := _run_info(folder, one)) is not None]


def run(folder: Path, name: str) -> RunCurve:
    """A learning curve; raises NotThere, or InvalidInput if it is not one."""
    return _curve(folder, named(folder, name, CURVE_SUFFIX))


def _curve(folder: Path, found: LabFile) -> RunCurve:
    beside = None
    with contextlib.suppress(InvalidInput):  # there are no evaluations
        beside = named(
            folder, found.name.removesuffix(CURVE_SUFFIX) + EVALUATIONS_SUFFIX, CURVE_SUFFIX
        )
    return _read_curve(found, beside)


def _run_info(folder: Path, found: LabFile) -> RunInfo | None:
    """None for a file that does not begin like a learning curve."""
    try:
        if not read_start(found.path, 200).startswith((_SINGLE, _JOINT)):
            return None
        curve = _curve(folder, found)
    except InvalidInput as error:
        return RunInfo(found.name, found.date, error=str(error))
    info = _summary(curve)
    with contextlib.suppress(InvalidInput):  # there is no network
        network = named(folder, found.name.removesuffix(CURVE_SUFFIX) + NETWORK, NETWORK)
        info.network, player = network.path.name, network_player(network)
        info.player = "" if player is None else player.spec
    return info


def _summary(curve: RunCurve) -> RunInfo:
    info = RunInfo(curve.name, curve.changed, points=len(curve.rows))
    rows = [[cell or 0.0 for cell in row] for row in curve.rows]
    if _is_joint(curve.columns):
        info.runs = len(curve.columns) - len(plots.COLUMNS)
        complete = [row for row, known in zip(rows, curve.rows, strict=True) if None not in known]
        if last := (complete or rows)[-1:]:  # the last point that all runs have reached
            info.games, info.mean = int(last[0][0]), last[0][1]
    elif rows:
        games, moves, seconds, mean, _, *reached = rows[-1]
        info.games, info.moves, info.seconds, info.mean = int(games), int(moves), seconds, mean
        info.moves_per_second = moves / seconds if seconds > 0 else 0.0
        info.largest = int(max(row[4] for row in rows))
        tiles = (name.removeprefix("reached_") for name in curve.columns[5:])
        info.reached = dict(zip(tiles, reached, strict=True))
    return info


@lru_cache(maxsize=64)
def _read_curve(found: LabFile, judged: LabFile | None) -> RunCurve:
    data = read_start(found.path, MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InvalidInput(f"expected a learning curve of at most {MAX_BYTES} bytes")
    try:
        header, *lines = list(csv.reader(io.StringIO(data.decode()), strict=True)) or [[]]
        joint = _is_joint(header)
        rows = [
            [  # for several runs all but games and mean may be missing
                None if joint and place > 1 and not cell else finite_number(cell)
                for place, cell in enumerate(line)
            ]
            for line in lines
        ]
    except (csv.Error, ValueError) as error:
        raise InvalidInput(f"expected a learning curve of numbers: {error}") from None
    if not joint and header != columns():
        raise InvalidInput("expected the columns of a learning curve, got other columns")
    if len(rows) > MAX_POINTS or any(len(row) != len(header) for row in rows):
        raise InvalidInput(
            f"expected at most {MAX_POINTS} points of {len(header)} numbers, got other rows"
        )
    means, survival = ([], {}) if judged is None else _judged(judged)
    return RunCurve(found.name, found.date, header, rows, means, survival)


def _is_joint(header: list[str]) -> bool:
    first, seeds = tuple(header[: len(plots.COLUMNS)]), header[len(plots.COLUMNS) :]
    named = all(name.startswith("seed_") and name[5:].isdecimal() for name in seeds)
    return first == plots.COLUMNS and named and 0 < len(seeds) <= MAX_TRAINING_RUNS


def _judged(judged: LabFile) -> tuple[list[list[float]], dict[str, list[list[float]]]]:
    """The evaluations and survival of `RunCurve`; empty if the file is damaged."""
    try:
        text = read_start(judged.path, MAX_BYTES).decode()
        header, *lines = itertools.islice(
            csv.reader(io.StringIO(text), strict=True), MAX_POINTS + 1
        )
        if tuple(header[: len(COLUMNS)]) != COLUMNS:
            return [], {}
        sets = enumerate(header[len(COLUMNS) : len(COLUMNS) + MAX_SETS], len(COLUMNS))
        survival = {
            printable(name.removeprefix(SURVIVAL)): _column(lines, place)
            for place, name in sets
            if name.startswith(SURVIVAL)
        }
        return _column(lines, _MEAN), survival
    except (InvalidInput, csv.Error, ValueError, IndexError):
        return [], {}


def _column(lines: list[list[str]], place: int) -> list[list[float]]:
    """Games, moves, seconds and one column of the evaluations that have it."""
    return [[finite_number(line[at]) for at in (*_WHEN, place)] for line in lines if line[place]]


Result = TypeVar("Result")

SUFFIX: Final = ".db"

PATIENCE: Final = 0.5
"""Seconds to wait for a study that another program has locked."""

QUERY_SECONDS: Final = 5.0
"""Time limit of a query until its next row, since threads are few."""


IN_MEMORY: Final = 4 * 2**20
"""Bytes of an export to hold in memory; a larger one is written to disk."""

CHUNK: Final = 2**18
"""Bytes of an export sent at a time."""


class StudyInfo(msgspec.Struct):
    """A study in a list.

    Attributes:
        name: path of its file relative to the folder.
        changed: time of the last change, ISO 8601.
        games: number of finished games.
        asked: number of requested games.
        error: why it cannot be read; empty if it can.
    """

    name: str
    changed: str
    games: int = 0
    asked: int = 0
    players: list[str] = []
    rules: list[str] = []
    error: str = ""


class StudyTables(msgspec.Struct):
    """The results of a study, a section for each set of rules.

    Attributes:
        changed: time of the last change, ISO 8601.
        games: number of finished games.
        charts: those of each section.
    """

    name: str
    changed: str
    games: int
    sections: list[SectionTables]
    charts: list[SectionCharts]


def studies(folder: Path) -> list[StudyInfo]:
    """The studies below a folder, last changed first; unreadable ones with their error."""
    return [info for found in find(folder, SUFFIX) if (info := _info(found)) is not None]


def study(folder: Path, name: str) -> StudyTables:
    """The tables of a study; raises NotThere, or InvalidInput if it is empty or unreadable."""
    return _report(named(folder, name, SUFFIX))


def games_csv(folder: Path, name: str) -> tuple[str, Iterator[bytes]]:
    """A file name, and the file with all games in parts, as `twofold report --csv` writes it.

    Raises NotThere, or InvalidInput if the study cannot be read or has no finished game.
    """
    found = named(folder, name, SUFFIX)
    file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # type: ignore[assignment]
    try:
        _read(found, lambda opened: file.writelines(csv_parts(opened)))
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return f"{found.path.stem}.csv", _chunks(file)


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    """The content of a file, which is then closed."""
    with file:
        while part := file.read(CHUNK):
            yield part


# ---- the list


def _info(found: LabFile) -> StudyInfo | None:
    """None for a file that is not a study."""
    try:
        # The header can be read even while the file is locked.
        # Source: sqlite.org/fileformat.html, "The Database Header": application id at offset 68.
        start, kind = read_start(found.path, 72), APPLICATION.to_bytes(4, "big")
        is_study = start.startswith(b"SQLite format 3\0") and start[68:] == kind
        return _look(found) if is_study else None
    except TwofoldError as error:
        return StudyInfo(found.name, found.date, error=_sentence(error, found))


def _opened(found: LabFile) -> Study:
    return Study(found.path, read_only=True, patience=PATIENCE, seconds=QUERY_SECONDS)


@lru_cache(maxsize=256)
def _look(found: LabFile) -> StudyInfo:
    with _opened(found) as opened:
        known, counts = opened.runs(), opened.counts()
        asked = grouped(opened.wanted(), lambda plan: plan.run)
    return StudyInfo(
        found.name,
        found.date,
        games=sum(counts.values()),
        asked=sum(_asked(asked.get(one.run, [])) for one in known),
        players=list(dict.fromkeys(printable(one.player) for one in known)),
        rules=list(dict.fromkeys(printable(one.rules) for one in known)),
    )


def _asked(plans: list[Wanted]) -> int:
    total, end = 0, 0
    for seeds in sorted((plan.seeds for plan in plans), key=lambda seeds: seeds.first):
        last = seeds.first + seeds.count
        total += max(0, last - max(end, seeds.first))
        end = max(end, last)
    return total


def _sentence(error: TwofoldError, found: LabFile) -> str:
    return printable(str(error).replace(shown(str(found.path)), shown(found.name)))


# ---- a study


@lru_cache(maxsize=16)
def _report(found: LabFile) -> StudyTables:
    sections = _read(found, gather)
    return StudyTables(
        found.name,
        found.date,
        games=sum(entry.summary.games for section in sections for entry in section.entries),
        sections=[
            section_tables(number, section, plots=False)
            for number, section in enumerate(sections, 1)
        ],
        charts=[section_charts(section.entries) for section in sections],
    )


def _read(found: LabFile, read: Callable[[Study], Result]) -> Result:
    """What a function reads in a study; errors name the study as the page does."""
    try:
        with _opened(found) as opened:
            return read(opened)
    except TwofoldError as error:
        raise type(error)(_sentence(error, found)) from None


# ---- the operations


def lab_operations(folder: Path) -> list[Operation]:
    """The operations; studies and training runs are in `folder` and its subfolders."""
    return operations_of(_Lab(folder))


class _Lab:
    """Studies, their list and runs have threads of their own: none delays another."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @operation("GET /api/studies", tagged=True)
    def studies(self) -> list[StudyInfo]:
        """List the studies in the folder, changed last first."""
        return studies(self._folder)

    @operation("GET /api/studies/{name:path}/games.csv", reply="text/csv", threads="studies")
    def games(self, name: str) -> Response:
        """All games of a study, as `twofold report --csv` writes them."""
        file, parts = games_csv(self._folder, name)
        headers = {"Content-Disposition": f"attachment; filename*=utf-8''{quote(file, safe='')}"}
        return StreamingResponse(parts, headers=headers, media_type="text/csv")

    @operation("GET /api/studies/{name:path}", threads="studies", tagged=True)
    def study(self, name: str) -> StudyTables:
        """The tables of a study."""
        return study(self._folder, name)

    @operation("GET /api/runs", threads="runs", tagged=True)
    def runs(self) -> list[RunInfo]:
        """List the training runs in the folder, changed last first."""
        return runs(self._folder)

    @operation("GET /api/runs/{name:path}", threads="runs", tagged=True)
    def run(self, name: str) -> RunCurve:
        """The curve of a training run."""
        return run(self._folder, name)
