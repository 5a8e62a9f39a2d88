"""`twofold report`: what a study says, as a page, as tables, as data."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from twofold.arena import page, tables
from twofold.arena.export import csv_parts, export_boards, export_parquet, export_records
from twofold.arena.plots import (
    FORMS,
    KINDS,
    Drawing,
    DrawnCurve,
    Form,
    learning_curves,
    read_points,
    study_figure,
)
from twofold.arena.report import Section, gather, relabelled
from twofold.arena.study import Study
from twofold.cli._options import ForceOption, argument, option
from twofold.cli._output import print_bytes, print_note, print_out, waiting
from twofold.errors import InvalidInput
from twofold.game.notation import did_you_mean, shown
from twofold.storage.files import atomic_write, new_file, read_start

EXAMPLE = """  twofold report study.db
  twofold report study.db --html report.html
  twofold report study.db --csv games.csv --parquet games.parquet
  twofold report study.db --records games.jsonl
  twofold report study.db --markdown -
  twofold report late.db --write-boards folder
  twofold report study.db --picture reach.pdf
  twofold report study.db --plot strength --picture strength.pdf
  twofold report study.db --latex tables.tex --label greedy=Greedy
  twofold report --curves a.runs.csv --curves b.runs.csv --picture curves.pdf
  twofold report --curves net.csv --axis moves --tile 2048 --picture reach.svg"""


MAX_CURVES: Final = 20
"""Most curves of a picture: more cannot be told apart."""

BESIDE: Final = ("-journal", "-wal", "-shm")
"""Ends of the names of files that SQLite keeps beside a database."""

STDOUT: Final = "-"
"""In the place of a file: the output."""

_PRINTED: Final = ("--html", "--markdown", "--latex", "--csv")
"""Options whose files are text that can be printed."""


def command(
    study: Annotated[str, argument("STUDY", "Study written by bench --out.")] = "",
    html: Annotated[str, option("OUT", "Write a page with tables and plots.")] = "",
    markdown: Annotated[
        str, option("OUT", "Write the tables as GitHub Markdown; - prints them.")
    ] = "",
    latex: Annotated[
        str, option("OUT", "Write the tables for LaTeX with booktabs; - prints them.")
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
    picture: Annotated[
        str, option("OUT", "Draw a plot of the study, or the curves, as .svg, .pdf or .png.")
    ] = "",
    plot: Annotated[
        str, option("KIND", f"Plot of a study for --picture: {', '.join(KINDS)}. Default: reach.")
    ] = "",
    axis: Annotated[
        Literal["games", "moves", "seconds"], option("AXIS", "What --curves are drawn over.")
    ] = "games",
    tile: Annotated[
        int, option("TILE", "Draw how often --curves reach this tile, in place of scores.")
    ] = 0,
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
    For --html, --markdown, --latex and --csv the file - is standard output. --html replaces an
    older page.
    """
    outputs = {"--html": html, "--markdown": markdown, "--latex": latex, "--csv": csv}
    outputs |= {"--parquet": parquet, "--records": records}
    written = {name: path for name, path in outputs.items() if path}
    _check_request(study, written | {"--picture": picture}, write_boards)
    _check_files(written | {"--picture": picture}, [study, *(curves or [])], force=force)
    drawn = _curves(study, curves or [], html, picture, axis, tile)
    kind = _kind(study, plot, picture, drawn)
    labels = _label_pairs(study, label or [])
    if not study:
        if picture:
            _draw(picture, learning_curves(drawn))
        if html:
            _put(html, [page.html([], drawn).encode()])
        return
    with Study(study, read_only=True) as opened, waiting("reading the study ..."):
        is_shown = kind or html or markdown or latex or not (written or write_boards or picture)
        sections = relabelled(gather(opened), labels) if is_shown else []
        if picture:
            found = study_figure(sections, kind) if kind else learning_curves(drawn)
            _draw(picture, found)
        for name, path in written.items():
            _write(opened, sections, name, path, drawn)
        for folder in filter(None, [write_boards]):
            for file in export_boards(opened, folder, force=force):
                print_note(f"wrote {file}")
        if not (written or write_boards or picture):
            print_out(tables.plain(sections))


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
    if beside := {f"{os.path.realpath(inputs[0])}{end}" for end in BESIDE} & set(paths):
        raise InvalidInput(f"expected another file, got {shown(beside.pop())}, part of the study")
    if len(set(paths)) < len(paths):
        raise InvalidInput("expected a file of its own for each output, got one named twice")


