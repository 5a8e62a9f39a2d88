"""`twofold report`: what a study says, as a page, as tables, as data."""

from typing import TYPE_CHECKING, Annotated

import typer

from twofold.cli._common import counted, print_note, print_out, waiting

if TYPE_CHECKING:
    from twofold.arena.study import Study

EXAMPLE = """  twofold report study.db --html report.html
  twofold report study.db --format tdl
  twofold report study.db --csv games.csv --parquet games.parquet
  twofold report study.db --records games.jsonl
  twofold report copy.db --import games.csv"""


def command(
    study: Annotated[
        str, typer.Argument(metavar="STUDY", help="Study of bench --out.", show_default=False)
    ],
    html: Annotated[
        str, typer.Option("--html", metavar="OUT", help="Page with tables and plots.")
    ] = "",
    markdown: Annotated[
        str, typer.Option("--markdown", metavar="OUT", help="Tables as GitHub Markdown.")
    ] = "",
    form: Annotated[
        str, typer.Option("--format", metavar="F", help="tdl: print tables like TDL2048+'s.")
    ] = "",
    csv: Annotated[str, typer.Option("--csv", metavar="OUT", help="All games as CSV.")] = "",
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
) -> None:
    """Report a study: a page, tables, or its games as data.

    The page needs no network and no scripts. With --import the games of a CSV or Parquet file
    are added to the study, which is made where there is none: all of them, or none.
    """
    outputs = {"--html": html, "--markdown": markdown, "--csv": csv, "--parquet": parquet}
    outputs |= {"--records": records}
    written = {option: path for option, path in outputs.items() if path}
    _check_request(study, written, form, games)
    if games:
        _import(study, games)
    if not (written or form):
        return
    from twofold.arena.study import Study

    with Study(study, read_only=True) as opened, waiting("reading the study ..."):
        for option, path in written.items():
            _write(opened, option, path)
        if form:
            from twofold.arena.report import tdl_table

            print_out(tdl_table(opened))


def _check_request(study: str, written: dict[str, str], form: str, games: str) -> None:
    import os

    from twofold.errors import InvalidInput
    from twofold.notation import shown

    if form not in ("", "tdl"):
        raise InvalidInput(f"expected --format tdl, got {shown(form)}")
    if not (written or form or games):
        raise InvalidInput(
            "expected one of --html, --markdown, --format, --csv, --parquet, --records and --import"
        )
    paths = [os.path.realpath(path) for path in (study, games, *written.values()) if path]
    if len(set(paths)) < len(paths):
        raise InvalidInput("expected a file of its own for each output, got one named twice")


def _import(study: str, path: str) -> None:
    from twofold.arena.exchange import keep, read_games
    from twofold.arena.study import Study

    with waiting("reading the games ..."):
        runs = read_games(path)  # before a study is made for them
        with Study(study) as opened:
            new = keep(opened, runs)
    total = sum(len(run.seeds) for run in runs)
    print_note(f"{counted(new, 'new game')} of {total:,} in {path}")


def _write(study: "Study", option: str, path: str) -> None:
    from twofold.arena.exchange import export_csv, export_parquet, export_records
    from twofold.arena.report import markdown, write_html
    from twofold.files import atomic_write

    if option == "--html":
        write_html(study, path)
    elif option == "--markdown":
        atomic_write(path, markdown(study))
    elif option == "--csv":
        export_csv(study, path)
    elif option == "--records":
        export_records(study, path)
    else:
        export_parquet(study, path)
    print_note(f"wrote {path}")
