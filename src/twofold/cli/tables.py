"""`twofold tables`: endgame tables are built, listed, looked into, asked and removed."""

import contextlib
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from twofold.cli._common import (
    INTERRUPTED,
    JsonOption,
    catching_interrupt,
    cores,
    counted,
    loading,
    print_note,
    print_out,
    print_words,
    read_count,
    write_json,
)
from twofold.cli._progress import clock, live

if TYPE_CHECKING:
    from twofold.board import Board
    from twofold.endgame.format import Head
    from twofold.endgame.pattern import Pattern
    from twofold.endgame.plan import Plan
    from twofold.endgame.table import Answer

EXAMPLE = """  twofold tables build default
  twofold tables build 442-256 443-512/16-64 --out /data/tables
  twofold tables list
  twofold tables query edcb/a910/2342/3121
  twofold tables remove 442-256"""

_BITS: Final = 16
"""Bits of a chance where none are named."""

_QUERY = """  twofold tables query edcb/a910/2342/3121
  twofold tables query edcb/a910/2342/3121 --tables 442-512"""

app = typer.Typer(
    help="Endgame tables: build, list, look into, ask and remove them.\n\n"
    "A table knows the chance to make its target tile for every board whose large tiles fill "
    "the cells of its pattern. 442-512: 4, 4 and 2 free cells in three rows, 6 large tiles, and "
    "the tile 512 is to be made. free8-64: 8 free cells, and the large tiles may move.",
    epilog=f"Example:\n\n\b\n{EXAMPLE}",
    rich_markup_mode=None,
    no_args_is_help=True,
)

NameArgument = Annotated[
    str,
    typer.Argument(metavar="NAME", help="A table that is built, or a file.", show_default=False),
]


@app.command("build", epilog="Example:\n\n\b\n  twofold tables build default\n"
             "  twofold tables build 442-256 443-512/16-64 --out /data/tables")  # fmt: skip
def build(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Such as 442-512; or default.", show_default=False),
    ],
    out: Annotated[
        str, typer.Option("--out", metavar="FOLDER", help="Else the user's data folder.")
    ] = "",
    bits: Annotated[
        int, typer.Option("--bits", metavar="N", help="Bits of a chance, 16 or 8.")
    ] = _BITS,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", parser=read_count, metavar="J", help="Threads; else cores."),
    ] = None,
) -> None:
    """Build tables.

    Says first what they take. A build that was interrupted or killed goes on when the same
    command is given again. The caps in 443-512/16-64 are the largest tiles in the fourth and
    third row: smaller caps make a smaller table, whose chances are lower bounds.
    """
    with loading():
        from twofold.endgame.work import build_table
        from twofold.limits import MAX_JOBS, check_limit

        threads = check_limit("--jobs", cores() if jobs is None else jobs, 1, MAX_JOBS)
        plans = _plans(names, bits)
        folder = _folder(out)
        missing = _missing(plans, folder)
        if missing:
            _announce(missing, folder, threads)
    for plan in missing:
        path = _path(plan, folder)
        with catching_interrupt() as asked, live(_line_of(plan)) as show:
            done = build_table(
                path, plan.pattern, plan.bits, threads=threads, on_progress=show, stop=asked.is_set
            )
        if not done:
            again = _build_command(*names, out=out, bits=bits, jobs=jobs)
            print_note(f"twofold: interrupted; saved, and the same command goes on:\n  {again}")
            raise typer.Exit(INTERRUPTED)
        _print_built(path)


def _plans(names: list[str], bits: int) -> list["Plan"]:
    from twofold.endgame.library import DEFAULT
    from twofold.endgame.pattern import Pattern
    from twofold.endgame.plan import Plan
    from twofold.endgame.scale import check_bits

    wanted = [one for name in names for one in (DEFAULT if name == "default" else (name,))]
    patterns = dict.fromkeys(Pattern.parse(name) for name in wanted)
    return [Plan.of(pattern, check_bits(bits)) for pattern in patterns]


def _build_command(*names: str, out: str, bits: int = _BITS, jobs: int | None = None) -> str:
    """The command that builds tables, or goes on with them."""
    words = ["twofold", "tables", "build", *names]
    words += ["--out", out] if out else []
    words += ["--bits", str(bits)] if bits != _BITS else []
    words += ["--jobs", str(jobs)] if jobs is not None else []
    return shlex.join(words)


def _named_folder(out: str) -> Path | None:
    """The folder of `--out`, which must be there; None where none is named."""
    from twofold.errors import InvalidInput
    from twofold.notation import shown

    if out and not Path(out).is_dir():
        raise InvalidInput(f"expected --out with an existing folder, got {shown(out)}")
    return Path(out) if out else None