def _check_page(path: Path) -> None:
    if read_start(path, len(page.BEGIN)) != page.BEGIN.encode():
        raise InvalidInput(f"expected a new file or an older page to write, got {shown(str(path))}")


def _curves(
    study: str, paths: list[str], html: str, picture: str, axis: str, tile: int
) -> list[DrawnCurve]:
    """The learning curves of options.

    Raises:
        InvalidInput: one cannot be read, or the options do not go together.
    """
    if not (study or paths or picture):
        raise InvalidInput("expected a study of bench --out, or --curves FILE, got neither")
    if paths and not (html or picture):
        raise InvalidInput("expected --html or --picture together with --curves, got it alone")
    if picture:
        _form(picture)  # refused before anything is read
    if (axis != "games" or tile) and (html or not paths):
        raise InvalidInput("expected --curves and --picture together with --axis and --tile")
    if len(paths) > MAX_CURVES:
        raise InvalidInput(f"expected at most {MAX_CURVES} curves in a picture, got {len(paths)}")
    return [read_points(path, axis=axis, tile=tile) for path in paths]


def _kind(study: str, plot: str, picture: str, drawn: Sequence[DrawnCurve]) -> str:
    """The kind of the study's plot in the picture; empty if it shows curves, or there is none."""
    if plot and plot not in KINDS:
        raise InvalidInput(
            f"expected a plot ({', '.join(KINDS)}), got {shown(plot)}{did_you_mean(plot, KINDS)}"
        )
    if plot and (not (study and picture) or drawn):
        raise InvalidInput("expected a study and --picture FILE together with --plot, no curves")
    if picture and not (study or drawn):
        raise InvalidInput("expected a study or --curves FILE together with --picture, got neither")
    return (plot or "reach") if picture and not drawn else ""


def _label_pairs(study: str, pairs: Sequence[str]) -> dict[str, str]:
    """New names by the name in the table; a spec may contain `=`, a new name may not."""
    found = {}
    for pair in pairs:
        player, _, name = pair.rpartition("=")
        if not (study and player and name.strip()):
            raise InvalidInput(f"expected a study, and PLAYER=NAME, got {shown(pair)}")
        if player in found:
            raise InvalidInput(f"expected one name for a player, got two for {shown(player)}")
        found[player] = name
    return found


def _draw(picture: str, found: Drawing) -> None:
    atomic_write(picture, [found.file(_form(picture))])
    print_note(f"wrote {picture}")


def _form(picture: str) -> Form:
    for form in FORMS:
        if picture.endswith(f".{form}"):
            return form
    raise InvalidInput(
        f"expected --picture with a name that ends in .svg, .pdf or .png, got {shown(picture)}"
    )


def _write(
    study: Study, sections: Sequence[Section], name: str, path: str, curves: Sequence[DrawnCurve]
) -> None:
    if name in ("--records", "--parquet"):
        (export_records if name == "--records" else export_parquet)(study, path)
        print_note(f"wrote {path}")
    elif name == "--csv":
        _put(path, csv_parts(study))
    elif name == "--html":
        _put(path, [page.html(sections, curves).encode()])
    else:
        text = tables.latex if name == "--latex" else tables.markdown
        _put(path, [text(sections).encode()])


def _put(path: str, parts: Iterable[bytes]) -> None:
    if path == STDOUT:
        print_bytes(parts)
    else:
        atomic_write(path, parts)
        print_note(f"wrote {path}")
