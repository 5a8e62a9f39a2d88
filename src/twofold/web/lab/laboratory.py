"""The laboratory: studies and training runs in a folder, as the page shows them.

No file is trusted: an unreadable one is listed with its error.
"""

import importlib.util
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Final, TypeVar

import msgspec

from twofold.arena.export import csv_parts
from twofold.arena.reports.drawings import Palette, require_report
from twofold.arena.reports.plots import PLOTS, drawing
from twofold.arena.reports.report import Section, gather, grouped
from twofold.arena.reports.tables import SectionTables, section_tables
from twofold.arena.studies.rows import Wanted
from twofold.arena.studies.schema import APPLICATION
from twofold.arena.studies.study import Study
from twofold.errors import InvalidInput, MissingExtra, TwofoldError
from twofold.files import read_start
from twofold.notation import printable, shown
from twofold.web.lab.axes import translated
from twofold.web.lab.files import LabFile, NotThere, find, named
from twofold.web.lab.memo import Memo

Result = TypeVar("Result")

SUFFIX: Final = ".db"

PATIENCE: Final = 0.5
"""Seconds to wait for a study that another program has locked."""

QUERY_SECONDS: Final = 5.0
"""Time limit of a query until its next row, since threads are few."""


THEMES: Final = {
    "light": Palette(
        ("#a34a12", "#2f6fb5", "#2c6e3f", "#7b3fa8", "#85560a", "#17696b", "#463d34"),
        ink="#463d34",
        faint="#ded3c2",
    ),
    "dark": Palette(
        ("#f2a566", "#7cb8f0", "#8fce96", "#cf9df0", "#e8bd5a", "#6fc7c9", "#ede5d9"),
        ink="#ede5d9",
        faint="#423a32",
    ),
}
"""The colours of `static/css/base.css`: of curves, text and grid lines."""

IN_MEMORY: Final = 4 * 2**20
"""Bytes of an export to hold in memory; a larger one is written to disk."""

CHUNK: Final = 2**18
"""Bytes of an export sent at a time."""

FONTS: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"

_PLOT: Final = re.compile(rf"({'|'.join(PLOTS)})-([1-9][0-9]{{0,3}})")


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
        plots_error: why there are no plots; empty if there are.
    """

    name: str
    changed: str
    games: int
    sections: list[SectionTables]
    plots_error: str


_infos: Final = Memo[StudyInfo](256)
_sections: Final = Memo[list[Section]](1)  # with all scores: about 60 bytes per game
_tables: Final = Memo[StudyTables](16)
_plots: Final = Memo[bytes](64)


def studies(folder: Path) -> list[StudyInfo]:
    """The studies below a folder, last changed first; unreadable ones with their error."""
    return [info for found in find(folder, SUFFIX) if (info := _info(found)) is not None]


def study(folder: Path, name: str) -> StudyTables:
    """The tables of a study; raises NotThere, or InvalidInput if it is empty or unreadable."""
    found = named(folder, name, SUFFIX)
    return _tables.get((found.path, found.stamp, check_plots()), lambda: _report(found))


def plot(
    folder: Path, name: str, plot: str, theme: str, language: str = "en", *, narrow: bool = False
) -> bytes:
    """A plot of a study as SVG, by a name from `StudyTables`; `narrow` is for phones.

    Raises NotThere, InvalidInput, or MissingExtra if Matplotlib is not installed.
    """
    palette = THEMES.get(theme or "light")
    if palette is None:
        raise InvalidInput(f"expected the theme light or dark, got {shown(theme)}")
    found = named(folder, name, SUFFIX)
    key = (found.path, found.stamp, plot, palette.ink, narrow)
    svg = _plots.get(key, lambda: _image(_gathered(found), plot, palette, narrow=narrow))
    if not svg:
        raise NotThere(f"expected a plot of {shown(found.name)}, got {shown(plot)}")
    return translated(svg.decode(), language).encode()


def _image(sections: list[Section], plot: str, palette: Palette, *, narrow: bool) -> bytes:
    """A plot by its kind and the number of its section, such as `reach-1`; empty for none."""
    found = _PLOT.fullmatch(plot)
    if not found or int(found[2]) > len(sections):
        return b""
    entries = [
        replace(entry, label=str(place))  # names are in the legend of the page, in its language
        for place, entry in enumerate(sections[int(found[2]) - 1].entries, 1)
    ]
    drawn = drawing(entries, found[1], narrow=narrow) if entries else None
    return drawn.image(palette, FONTS) if drawn else b""


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


def check_plots() -> str:
    """Why no plots can be made; empty if they can."""
    if importlib.util.find_spec("matplotlib"):  # importing it here would delay the tables
        return ""
    try:
        require_report("matplotlib")
    except MissingExtra as error:
        return str(error)
    return ""


# ---- the list


def _info(found: LabFile) -> StudyInfo | None:
    """None for a file that is not a study."""
    try:
        if not _is_study(read_start(found.path, 100)):
            return None
        return _infos.get((found.path, found.stamp), lambda: _look(found))
    except TwofoldError as error:
        return StudyInfo(found.name, found.date, error=_sentence(error, found))


def _is_study(start: bytes) -> bool:
    """Check the header, which can be read even while the file is locked.

    Source: sqlite.org/fileformat.html, "The Database Header": application id at offset 68.
    """
    return start.startswith(b"SQLite format 3\0") and start[68:72] == APPLICATION.to_bytes(4, "big")


def _opened(found: LabFile) -> Study:
    return Study(found.path, read_only=True, patience=PATIENCE, seconds=QUERY_SECONDS)


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


def _report(found: LabFile) -> StudyTables:
    sections, missing = _gathered(found), check_plots()
    return StudyTables(
        found.name,
        found.date,
        games=sum(entry.summary.games for section in sections for entry in section.entries),
        sections=[
            section_tables(number, section, plots=not missing)
            for number, section in enumerate(sections, 1)
        ],
        plots_error=missing,
    )


def _gathered(found: LabFile) -> list[Section]:
    return _sections.get((found.path, found.stamp), lambda: _read(found, gather))


def _read(found: LabFile, read: Callable[[Study], Result]) -> Result:
    """What a function reads in a study; errors name the study as the page does."""
    try:
        with _opened(found) as opened:
            return read(opened)
    except TwofoldError as error:
        raise type(error)(_sentence(error, found)) from None
