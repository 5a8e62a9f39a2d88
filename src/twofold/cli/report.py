"""`twofold report`: what a study says, as a page, as tables, as data."""

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Final, Literal

from twofold.arena import page, tables
from twofold.arena.curves import DrawnCurve, mean_curve, read_curve
from twofold.arena.export import csv_parts, export_boards, export_parquet, export_records
from twofold.arena.plots import FORMS, KINDS, Drawing, Kind, learning_curves, study_figure
from twofold.arena.report import Section, gather, relabelled
from twofold.arena.study import Study
from twofold.cli._games import say_strengths
from twofold.cli._options import ForceOption, argument, option, read_tile
from twofold.cli._output import print_bytes, print_note, print_out, waiting
from twofold.errors import InvalidInput
from twofold.game.notation import shown
from twofold.storage.files import atomic_write, new_file, read_start, writing

EXAMPLE = """  twofold report study.db
  twofold report study.db --html report.html
  twofold report study.db --csv games.csv --parquet games.parquet
  twofold report study.db --records games.jsonl
  twofold report study.db --markdown -
  twofold report late.db --write-boards folder
  twofold report study.db --picture reach.pdf
  twofold report study.db --plot strength --picture strength.pdf
  twofold report study.db --markdown tables.md --label greedy=Greedy
  twofold report --curves a1.csv,a2.csv --curves b1.csv,b2.csv --picture c.pdf
  twofold report --curves net.csv --axis moves --tile 2048 --picture reach.svg"""


NEEDS = [
    (
        "--markdown --csv --parquet --records --label --write-boards",
        "STUDY",
        "a study of bench --out",
    ),
    ("--plot", "STUDY", "a study of bench --out"),
    ("--plot", "--picture", "--picture FILE"),
    ("--curves", "--html --picture"),
    ("--axis --tile", "--curves"),
    ("--axis --tile", "--picture"),
]
APART = [
    ("--curves", "--plot", "a plot is of the games of a study"),
    ("--html", "--axis --tile", "a page shows mean scores over games"),
]

MAX_CURVES: Final = 20
"""Most curves of a picture: more cannot be told apart."""

BESIDE: Final = ("-journal", "-wal", "-shm")
"""Ends of the names of files that SQLite keeps beside a database."""

STDOUT: Final = "-"
"""In the place of a file: the output."""


