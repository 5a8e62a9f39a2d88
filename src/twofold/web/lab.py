"""The laboratory: studies and training runs in a folder, as the page shows them.

No file is trusted: an unreadable one is listed with its error.
"""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import IO, Annotated, Final, Literal, TypeVar

import msgspec

from twofold.arena import page
from twofold.arena.curves import read_curve
from twofold.arena.export import csv_parts
from twofold.arena.plots import Drawing, Form, learning_curves, study_figure
from twofold.arena.report import SectionCharts, gather, grouped, section_charts
from twofold.arena.study import APPLICATION, Study
from twofold.arena.study_rows import Wanted
from twofold.arena.tables import SectionTables, section_tables
from twofold.errors import InvalidInput, TwofoldError
from twofold.game.notation import printable, shown
from twofold.learn.curve_files import CURVE_SUFFIX, RunCurve, RunInfo, run, runs
from twofold.storage.files import read_start
from twofold.storage.named_files import NamedFile, NotThere, find, named
from twofold.values.network_file import SUFFIX as NETWORK
from twofold.web.operations import File, operation
from twofold.web.roster import network_player

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


MAX_RUNS: Final = 12
"""Most curves of a figure, as many as the page shows."""


class StudyFigure(msgspec.Struct):
    """A figure of a study.

    Attributes:
        form: of the file: svg, pdf or png.
        plot: reach, survival, scores or strength.
        section: number of the set of rules and boards, from 1; 0 for a study that has only one.
        name: names of the players in the figure, in their order; their labels if there are none.
    """

    form: Form = "svg"
    plot: Literal["reach", "survival", "scores", "strength"] = "reach"
    section: Annotated[int, msgspec.Meta(ge=0)] = 0
    name: list[str] = []


class CurvesFigure(msgspec.Struct):
    """A figure of learning curves.

    Attributes:
        run: name of a run; may be repeated.
        form: of the file: svg, pdf or png.
        axis: games, moves or seconds.
        tile: draw how often games reached this tile, in place of scores.
    """

    run: Annotated[list[str], msgspec.Meta(min_length=1, max_length=MAX_RUNS)]
    form: Form = "svg"
    axis: Literal["games", "moves", "seconds"] = "games"
    tile: Annotated[int, msgspec.Meta(ge=0)] = 0


# ---- the list


def _info(found: NamedFile) -> StudyInfo | None:
    """None for a file that is not a study."""
    try:
        # The header can be read even while the file is locked.
        # Source: sqlite.org/fileformat.html, "The Database Header": application id at offset 68.
        start, kind = read_start(found.path, 72), APPLICATION.to_bytes(4, "big")
        is_study = start.startswith(b"SQLite format 3\0") and start[68:] == kind
        return _look(found) if is_study else None
    except TwofoldError as error:
        return StudyInfo(found.name, found.date, error=_sentence(error, found))


@lru_cache(maxsize=256)
def _look(found: NamedFile) -> StudyInfo:
    with Study(found.path, read_only=True, patience=PATIENCE, seconds=QUERY_SECONDS) as opened:
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


def _sentence(error: TwofoldError, found: NamedFile) -> str:
    return printable(str(error).replace(shown(str(found.path)), shown(found.name)))


# ---- a study


@lru_cache(maxsize=16)
def _report(found: NamedFile) -> StudyTables:
    sections = _read(found, gather)
    return StudyTables(
        found.name,
        found.date,
        games=sum(entry.summary.games for section in sections for entry in section.entries),
        sections=list(map(section_tables, sections)),
        charts=[section_charts(section.entries) for section in sections],
    )


def _read(found: NamedFile, read: Callable[[Study], Result]) -> Result:
    """What a function reads in a study; errors name the study as the page does."""
    try:
        with Study(found.path, read_only=True, patience=PATIENCE, seconds=QUERY_SECONDS) as opened:
            return read(opened)
    except TwofoldError as error:
        raise type(error)(_sentence(error, found)) from None


# ---- the operations


