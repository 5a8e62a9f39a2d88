"""`twofold tables`: endgame tables are built, listed, looked into, asked and removed."""

import contextlib
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Self

import msgspec
import typer

from twofold.cli import same_command
from twofold.cli._documents import Part
from twofold.cli._options import (
    ForceOption,
    JsonOption,
    ThreadsOption,
    argument,
    flag,
    group,
    option,
    standard_input,
)
from twofold.cli._output import (
    catching_interrupt,
    end_interrupted,
    live,
    loading,
    print_note,
    print_out,
    print_words,
    write_json,
)
from twofold.cli._thinking import labelled
from twofold.errors import InvalidInput, InvalidTable, ResourceError
from twofold.figures import bytes_words, clock, counted, format_table, time_words
from twofold.game.board import Board
from twofold.game.notation import shell_line, shown
from twofold.game.rules import Move
from twofold.limits import MAX_TEXT, cores
from twofold.search.analysis import TableDocument, format_chance
from twofold.storage.files import WORK, new_file, remove_file, work_folder
from twofold.tables import library
from twofold.tables.build import BuildPlan, check_room, measured_rate
from twofold.tables.folder import SETS, SUFFIX, USUAL, is_path, tables_folder
from twofold.tables.format import TableHead
from twofold.tables.library import unsound
from twofold.tables.parts import LayerProgress
from twofold.tables.pattern import SHAPES, EndgamePattern
from twofold.tables.work import build_table, existing, held_bytes, remove_table, share_done


def plan_table(plans: list[BuildPlan], done: list[float | None]) -> str:
    """What tables take that are to be built; `done` is the part of each that is there."""

    def row(name: str, some: list[BuildPlan], note: str) -> tuple[str, ...]:
        # Tables with walls store no chance of 0: how many there are is known at the end.
        most = "up to " if any(plan.pattern.walls is not None for plan in some) else ""
        disk, memory = sum(plan.disk for plan in some), max(plan.memory for plan in some)
        boards = _millions(sum(plan.states for plan in some))
        return name, boards, most + bytes_words(disk), bytes_words(memory), note

    rows = [
        row(plan.pattern.name, [plan], "" if part is None else f"continues at {part:.0%}")
        for plan, part in zip(plans, done, strict=True)
    ]
    rows += [row("all", plans, "")] if len(plans) > 1 else []
    return format_table(("table", "boards", "disk", "memory", ""), rows, left=(0, 4))


def _millions(boards: int) -> str:
    return f"{boards / 1e6:,.{0 if boards >= 1e7 else 1}f} M"


def progress_line(name: str, now: LayerProgress) -> str:
    """Progress of a table in a line of text."""
    return (
        f"{name}: {now.share:4.0%}, sum of tiles {now.layer}, "
        f"{now.states / 1e6:,.0f} of {(now.total or 0) / 1e6:,.0f} M boards, "
        f"{now.rate / 1e6:.1f} M/s, {clock(now.remaining)} left"
    )


def list_table(found: list[tuple[Path, TableHead]]) -> str:
    """A line for each table that is built."""
    rows = [
        (
            head.pattern.name,
            f"{1 << head.pattern.target}",
            f"{head.pattern.large_tiles}",
            _millions(head.states),
            bytes_words(path.stat().st_size),
            head.hash,
        )
        for path, head in found
    ]
    header = ("table", "makes", "large tiles", "boards", "disk", "hash")
    return format_table(header, rows, left=(0, 6))


def print_info(path: Path, head: TableHead, *, checked: bool) -> None:
    """What a table is, with a picture of where its large tiles are."""
    pattern = head.pattern
    facts = _kind_words(pattern) | {
        "sums": f"{2 * pattern.lowest} to {2 * pattern.highest} in the free cells",
        "boards": f"{head.states:,}",
        "file": f"{path}, {bytes_words(path.stat().st_size)}",
        "hash": head.hash + (", and all checksums are right" if checked else ""),
    }
    print_out(pattern.name + "\n")
    for row in SHAPES[pattern.shape].picture.split("/"):
        print_out("    " + " ".join(row))
    print_out("    L: a large tile\n")
    for label, text in facts.items():
        for line in labelled(label, text, 80):
            print_out(line.plain)


