"""`twofold report`: what a study says, as a page, as tables, as data."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Final

from twofold.arena import page, tables
from twofold.arena.export import csv_parts, export_boards, export_parquet, export_records
from twofold.arena.plots import FORMS, DrawnCurve, Form, learning_curves, read_curve
from twofold.arena.study import Study
from twofold.cli._options import ForceOption, argument, option
from twofold.cli._output import print_bytes, print_note, print_out, waiting
from twofold.errors import InvalidInput
from twofold.game.notation import shown
from twofold.storage.files import atomic_write, new_file, read_start

EXAMPLE = """  twofold report study.db
  twofold report study.db --html report.html
  twofold report study.db --csv games.csv --parquet games.parquet
  twofold report study.db --records games.jsonl
  twofold report study.db --markdown -
  twofold report late.db --write-boards folder
  twofold report --curves a.runs.csv --curves b.runs.csv --picture curves.pdf"""


STDOUT: Final = "-"
"""In the place of a file: the output."""

_PRINTED: Final = ("--html", "--markdown", "--csv")
"""Options whose files are text that can be printed."""


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
        option("FILE", "Learning curve of train, for --html or --picture; may be repeated."),
    ] = None,
    picture: Annotated[str, option("OUT", "Draw the curves as .svg, .pdf or .png.")] = "",
    write_boards: Annotated[
        str, option("FOLDER", "Write the boards that games start from as text.")
    ] = "",
    force: ForceOption = False,
) -> None:
    """Show a study as a table, page or data; draw learning curves.

    Without options it prints the table of bench. The page works offline and without scripts.
    For --html, --markdown and --csv the file - is standard output. --html replaces an older page.
    """
    outputs = {"--html": html, "--markdown": markdown, "--csv": csv, "--parquet": parquet}
    outputs |= {"--records": records}
    written = {name: path for name, path in outputs.items() if path}
    _check_request(study, written | {"--picture": picture}, write_boards)
    _check_files(written | {"--picture": picture}, [study, *(curves or [])], force=force)
    drawn = _curves(study, curves or [], html, picture)
    if picture:
        atomic_write(picture, [learning_curves(drawn, legend=True).file(_form(picture))])
        print_note(f"wrote {picture}")
    if not study:
        for name, path in written.items():
            _write(None, name, path, drawn)
        return
    with Study(study, read_only=True) as opened, waiting("reading the study ..."):
        for name, path in written.items():
            _write(opened, name, path, drawn)
        for folder in filter(None, [write_boards]):
            for file in export_boards(opened, folder, force=force):
                print_note(f"wrote {file}")
        if not (written or write_boards):
            print_out(tables.plain(opened))


def _check_request(study: str, asked: dict[str, str], write_boards: str) -> None:
    written = {name: path for name, path in asked.items() if path}
    alone = set(written) <= {"--html", "--picture"} and not write_boards
    if not study and not alone:
        raise InvalidInput("expected a study of bench --out for these options, got none")
    for name, path in written.items():
        if path == STDOUT and name not in _PRINTED:
            raise InvalidInput(f"expected {name} with a file, got {STDOUT}")


def _check_files(asked: dict[str, str], inputs: list[str], *, force: bool) -> None:
    written = {name: path for name, path in asked.items() if path not in ("", STDOUT)}
    if page_path := written.get("--html"):
        new_file(page_path, inputs=inputs, force=force, continued=_check_page)
    for path in written.values():
        if path != page_path:
            new_file(path, inputs=inputs, force=force)
    paths = [os.path.realpath(path) for path in written.values()]
    if len(set(paths)) < len(paths):
        raise InvalidInput("expected a file of its own for each output, got one named twice")


def _check_page(path: Path) -> None:
    if read_start(path, len(page.BEGIN)) != page.BEGIN.encode():
        raise InvalidInput(f"expected a new file or an older page to write, got {shown(str(path))}")


def _curves(study: str, paths: list[str], html: str, picture: str) -> list[DrawnCurve]:
    """The learning curves of options.

    Raises:
        InvalidInput: one cannot be read, or the options do not go together.
    """
    if not (study or paths or picture):
        raise InvalidInput("expected a study of bench --out, or --curves FILE, got neither")
    if paths and not (html or picture):
        raise InvalidInput("expected --html or --picture together with --curves, got it alone")
    if picture and not paths:
        raise InvalidInput(
            "expected --curves FILE together with --picture, which draws learning curves"
        )
    if picture:
        _form(picture)  # refused before anything is read
    drawn = [read_curve(path) for path in paths]
    for curve in drawn:
        if not curve.games:
            raise InvalidInput(f"expected a curve with points, got none in {shown(curve.name)}")
    return drawn


def _form(picture: str) -> Form:
    for form in FORMS:
        if picture.endswith(f".{form}"):
            return form
    raise InvalidInput(
        f"expected --picture with a name that ends in .svg, .pdf or .png, got {shown(picture)}"
    )


def _write(study: Study | None, name: str, path: str, curves: Sequence[DrawnCurve] = ()) -> None:
    if study is None or name == "--html":
        _put(path, [page.html(study, curves).encode()])
    elif name == "--records":
        export_records(study, path)
    elif name == "--parquet":
        export_parquet(study, path)
    else:
        _put(path, [tables.markdown(study).encode()] if name == "--markdown" else csv_parts(study))
    if path != STDOUT:
        print_note(f"wrote {path}")


def _put(path: str, parts: Iterable[bytes]) -> None:
    if path != STDOUT:
        atomic_write(path, parts)
    else:
        print_bytes(parts)