def _drawn(drawing: Drawing, name: str, form: Form) -> File:
    kinds = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
    return File(drawing.file(form), f"{name}.{form}", kinds[form])


class Lab:
    """The operations on studies and training runs in a folder and its subfolders.

    Studies, their list and runs have threads of their own: none delays another. All raise NotThere,
    MissingExtra, or InvalidInput for a file that cannot be read or holds too little.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @operation("GET /api/studies", tagged=True)
    def studies(self) -> list[StudyInfo]:
        """List the studies in the folder, changed last first."""
        infos = map(_info, find(self._folder, SUFFIX))
        return [info for info in infos if info is not None]

    @operation("GET /api/studies/{name:path}/games.csv", reply="text/csv", threads="studies")
    def games(self, name: str) -> File:
        """All games of a study, as `twofold report --csv` writes them."""
        found = named(self._folder, name, SUFFIX)
        file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # type: ignore[assignment]
        try:
            _read(found, lambda opened: file.writelines(csv_parts(opened)))
            file.seek(0)
        except BaseException:
            file.close()
            raise

        def parts() -> Iterator[bytes]:
            with file:
                yield from iter(lambda: file.read(CHUNK), b"")

        return File(parts(), f"{found.path.stem}.csv", "text/csv")

    @operation("GET /api/studies/{name:path}/report.html", reply="text/html", threads="studies")
    def report(self, name: str) -> File:
        """The page of a study with tables and plots, as `twofold report --html` writes it."""
        found = named(self._folder, name, SUFFIX)
        return File(page.html(_read(found, gather)), f"{found.path.stem}.html", "text/html")

    @operation("GET /api/studies/{name:path}/figure", reply="*/*", threads="studies")
    def figure(self, name: str, query: StudyFigure) -> File:
        """A figure of a study, as `twofold report --plot --picture` draws it."""
        found = named(self._folder, name, SUFFIX)
        sections = _read(found, gather)
        if query.section > len(sections):
            raise InvalidInput(
                f"expected a section from 1 to {len(sections)}, got {query.section:,}"
            )
        if query.section:
            sections = sections[query.section - 1 : query.section]
        if query.name and len(sections) == 1:
            pairs = zip(sections[0].entries, query.name, strict=False)
            entries = tuple(replace(one, player=printable(name)) for one, name in pairs)
            sections = [replace(sections[0], entries=entries)]
        drawing = study_figure(sections, query.plot)
        return _drawn(drawing, f"{found.path.stem}-{query.plot}", query.form)

    @operation("GET /api/curves", reply="*/*", threads="runs")
    def curves(self, query: CurvesFigure) -> File:
        """Learning curves in one figure, as `twofold report --curves --picture` draws them."""
        files = [named(self._folder, name, CURVE_SUFFIX) for name in query.run]
        drawn = []
        for found in files:
            try:
                drawn.append(read_curve(found.path, axis=query.axis, tile=query.tile))
            except InvalidInput as error:
                raise InvalidInput(_sentence(error, found)) from None
        name = files[0].path.stem if len(files) == 1 else "curves"
        return _drawn(learning_curves(drawn), name, query.form)

    @operation("GET /api/studies/{name:path}", threads="studies", tagged=True)
    def study(self, name: str) -> StudyTables:
        """The tables of a study."""
        return _report(named(self._folder, name, SUFFIX))

    @operation("GET /api/runs", threads="runs", tagged=True)
    def runs(self) -> list[RunInfo]:
        """List the training runs in the folder, changed last first."""
        found = runs(self._folder)
        for one in found:
            name = one.name.removesuffix(CURVE_SUFFIX) + NETWORK
            with contextlib.suppress(NotThere):
                player = network_player(named(self._folder, name, NETWORK))
                one.player = "" if player is None else player.spec
        return found

    @operation("GET /api/runs/{name:path}", threads="runs", tagged=True)
    def run(self, name: str) -> RunCurve:
        """The curve of a training run."""
        return run(self._folder, name)