def _folder(out: str) -> Path:
    """Where the tables are going to be."""
    from twofold.endgame.folder import tables_folder
    from twofold.errors import ResourceError

    if (named := _named_folder(out)) is not None:
        return named
    folder = tables_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResourceError(f"cannot make {str(folder)!a}: {error.strerror}") from error
    return folder


def _path(plan: "Plan", folder: Path) -> Path:
    from twofold.endgame.library import path_of

    return path_of(plan.pattern, folder)


def _missing(plans: list["Plan"], folder: Path) -> list["Plan"]:
    """Those that are not built; says which are."""
    from twofold.endgame.work import existing

    missing = []
    for plan in plans:
        if existing(_path(plan, folder), plan.pattern, plan.bits) is None:
            missing.append(plan)
        else:
            print_note(f"twofold: {plan.pattern.name} is built already")
    return missing


def _announce(plans: list["Plan"], folder: Path, threads: int) -> None:
    """Say what the tables take, and refuse what there is no room for."""
    from twofold.endgame.plan import check_room, measured_rate
    from twofold.endgame.work import held_bytes, share_done

    done = [share_done(_path(plan, folder)) for plan in plans]
    held = sum(held_bytes(_path(plan, folder)) for plan in plans)
    print_note(_plan_table(plans, done))
    check_room(plans, folder, held)
    rate = measured_rate(threads)
    left = sum(p.effort * (1 - (part or 0.0)) for p, part in zip(plans, done, strict=True))
    print_note(
        f"about {_time_words(left / rate)} with {counted(threads, 'thread')}, in {folder}; "
        "Ctrl-C saves"
    )


def _plan_table(plans: list["Plan"], done: list[float | None]) -> str:
    from twofold.arena.table import format_table
    from twofold.evaluators.memory import bytes_words

    rows = [
        (
            plan.pattern.name,
            f"{plan.states / 1e6:,.0f} M",
            bytes_words(plan.disk),
            bytes_words(plan.memory),
            "" if part is None else f"goes on at {part:.0%}",
        )
        for plan, part in zip(plans, done, strict=True)
    ]
    if len(plans) > 1:
        total = sum(plan.states for plan in plans), sum(plan.disk for plan in plans)
        most = max(plan.memory for plan in plans)
        rows.append(
            ("all", f"{total[0] / 1e6:,.0f} M", bytes_words(total[1]), bytes_words(most), "")
        )
    return format_table(("table", "boards", "disk", "memory", ""), rows, left=(0, 4))


def _line_of(plan: "Plan") -> Any:
    """Puts progress into a line of text."""
    from twofold.endgame.work import Progress

    def line(now: Progress) -> str:
        return (
            f"{plan.pattern.name}: {now.states / now.total:4.0%}, sum of tiles {now.layer}, "
            f"{now.states / 1e6:,.0f} of {now.total / 1e6:,.0f} M boards, "
            f"{now.rate / 1e6:.1f} M/s, {clock(now.remaining)} left"
        )

    return line


def _time_words(seconds: float) -> str:
    if seconds < 100:
        return counted(max(round(seconds), 1), "second")
    return f"{seconds / 60:.0f} minutes" if seconds < 6000 else f"{seconds / 3600:.0f} hours"


def _print_built(path: Path) -> None:
    from twofold.endgame.library import head_of

    head = head_of(path)
    print_out(f"{head.pattern.name}  {head.hash}  {path}")


@app.command("list", epilog="Example:\n\n\b\n  twofold tables list --json")
def list_tables(
    out: Annotated[
        str, typer.Option("--out", metavar="FOLDER", help="Else the user's data folder.")
    ] = "",
    json: JsonOption = False,
) -> None:
    """List the tables that are built.

    In the order in which players ask them.
    """
    from twofold.endgame.folder import tables_folder
    from twofold.endgame.library import LEAST_TARGET, built, unsound

    folder = Path(out) if out else tables_folder()
    found, bad, unfinished = built(folder), unsound(folder), _unfinished(folder)
    if json:
        body = {
            "folder": str(folder),
            "tables": [_document(path, head) for path, head in found],
            "unfinished": [{"table": one.name, "done": one.done} for one in unfinished],
            "unsound": [{"file": str(path), "why": why} for path, why in bad],
        }
        write_json("tables list", body)
        return
    if found:
        print_out(_list_table(found))
    for one in unfinished:
        again = _build_command(one.name, out=out, bits=one.bits)
        print_words(f"{one.name}: {one.done:.0%} built; go on with: {again}")
    if bits := _default_begun(found, unfinished):
        print_words("go on with the rest of the default set too:")
        print_out(f"  {_build_command('default', out=out, bits=bits)}")
    for path, why in bad:
        print_words(f"{path.name}: {why}", 2)
    if not found and not unfinished:
        print_words(f"no table is built in {folder}. Build the default set with:")
        print_out(f"  {_build_command('default', out=out)}")
    weak = [head.pattern.name for _, head in found if head.pattern.target < LEAST_TARGET]
    if weak:
        print_words(
            f"tables=auto leaves out {', '.join(weak)}: "
            f"targets below {1 << LEAST_TARGET} make players weaker"
        )