def _kind_words(pattern: EndgamePattern) -> dict[str, str]:
    """What a table makes, beside which tiles, and how large the others may be."""
    target = 1 << pattern.target
    if pattern.walls is not None:
        caps = pattern.caps_by_cell
        cells = [str(1 << caps[cell]) if cell in caps else "L" for cell in range(16)]
        return {
            "makes": f"{target} beside the walls, ready to merge; lower walls have lower goals",
            "large": f"{pattern.large_tiles} walls of any tiles whose neighbours differ; "
            "they stay in their places",
            "caps": "; ".join(" ".join(cells[row : row + 4]) for row in (0, 4, 8, 12)),
            "asked": f"players follow it from a chance of {format_chance(pattern.least_chance)} on",
        }
    largest = [str(1 << cap) for cap in pattern.caps]
    by_row = f"{', '.join(largest)} in the fourth, third and second row"
    return {
        "makes": f"{target}, in any free cell",
        "large": f"{counted(pattern.large_tiles, 'tile')}, all different, from {target} on",
        "caps": f"{largest[0]} in all rows" if len(set(largest)) == 1 else by_row,
    }


class TableInfo(Part, frozen=True):
    """An endgame table.

    Attributes:
        name: name of the table.
        target: the tile that it makes.
        large_tiles: number of large tiles.
        caps: largest other tile in each row.
        sums: smallest and largest sum of the tiles in the free cells.
        boards: number of boards.
        bytes: size of the file.
        hash: hash of the content.
        file: path of the file.
    """

    name: str
    target: int
    large_tiles: int
    caps: list[int]
    sums: tuple[int, int]
    boards: int
    bytes: int
    hash: str
    file: str

    @classmethod
    def of(cls, source: tuple[Path, TableHead], **given: Any) -> Self:
        """The document of a table in a file."""
        path, head = source
        pattern = head.pattern
        return super().of(
            pattern,
            target=1 << pattern.target,
            caps=[1 << cap for cap in pattern.caps],
            sums=(2 * pattern.lowest, 2 * pattern.highest),
            boards=head.states,
            bytes=path.stat().st_size,
            hash=head.hash,
            file=path,
            **given,
        )


class TablesInfoDocument(TableInfo, frozen=True):
    """An endgame table.

    Attributes:
        checked: true if its checksums were compared and are right.
    """

    checked: bool


class UnfinishedTable(msgspec.Struct, frozen=True):
    """A table whose building was interrupted.

    Attributes:
        name: name of the table.
        done: share that is built, 0 to 1.
    """

    name: str
    done: float


class UnsoundFile(msgspec.Struct, frozen=True):
    """A file that is no sound table.

    Attributes:
        file: path of the file.
        why: what is wrong with it.
    """

    file: str
    why: str


class TablesListDocument(msgspec.Struct, frozen=True):
    """The tables in a folder.

    Attributes:
        folder: the folder.
        tables: the tables that are built, in the order in which players ask them.
        unfinished: tables whose building was interrupted.
        unsound: files that are no sound tables.
    """

    folder: str
    tables: list[TableInfo]
    unfinished: list[UnfinishedTable]
    unsound: list[UnsoundFile]


class QueryAnswer(TableDocument, frozen=True):
    """The answer of an endgame table.

    Attributes:
        best: the first move of the largest probability.
    """

    best: str


class TablesQueryDocument(msgspec.Struct, frozen=True):
    """What endgame tables say of a board.

    Attributes:
        board: the board.
        tables: names of the tables that were asked.
        answer: the answer of the first that knows the board; null if none does.
    """

    board: str
    tables: list[str]
    answer: QueryAnswer | None


def chance_table(board: Board, answer: library.TableAnswer) -> str:
    """The four moves as `analyse` lists them."""
    rows = []
    for move in Move:
        cell = "-" if move in board.legal_moves() else "illegal"
        if (chance := answer.chances.get(move)) is not None:
            cell = format_chance(chance)
        rows.append((move.name.lower(), cell, "best" if move == answer.best else ""))
    return format_table(("move", "chance", ""), rows)


def silence_words(reasons: dict[str, str], *, asks_all: bool) -> str:
    """Why no table speaks: each reason once, with the tables it is of."""
    if not reasons and not asks_all:
        return "no table was asked"
    if not reasons:
        return (
            "no table is built, or none that can be read (twofold tables list). "
            "Build the default set with: twofold tables build default"
        )
    names: dict[str, list[str]] = {}
    for name, why in reasons.items():
        names.setdefault(why, []).append(name)
    lines = [f"{', '.join(some)}: {why}" for why, some in names.items()]
    return "\n".join(["no table speaks of this board:", *lines])


