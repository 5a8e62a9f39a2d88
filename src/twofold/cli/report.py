"""`twofold report`: what a study says, as a page, as tables, as data."""

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from twofold.cli._output import print_note, print_out
from twofold.cli._progress import waiting
from twofold.figures import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from twofold.arena.reports.drawings import Form
    from twofold.arena.reports.joint_curve import DrawnCurve
    from twofold.arena.studies.study import Study

EXAMPLE = """  twofold report study.db
  twofold report study.db --html report.html
  twofold report study.db --format tdl
  twofold report study.db --csv games.csv --parquet games.parquet
  twofold report study.db --records games.jsonl
  twofold report copy.db --import games.csv
  twofold report study.db --markdown -
  twofold report late.db --write-boards folder
  twofold report --curves a.runs.csv --curves b.runs.csv --picture curves.pdf"""


STDOUT: Final = "-"
"""In the place of a file: the output."""

_PRINTED: Final = ("--html", "--markdown", "--csv")
"""Options whose files are text that can be printed."""


def command(
    study: Annotated[
        str,
        typer.Argument(metavar="STUDY", help="Study written by bench --out.", show_default=False),
    ] = "",
    html: Annotated[
        str, typer.Option("--html", metavar="OUT", help="Write a page with tables and plots.")
    ] = "",
    markdown: Annotated[
        str,
        typer.Option(
            "--markdown", metavar="OUT", help="Write the tables as GitHub Markdown; - prints them."
        ),
    ] = "",
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="F",
            help="Format of the printed tables: tdl, as TDL2048+ prints them. Default: ours.",
        ),
    ] = "",
    csv: Annotated[
        str, typer.Option("--csv", metavar="OUT", help="Write all games as CSV; - prints them.")
    ] = "",
    parquet: Annotated[
        str, typer.Option("--parquet", metavar="OUT", help="Write all games as Parquet.")
    ] = "",
    records: Annotated[
        str,
        typer.Option(
            "--records", metavar="OUT", help="Write the records of bench --records, one per line."
        ),
    ] = "",
    games: Annotated[
        str,
        typer.Option(
            "--import",
            metavar="FILE",
            help="Add the games of a CSV or Parquet file to the study first.",
        ),
    ] = "",
    boards: Annotated[
        list[str] | None,
        typer.Option(
            "--boards", metavar="FILE", help="With --import: the boards its games start from."
        ),
    ] = None,
    curves: Annotated[
        list[str] | None,
        typer.Option(
            "--curves",
            metavar="FILE",
            help="Learning curve of train, for --html or --picture; may be repeated.",
        ),
    ] = None,
    picture: Annotated[
        str, typer.Option("--picture", metavar="OUT", help="Draw the curves as .svg, .pdf or .png.")
    ] = "",
    write_boards: Annotated[
        str,
        typer.Option(
            "--write-boards",
            metavar="FOLDER",
            help="Write the boards that games start from as text.",
        ),
    ] = "",
) -> None:
    """Show a study as a table, page or data; draw learning curves.

    Without options it prints the table of bench. The page works offline and without scripts.
    --import adds the games of a CSV or Parquet file to the study, all or none; the study is
    created if there is none. Such a file holds only the hashes of start boards: name the boards
    with --boards. For --html, --markdown and --csv the file - is standard output.
    """
    outputs = {"--html": html, "--markdown": markdown, "--csv": csv, "--parquet": parquet}
    outputs |= {"--records": records}
    written = {option: path for option, path in outputs.items() if path}
    _check_request(study, written | {"--picture": picture}, form, games, write_boards)
    drawn = _curves(study, curves or [], html, picture)
    if picture:
        _write_picture(drawn, picture)
    if not study:
        for option, path in written.items():
            _write(None, option, path, drawn)
        return
    if boards and not games:
        from twofold.errors import InvalidInput

        raise InvalidInput("expected --boards together with --import FILE, got it alone")
    if games:
        _import(study, games, boards or [])
    printed = not (written or form or write_boards or games)
    if games and not (written or form or write_boards):
        return
    from twofold.arena.studies.study import Study

    with Study(study, read_only=True) as opened, waiting("reading the study ..."):
        for option, path in written.items():
            _write(opened, option, path, drawn)
        if write_boards:
            _write_boards(opened, write_boards)
        if form or printed:
            from twofold.arena.reports.text import plain, tdl_table
            from twofold.notation import printable

            text = tdl_table(opened) if form else plain(opened)
            print_out("\n".join(map(printable, text.split("\n"))))