def _list_table(found: list[tuple[Path, "Head"]]) -> str:
    from twofold.arena.table import format_table
    from twofold.evaluators.memory import bytes_words

    rows = [
        (
            head.pattern.name,
            f"{1 << head.pattern.target}",
            f"{head.pattern.large_tiles}",
            f"{head.states / 1e6:,.0f} M",
            f"{head.bits}",
            bytes_words(path.stat().st_size),
            head.hash,
        )
        for path, head in found
    ]
    header = ("table", "makes", "large tiles", "boards", "bits", "disk", "hash")
    return format_table(header, rows, left=(0, 6))


@dataclass(frozen=True, slots=True)
class _Unfinished:
    """A table whose building was interrupted."""

    name: str
    done: float
    bits: int


def _unfinished(folder: Path) -> list[_Unfinished]:
    """The tables whose building was interrupted, and the part that is done."""
    from twofold.endgame.folder import SUFFIX, WORK
    from twofold.endgame.pattern import Pattern
    from twofold.endgame.work import bits_begun, share_done
    from twofold.errors import InvalidTable

    paths = sorted(folder.glob(f"*{SUFFIX}{WORK}")) if folder.is_dir() else []
    found = []
    for path in paths:
        table = path.with_name(path.name.removesuffix(WORK))
        with contextlib.suppress(InvalidTable):
            name = Pattern.parse(table.name.removesuffix(SUFFIX)).name
            bits = bits_begun(table) or _BITS
            found.append(_Unfinished(name, share_done(table) or 0.0, bits))
    return found


def _default_begun(found: list[tuple[Path, "Head"]], unfinished: list[_Unfinished]) -> int:
    """Bits of an unfinished table of the default set, of which others are missing too; else 0."""
    from twofold.endgame.library import DEFAULT

    missing = set(DEFAULT) - {head.pattern.name for _, head in found}
    begun = [one.bits for one in unfinished if one.name in missing]
    return begun[0] if begun and len(missing) > 1 else 0