EXAMPLE = """  twofold tables build default
  twofold tables build 442-256 443-512/16-64 --out /data/tables
  twofold tables list
  twofold tables query edcb/a910/2342/3121
  twofold tables remove 442-256"""

_QUERY = """  twofold tables query edcb/a910/2342/3121
  twofold tables query edcb/a910/2342/3121 --tables 442-512"""

app = group(
    "tables",
    "Build, list, inspect, query and remove endgame tables.\n\n"
    "A table has the chance of making its target tile for every board whose large tiles fill "
    "the cells of its pattern. 442-512 has 4, 4 and 2 free cells in three rows, 6 large tiles, "
    "and the target 512. wall5-128 has 5 walls of any tiles in a corner, for the key late of "
    "ntuple.",
    EXAMPLE,
)

FolderOption = Annotated[
    str, option("FOLDER", "Folder of the tables. Default: in the user's data folder.")
]
NameArgument = Annotated[
    str, argument("NAME", "Name of a built table, or a file.", follows="built tables")
]


@app.command("build", epilog="Example:\n\n\b\n  twofold tables build default\n"
             "  twofold tables build 442-256 443-512/16-64 --out /data/tables")  # fmt: skip
def build(
    context: typer.Context,
    names: Annotated[
        list[str],
        argument(
            "NAME", "Tables such as 442-512, or a set: default or large.", follows="new tables"
        ),
    ],
    out: FolderOption = "",
    jobs: ThreadsOption = None,
    force: ForceOption = False,
) -> None:
    """Build tables.

    The disk space and the time that the build takes are printed first. To continue an interrupted
    build, give the same command again. The caps in 443-512/16-64 are the largest tiles in the
    fourth and third row: smaller caps make a smaller table, whose chances are lower bounds.
    """
    with loading():
        threads = jobs or cores()
        wanted = [one for name in names for one in SETS.get(name, (name,))]
        patterns = dict.fromkeys(map(EndgamePattern.parse, wanted))
        plans = list(map(BuildPlan.of, patterns))
        folder = _named_folder(out) or _usual_folder()
        missing = _missing(plans, folder, force=force)
        if missing:
            _announce(missing, folder, threads)
        for plan in missing:
            remove_file(library.path_of(plan.pattern, folder))  # another file, see _missing
    for plan in missing:
        path = library.path_of(plan.pattern, folder)
        line = partial(progress_line, plan.pattern.name)
        with catching_interrupt() as asked, live(line, lambda now: now.states / now.total) as show:
            done = build_table(
                path, plan.pattern, threads=threads, on_progress=show, stop=asked.is_set
            )
        if not done:
            saved = " and saved" if work_folder(path).is_dir() else ""
            end_interrupted(saved, same_command(context))
        head = library.head_of(path)
        print_out(f"{head.pattern.name}  {head.hash}  {path}")


def _named_folder(out: str) -> Path | None:
    """The folder of `--out`, which must be there; None where none is named."""
    if out and not Path(out).is_dir():
        raise InvalidInput(f"expected --out with an existing folder, got {shown(out)}")
    return Path(out) if out else None


def _usual_folder() -> Path:
    """The folder of the user's tables, made if it is not there."""
    folder = tables_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResourceError(f"cannot make {str(folder)!a}: {error.strerror}") from error
    return folder


def _missing(plans: list[BuildPlan], folder: Path, *, force: bool) -> list[BuildPlan]:
    """The plans whose tables are not built, or replace other files; prints the others."""
    missing = []
    for plan in plans:
        path = library.path_of(plan.pattern, folder)
        check = partial(existing, pattern=plan.pattern)
        if new_file(path, force=force, continued=check) or not path.exists():
            missing.append(plan)
        else:
            print_note(f"twofold: {plan.pattern.name} is built already")
    return missing


def _announce(plans: list[BuildPlan], folder: Path, threads: int) -> None:
    """Print what the tables take; refuse if there is no room."""
    paths = [library.path_of(plan.pattern, folder) for plan in plans]
    done = list(map(share_done, paths))
    print_note(plan_table(plans, done))
    check_room(plans, folder, sum(map(held_bytes, paths)))
    left = sum(p.effort * (1 - (part or 0.0)) for p, part in zip(plans, done, strict=True))
    print_note(
        f"about {time_words(left / measured_rate(threads))} with {counted(threads, 'thread')}, "
        f"in {folder}; Ctrl-C saves"
    )


