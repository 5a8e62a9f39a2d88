"""`twofold report`: what a study says, as a page, as tables, as data."""

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from twofold.cli._common import counted, print_note, print_out, waiting

if TYPE_CHECKING:
    from twofold.arena.study import Study

EXAMPLE = """  twofold report study.db --html report.html
  twofold report study.db --format tdl
  twofold report study.db --csv games.csv --parquet games.parquet
  twofold report study.db --records games.jsonl
  twofold report copy.db --import games.csv
  twofold report study.db --markdown -
  twofold report late.db --write-boards folder"""


STDOUT: Final = "-"
"""In the place of a file: the output."""

_PRINTED: Final = ("--html", "--markdown", "--csv")
"""Options whose files are text that can be printed."""


def command(
    study: Annotated[
        str, typer.Argument(metavar="STUDY", help="Study of bench --out.", show_default=False)
    ],
    html: Annotated[
        str, typer.Option("--html", metavar="OUT", help="Page with tables and plots.")
    ] = "",
    markdown: Annotated[
        str, typer.Option("--markdown", metavar="OUT", help="Tables as GitHub Markdown; - prints.")
    ] = "",
    form: Annotated[
        str, typer.Option("--format", metavar="F", help="tdl: print tables like TDL2048+'s.")
    ] = "",
    csv: Annotated[
        str, typer.Option("--csv", metavar="OUT", help="All games as CSV; - prints.")
    ] = "",
    parquet: Annotated[
        str, typer.Option("--parquet", metavar="OUT", help="All games as Parquet.")
    ] = "",
    records: Annotated[
        str,
        typer.Option("--records", metavar="OUT", help="Records of bench --records, a line each."),
    ] = "",
    games: Annotated[
        str, typer.Option("--import", metavar="FILE", help="First keep the games of such a file.")
    ] = "",
    boards: Annotated[
        list[str] | None,
        typer.Option(
            "--boards", metavar="FILE", help="Beside --import: boards that its games begin on."
        ),
    ] = None,
    write_boards: Annotated[
        str,
        typer.Option(
            "--write-boards", metavar="FOLDER", help="The boards that games begin on, as text."
        ),
    ] = "",
) -> None:
    """Report a study: a page, tables, or its games as data.

    The page needs no network and no scripts. With --import the games of a CSV or Parquet file
    are added to the study, which is made where there is none: all of them, or none. Such a file
    names start boards by their hash alone: --boards brings them to a study without them. The file
    - is the output, for --html, --markdown and --csv.
    """
    outputs = {"--html": html, "--markdown": markdown, "--csv": csv, "--parquet": parquet}
    outputs |= {"--records": records}
    written = {option: path for option, path in outputs.items() if path}
    _check_request(study, written, form, games, write_boards)
    if boards and not games:
        from twofold.errors import InvalidInput

        raise InvalidInput("expected --boards together with --import FILE, got it alone")
    if games:
        _import(study, games, boards or [])
    if not (written or form or write_boards):
        return
    from twofold.arena.study import Study

    with Study(study, read_only=True) as opened, waiting("reading the study ..."):
        for option, path in written.items():
            _write(opened, option, path)
        if write_boards:
            _write_boards(opened, write_boards)
        if form:
            from twofold.arena.report import tdl_table

            print_out(tdl_table(opened))


def _check_request(
    study: str, written: dict[str, str], form: str, games: str, write_boards: str
) -> None:
    import os

    from twofold.errors import InvalidInput
    from twofold.notation import shown

    if form not in ("", "tdl"):
        raise InvalidInput(f"expected --format tdl, got {shown(form)}")
    if not (written or form or games or write_boards):
        raise InvalidInput(
            "expected one of --html, --markdown, --format, --csv, --parquet, --records, "
            "--write-boards and --import"
        )
    for option, path in written.items():
        if path == STDOUT and option not in _PRINTED:
            raise InvalidInput(f"expected {option} with a file, got {STDOUT}")
    paths = [os.path.realpath(path) for path in (study, games, *written.values()) if path]
    if len(set(paths)) < len(paths):
        raise InvalidInput("expected a file of its own for each output, got one named twice")


def _import(study: str, path: str, boards: list[str]) -> None:
    from twofold.arena.exchange import keep, read_games
    from twofold.arena.study import Study

    with waiting("reading the games ..."):
        runs = read_games(path)  # before a study is made for them
        with Study(study) as opened:
            new = keep(opened, runs, boards)
    total = sum(len(run.seeds) for run in runs)
    print_note(f"{counted(new, 'new game')} of {total:,} in {path}")


def _write(study: "Study", option: str, path: str) -> None:
    from twofold.arena.exchange import csv_parts, export_parquet, export_records
    from twofold.arena.report import html, markdown
    from twofold.files import atomic_write

    if option == "--records":
        export_records(study, path)
    elif option == "--parquet":
        export_parquet(study, path)
    else:
        texts = {"--html": html, "--markdown": markdown}
        parts = [texts[option](study).encode()] if option in texts else csv_parts(study)
        if path == STDOUT:
            sys.stdout.flush()
            sys.stdout.buffer.writelines(parts)  # bytes: not every terminal has all characters
            return
        atomic_write(path, parts)
    print_note(f"wrote {path}")


def _write_boards(study: "Study", folder: str) -> None:
    from twofold.arena.exchange import export_boards

    for path in export_boards(study, folder):
        print_note(f"wrote {path}")