def command(
    study: Annotated[str, argument("STUDY", "Study written by bench --out.")] = "",
    html: Annotated[str, option("OUT", "Write a page with tables and plots.")] = "",
    markdown: Annotated[
        str, option("OUT", "Write the tables as GitHub Markdown; - prints them.")
    ] = "",
    csv: Annotated[str, option("OUT", "Write all games as CSV; - prints them.")] = "",
    parquet: Annotated[str, option("OUT", "Write all games as Parquet.")] = "",
    records: Annotated[
        str, option("OUT", "Write the records of bench --records, one per line.")
    ] = "",
    curves: Annotated[
        list[str] | None,
        option(
            "FILE",
            "Learning curve of train, for --html or --picture; with commas between files, the "
            "mean of runs. May be repeated.",
        ),
    ] = None,
    picture: Annotated[
        str, option("OUT", "Draw a plot of the study, or the curves, as .svg, .pdf or .png.")
    ] = "",
    plot: Annotated[
        Kind, option("KIND", f"Plot of a study for --picture: {', '.join(KINDS)}.")
    ] = "reach",
    axis: Annotated[
        Literal["games", "moves", "seconds"], option("AXIS", "What --curves are drawn over.")
    ] = "games",
    tile: Annotated[
        int | None,
        option(
            "TILE", "Draw how often --curves reach this tile, in place of scores.", parser=read_tile
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        option("PLAYER=NAME", "Name a player in tables and plots; may be repeated."),
    ] = None,
    write_boards: Annotated[
        str, option("FOLDER", "Write the boards that games start from as text.")
    ] = "",
    force: ForceOption = False,
) -> None:
    """Show a study as table, page or figure; draw learning curves.

    Without options it prints the table of bench. The page works offline and without scripts.
    For --html, --markdown and --csv the file - is standard output. --html replaces an older page.
    """
    outputs = {"--html": html, "--markdown": markdown, "--csv": csv}
    outputs |= {"--parquet": parquet, "--records": records}
    written = {name: path for name, path in outputs.items() if path}
    groups, is_table = list(map(_files, curves or [])), not (written or write_boards or picture)
    if not (study or groups):
        raise InvalidInput("expected a study of bench --out, or --curves FILE, got neither")
    for name in ("--parquet", "--records"):
        if outputs[name] == STDOUT:
            raise InvalidInput(f"expected {name} with a file, got {STDOUT}")
    inputs = [study, *itertools.chain.from_iterable(groups)]
    asked = written | ({"--picture": picture} if picture else {})
    _check_files(asked, inputs, force=force)
    if picture and not picture.endswith(tuple(f".{form}" for form in FORMS)):
        raise InvalidInput(
            f"expected --picture with a name that ends in .svg, .pdf or .png, got {shown(picture)}"
        )
    if len(groups) > MAX_CURVES:
        raise InvalidInput(f"expected at most {MAX_CURVES} curves in a picture, got {len(groups)}")
    drawn = [_curve(paths, axis, tile or 0) for paths in groups]
    names = _new_names(label or [])
    reading = Study(study, read_only=True) if study else nullcontext()
    note = waiting("reading the study ..." if study else "")
    with reading as opened, _writing(asked, inputs, force=force), note:
        sections = list[Section]()
        if opened and (is_table or html or markdown or (picture and not groups)):
            sections = relabelled(gather(opened), names)
        if picture:
            _draw(picture, learning_curves(drawn) if drawn else study_figure(sections, plot))
        if html:
            _put(html, [page.html(sections, drawn).encode()])
        if opened is not None:
            _export(opened, sections, written)
            for file in export_boards(opened, write_boards, force=force) if write_boards else ():
                print_note(f"wrote {file}")
        if opened and is_table:
            print_out(tables.plain(sections))
            say_strengths((run.player, run.spec) for run in opened.runs())


def _draw(path: str, found: Drawing) -> None:
    form = next(form for form in FORMS if path.endswith(form))
    _put(path, [found.file(form)])


def _export(study: Study, sections: Sequence[Section], written: Mapping[str, str]) -> None:
    for name, path in written.items():
        if name == "--markdown":
            _put(path, [tables.markdown(sections).encode()])
        elif name == "--csv":
            _put(path, csv_parts(study))
        elif name != "--html":
            (export_records if name == "--records" else export_parquet)(study, path)
            print_note(f"wrote {path}")


def _files(text: str) -> list[str]:
    """The files of a curve: one, whatever its name, or several with commas between them."""
    files = [text] if os.path.exists(text) else text.split(",")
    if len(set(files)) < len(files):
        raise InvalidInput(f"expected different files in --curves, got {shown(text)}")
    return files


def _curve(paths: Sequence[str], axis: str, tile: int) -> DrawnCurve:
    runs = [read_curve(path, axis=axis, tile=tile) for path in paths]
    return runs[0] if len(runs) == 1 else mean_curve(runs)


@contextmanager
def _writing(written: dict[str, str], inputs: list[str], *, force: bool) -> Iterator[None]:
    """Hold the files, and check them again: another program may have written one meanwhile."""
    with ExitStack() as held:
        for path in sorted({os.path.realpath(path) for path in written.values() if path != STDOUT}):
            held.enter_context(writing(path))
        _check_files(written, inputs, force=force)
        yield


def _check_files(written: dict[str, str], inputs: list[str], *, force: bool) -> None:
    for name, path in written.items():
        if name == "--html" and path != STDOUT:
            new_file(path, inputs=inputs, force=force, continued=_check_page)
        elif path != STDOUT:
            new_file(path, inputs=inputs, force=force)
    paths = [path if path == STDOUT else os.path.realpath(path) for path in written.values()]
    if beside := {f"{os.path.realpath(inputs[0])}{end}" for end in BESIDE} & set(paths):
        raise InvalidInput(f"expected another file, got {shown(beside.pop())}, part of the study")
    if len(set(paths)) < len(paths):
        raise InvalidInput("expected a file of its own for each output, got one named twice")


def _check_page(path: Path) -> None:
    if read_start(path, len(page.BEGIN)) != page.BEGIN.encode():
        raise InvalidInput(f"expected a new file or an older page to write, got {shown(str(path))}")


def _new_names(pairs: Sequence[str]) -> dict[str, str]:
    """New names by the name in the table; a spec may contain `=`, a new name may not."""
    found = {}
    for pair in pairs:
        player, _, name = pair.rpartition("=")
        if not (player and name.strip()):
            raise InvalidInput(f"expected --label PLAYER=NAME, got {shown(pair)}")
        if player in found:
            raise InvalidInput(f"expected one name for a player, got two for {shown(player)}")
        found[player] = name
    return found


def _put(path: str, parts: Iterable[bytes]) -> None:
    if path == STDOUT:
        print_bytes(parts)
    else:
        atomic_write(path, parts)
        print_note(f"wrote {path}")