@app.command("list", epilog="Example:\n\n\b\n  twofold tables list --json")
def list_tables(out: FolderOption = "", json: JsonOption = False) -> None:
    """List the tables that are built.

    Players ask them in this order.
    """
    folder = Path(out) if out else tables_folder()
    words, there = ("twofold", "tables", "build"), ["--out", out] if out else []
    found, bad, unfinished = library.built(folder), unsound(folder), _unfinished(folder)
    if json:
        tables = list(map(TableInfo.of, found))
        files = [UnsoundFile(str(path), why) for path, why in bad]
        write_json("tables list", TablesListDocument(str(folder), tables, unfinished, files))
        return
    if found:
        print_out(list_table(found))
    for one in unfinished:
        again = shell_line(*words, one.name, *there)
        print_words(f"{one.name}: {one.done:.0%} built; continue with: {again}")
    for path, why in bad:
        print_words(f"{path.name}: {why}", 2)
    if not (found or unfinished or bad):
        print_words(f"no table is built in {folder}. Build the default set with:")
        print_out(f"  {shell_line(*words, USUAL, *there)}")


def _unfinished(folder: Path) -> list[UnfinishedTable]:
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}{WORK}")):
        table = path.with_name(path.name.removesuffix(WORK))
        with contextlib.suppress(InvalidTable):
            name = EndgamePattern.parse(table.name.removesuffix(SUFFIX)).name
            found.append(UnfinishedTable(name, share_done(table) or 0.0))
    return found


@app.command("info", epilog="Example:\n\n\b\n  twofold tables info 442-512 --check")
def info(
    name: NameArgument,
    check: Annotated[bool, flag("--check", "Read the whole table and compare checksums.")] = False,
    json: JsonOption = False,
) -> None:
    """Show what a table is."""
    path = library.find(name)
    head = library.head_of(path)
    if path != library.place_of(head.pattern.name, path.parent):
        print_note(f"twofold: {path.name} holds the table {head.pattern.name}")
    if check:
        with loading():
            library.open_table(str(path)).check()
    if json:
        write_json("tables info", TablesInfoDocument.of((path, head), checked=check))
        return
    print_info(path, head, checked=check)


@app.command("query", epilog=f"Example:\n\n\b\n{_QUERY}")
def query(
    board: Annotated[str, argument("BOARD", "A 4x4 board; - reads standard input.")],
    tables: Annotated[
        str | None,
        option("NAMES", "Tables to ask, such as 442-512+443-512. Default: all.", follows="tables"),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show the chance of the target after each move."""
    if board.strip() == "-":
        board = standard_input("board, row by row").read(MAX_TEXT + 1).decode(errors="replace")
    asked = Board.parse(board)
    with loading():
        every = [str(path) for path, _ in library.built()]
        opened = library.open_tables(every if tables is None else tables)
        answer = opened.answer(asked)
    if json:
        said = None if answer is None else QueryAnswer.of(answer, best=answer.best.name.lower())
        document = TablesQueryDocument(str(asked), list(opened.names), said)
        write_json("tables query", document)
        return
    print_out(asked.drawn() + "\n")
    if answer is None:
        print_words(silence_words(opened.silences(asked), asks_all=tables is None), 2)
        return
    print_out(f"{answer.table}: chance to make {answer.target}\n")
    print_out(chance_table(asked, answer))


@app.command("remove", epilog="Example:\n\n\b\n  twofold tables remove 442-256\n"
             "  twofold tables remove 442-256 --out /data/tables")  # fmt: skip
def remove(
    names: Annotated[list[str], argument("NAME", "Tables to remove.", follows="built tables")],
    out: FolderOption = "",
) -> None:
    """Remove tables, built or unfinished."""
    folder = _named_folder(out)
    for path in [_place(name, folder) for name in names]:
        if not path.is_file() and share_done(path) is None:
            raise InvalidTable(f"expected a table that is built, got none in {str(path)!a}")
        freed = remove_table(path)
        print_note(f"twofold: removed {path}, {bytes_words(freed) if freed else 'unfinished'}")


def _place(name: str, folder: Path | None) -> Path:
    """Where a table is that is to be removed; a file named by its path must be a table."""
    path = library.place_of(name, folder)
    if is_path(name):
        if folder is not None:
            raise InvalidTable(f"expected the name of a table beside --out, got {shown(name)}")
        if path.is_file():
            library.head_of(path)
    return path