@app.command("info", epilog="Example:\n\n\b\n  twofold tables info 442-512 --check")
def info(
    name: NameArgument,
    check: Annotated[
        bool, typer.Option("--check", help="Read all of it and compare the checksums.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show what a table is."""
    from twofold.endgame.library import find, head_of, open_table

    path = find(name)
    head = head_of(path)
    if check:
        with loading():
            open_table(str(path)).check()
    if json:
        write_json("tables info", _document(path, head) | {"checked": check})
        return
    _print_info(path, head, checked=check)


def _print_info(path: Path, head: "Head", *, checked: bool) -> None:
    from twofold.cli._analysis import labelled
    from twofold.endgame.pattern import SHAPES
    from twofold.evaluators.memory import bytes_words

    pattern = head.pattern
    facts = {
        "makes": f"{1 << pattern.target}, in any free cell",
        "large": f"{counted(pattern.large_tiles, 'tile')}, all different, from "
        f"{1 << pattern.target} on{_where(pattern)}",
        "caps": _caps_words(pattern),
        "sums": f"{2 * pattern.lowest} to {2 * pattern.highest} in the free cells",
        "boards": f"{head.states:,}, {head.bits} bits a chance",
        "file": f"{path}, {bytes_words(path.stat().st_size)}",
        "hash": head.hash + (", and all checksums are right" if checked else ""),
    }
    print_out(pattern.name)
    print_out()
    pictures = [picture.split("/") for picture in SHAPES[pattern.shape].pictures]
    for rows in zip(*pictures, strict=True):
        print_out("    " + "    ".join(" ".join(row) for row in rows))
    if pictures:
        print_out("    L: a large tile\n")
    for label, text in facts.items():
        for line in labelled(label, text, 80):
            print_out(line.plain)


def _where(pattern: "Pattern") -> str:
    """Where large tiles may be moved to."""
    if pattern.anywhere:
        return ", anywhere; they may move"
    return "; they may move between these places" if len(pattern.places) > 1 else ""


def _caps_words(pattern: "Pattern") -> str:
    """How large the tiles may be in each row."""
    caps = [str(1 << cap) for cap in pattern.caps]
    if len(set(caps)) == 1:
        return f"{caps[0]} in all rows"
    return f"{', '.join(caps)} in the fourth, third and second row"


def _document(path: Path, head: "Head") -> dict[str, Any]:
    pattern = head.pattern
    return {
        "table": pattern.name,
        "target": 1 << pattern.target,
        "large_tiles": pattern.large_tiles,
        "caps": [1 << cap for cap in pattern.caps],
        "sums": [2 * pattern.lowest, 2 * pattern.highest],
        "boards": head.states,
        "bits": head.bits,
        "bytes": path.stat().st_size,
        "hash": head.hash,
        "file": str(path),
    }


@app.command("query", epilog=f"Example:\n\n\b\n{_QUERY}")
def query(
    board: Annotated[
        str, typer.Argument(metavar="BOARD", help="A 4x4 board; - reads it.", show_default=False)
    ],
    tables: Annotated[
        str | None,
        typer.Option("--tables", metavar="NAMES", help="Such as 442-512+443-512; else all."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show the chance of the target after each move."""
    from twofold.board import Board
    from twofold.limits import MAX_TEXT

    asked = Board.parse(sys.stdin.read(MAX_TEXT + 1) if board.strip() == "-" else board)
    with loading():
        from twofold.endgame.library import built, open_tables

        every = [str(path) for path, _ in built()]
        opened = open_tables(every if tables is None else tables)
        answer = opened.answer(asked)
    if json:
        body: dict[str, Any] = {"board": str(asked), "tables": list(opened.names), "answer": None}
        if answer is not None:
            body["answer"] = {
                "table": answer.table,
                "hash": answer.hash,
                "target": answer.target,
                "best": answer.best.name.lower(),
                "chances": {move.name.lower(): p for move, p in answer.chances.items()},
            }
        write_json("tables query", body)
        return
    print_out(asked.drawn() + "\n")
    if answer is None:
        print_words(_silence(opened.silences(asked), asks_all=tables is None), 2)
        return
    print_out(f"{answer.table}: chance to make {answer.target}\n")
    print_out(_chance_table(asked, answer))


def _chance_table(board: "Board", answer: "Answer") -> str:
    """The four moves as `analyse` lists them."""
    from twofold.arena.table import format_table
    from twofold.rules import Move
    from twofold.search.analysis import format_chance

    rows = []
    for move in Move:
        chance = answer.chances.get(move)
        legal = move in board.legal_moves()
        cell = format_chance(chance) if chance is not None else "-" if legal else "illegal"
        rows.append((move.name.lower(), cell, "best" if move == answer.best else ""))
    return format_table(("move", "chance", ""), rows)


def _silence(reasons: dict[str, str], *, asks_all: bool) -> str:
    """Why no table speaks: each reason once, with the tables it is of."""
    if not reasons and not asks_all:
        return "no table was asked"
    if not reasons:
        return "no table is built. Build the default set with: twofold tables build default"
    names: dict[str, list[str]] = {}
    for name, why in reasons.items():
        names.setdefault(why, []).append(name)
    lines = [f"{', '.join(some)}: {why}" for why, some in names.items()]
    return "\n".join(["no table speaks of this board:", *lines])


@app.command("remove", epilog="Example:\n\n\b\n  twofold tables remove 442-256\n"
             "  twofold tables remove 442-256 --out /data/tables")  # fmt: skip
def remove(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Tables that are built.", show_default=False),
    ],
    out: Annotated[
        str, typer.Option("--out", metavar="FOLDER", help="Else the user's data folder.")
    ] = "",
) -> None:
    """Remove tables, and what unfinished ones have left."""
    from twofold.endgame.library import place_of
    from twofold.endgame.work import remove_table, share_done
    from twofold.errors import InvalidTable
    from twofold.evaluators.memory import bytes_words

    folder = _named_folder(out)
    for name in names:
        path = place_of(name, folder)
        unfinished = share_done(path) is not None
        if not path.is_file() and not unfinished:
            raise InvalidTable(f"expected a table that is built, got none in {str(path)!a}")
        freed = remove_table(path)
        print_note(f"twofold: removed {path}, {bytes_words(freed) if freed else 'unfinished'}")