def _check_request(
    study: str, asked: dict[str, str], form: str, games: str, write_boards: str
) -> None:
    import os

    from twofold.errors import InvalidInput
    from twofold.files import replaceable
    from twofold.notation import shown

    if form not in ("", "tdl"):
        raise InvalidInput(f"expected --format tdl, got {shown(form)}")
    written = {option: path for option, path in asked.items() if path}
    alone = set(written) <= {"--html", "--picture"} and not (form or games or write_boards)
    if not study and not alone:
        raise InvalidInput("expected a study of bench --out for these options, got none")
    for option, path in written.items():
        if path != STDOUT:
            replaceable(path, _begin_of(option))
        elif option not in _PRINTED:
            raise InvalidInput(f"expected {option} with a file, got {STDOUT}")
    paths = [os.path.realpath(path) for path in (study, games, *written.values()) if path]
    if len(set(paths)) < len(paths):
        raise InvalidInput("expected a file of its own for each output, got one named twice")


def _begin_of(option: str) -> str:
    """The beginning of the only files that the output of an option may replace."""
    if option != "--html":
        return ""
    from twofold.arena.reports.page import BEGIN

    return BEGIN


def _import(study: str, path: str, boards: list[str]) -> None:
    from twofold.arena.exchange.exchange import keep, read_games
    from twofold.arena.studies.study import Study

    with waiting("reading the games ..."):
        runs = read_games(path)  # before a study is made for them
        with Study(study) as opened:
            new = keep(opened, runs, boards)
    total = sum(len(run.games) for run in runs)
    print_note(f"{counted(new, 'new game')} of {total:,} in {path}")


def _curves(study: str, paths: list[str], html: str, picture: str) -> "list[DrawnCurve]":
    """The learning curves of options.

    Raises:
        InvalidInput: one cannot be read, or the options do not go together.
    """
    from twofold.arena.reports.joint_curve import read_curve
    from twofold.errors import InvalidInput
    from twofold.notation import shown

    if not (study or paths or picture):
        raise InvalidInput("expected a study of bench --out, or --curves FILE, got neither")
    if paths and not (html or picture):
        raise InvalidInput("expected --html or --picture together with --curves, got it alone")
    if picture and not paths:
        raise InvalidInput("expected --curves FILE together with --picture, got it alone")
    if picture:
        _form(picture)  # refused before anything is read
    drawn = [read_curve(path) for path in paths]
    for curve in drawn:
        if not curve.games:
            raise InvalidInput(f"expected a curve with points, got none in {shown(curve.name)}")
    return drawn


def _form(picture: str) -> "Form":
    from twofold.arena.reports.drawings import FORMS
    from twofold.errors import InvalidInput
    from twofold.notation import shown

    for form in FORMS:
        if picture.endswith(f".{form}"):
            return form
    raise InvalidInput(
        f"expected --picture with a name that ends in .svg, .pdf or .png, got {shown(picture)}"
    )


def _write_picture(curves: "list[DrawnCurve]", path: str) -> None:
    from twofold.arena.reports.plots import learning_curves
    from twofold.files import atomic_write

    atomic_write(path, [learning_curves(curves, legend=True).file(_form(path))])
    print_note(f"wrote {path}")


def _write(
    study: "Study | None", option: str, path: str, curves: "Sequence[DrawnCurve]" = ()
) -> None:
    from twofold.arena.exchange.exchange import csv_parts, export_parquet, export_records
    from twofold.arena.reports.page import html
    from twofold.arena.reports.text import markdown

    if study is None or option == "--html":
        _put(path, [html(study, curves).encode()])
    elif option == "--records":
        export_records(study, path)
    elif option == "--parquet":
        export_parquet(study, path)
    else:
        _put(path, [markdown(study).encode()] if option == "--markdown" else csv_parts(study))
    if path != STDOUT:
        print_note(f"wrote {path}")


def _put(path: str, parts: "Iterable[bytes]") -> None:
    from twofold.files import atomic_write

    if path != STDOUT:
        atomic_write(path, parts)
        return
    sys.stdout.flush()
    sys.stdout.buffer.writelines(parts)  # bytes: not every terminal has all characters


def _write_boards(study: "Study", folder: str) -> None:
    from twofold.arena.exchange.exchange import export_boards

    for path in export_boards(study, folder):
        print_note(f"wrote {path}")
