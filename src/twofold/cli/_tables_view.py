"""What `twofold tables` shows: plans, progress, lists, what a table is and says."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from twofold.board import Board
from twofold.cli._output import print_out
from twofold.cli._thinking import labelled
from twofold.endgame.pattern import SHAPES, EndgamePattern
from twofold.figures import bytes_words, clock, counted, format_table
from twofold.rules import Move
from twofold.search.analysis import format_chance

if TYPE_CHECKING:
    from twofold.endgame.build import BuildPlan
    from twofold.endgame.format import TableHead
    from twofold.endgame.table import TableAnswer
    from twofold.endgame.work import BuildProgress


def plan_table(plans: list["BuildPlan"], done: list[float | None]) -> str:
    """What tables take that are to be built; `done` is the part of each that is there."""
    rows = [
        (
            plan.pattern.name,
            _millions(plan.states),
            bytes_words(plan.disk) if plan.pattern.walls is None else _at_most(plan.disk),
            bytes_words(plan.memory),
            "" if part is None else f"continues at {part:.0%}",
        )
        for plan, part in zip(plans, done, strict=True)
    ]
    if len(plans) > 1:
        total = sum(plan.states for plan in plans), sum(plan.disk for plan in plans)
        most = max(plan.memory for plan in plans)
        bounded = any(plan.pattern.walls is not None for plan in plans)
        disk = _at_most(total[1]) if bounded else bytes_words(total[1])
        rows.append(("all", _millions(total[0]), disk, bytes_words(most), ""))
    return format_table(("table", "boards", "disk", "memory", ""), rows, left=(0, 4))


def _at_most(disk: int) -> str:
    """The disk of tables that store no chance of 0: how many there are is known at the end."""
    return f"up to {bytes_words(disk)}"


def _millions(boards: int) -> str:
    return f"{boards / 1e6:,.{0 if boards >= 1e7 else 1}f} M"


def progress_line(plan: "BuildPlan") -> Any:
    """Puts progress into a line of text."""

    def line(now: "BuildProgress") -> str:
        return (
            f"{plan.pattern.name}: {now.states / now.total:4.0%}, sum of tiles {now.layer}, "
            f"{now.states / 1e6:,.0f} of {now.total / 1e6:,.0f} M boards, "
            f"{now.rate / 1e6:.1f} M/s, {clock(now.remaining)} left"
        )

    return line


def progress_share(now: "BuildProgress") -> float:
    """The part of a table that is done."""
    return now.states / now.total


def list_table(found: list[tuple[Path, "TableHead"]]) -> str:
    """A line for each table that is built."""
    rows = [
        (
            head.pattern.name,
            f"{1 << head.pattern.target}",
            f"{head.pattern.large_tiles}",
            _millions(head.states),
            f"{head.bits}",
            bytes_words(path.stat().st_size),
            head.hash,
        )
        for path, head in found
    ]
    header = ("table", "makes", "large tiles", "boards", "bits", "disk", "hash")
    return format_table(header, rows, left=(0, 6))


def print_info(path: Path, head: "TableHead", *, checked: bool) -> None:
    """What a table is, with pictures of where its large tiles are."""
    pattern = head.pattern
    facts = _kind_words(pattern) | {
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


def _kind_words(pattern: EndgamePattern) -> dict[str, str]:
    """What a table makes, beside which tiles, and how large the others may be."""
    target = 1 << pattern.target
    if pattern.walls is not None:
        caps = pattern.caps_by_cell
        rows = [
            " ".join(str(1 << caps[cell]) if cell in caps else "L" for cell in range(row, row + 4))
            for row in (0, 4, 8, 12)
        ]
        return {
            "makes": f"{target} beside the walls, ready to merge; lower walls have lower goals",
            "large": f"{pattern.large_tiles} walls of any tiles whose neighbours differ; "
            "they stay in their places",
            "caps": "; ".join(rows),
            "asked": f"players follow it from a chance of {format_chance(pattern.least_chance)} on",
        }
    places = "; they may move between these places" if len(pattern.places) > 1 else ""
    if pattern.anywhere:
        places = ", anywhere; they may move"
    largest = [str(1 << cap) for cap in pattern.caps]
    is_one = len(set(largest)) == 1
    return {
        "makes": f"{target}, in any free cell",
        "large": f"{counted(pattern.large_tiles, 'tile')}, all different, from {target} on{places}",
        "caps": f"{largest[0]} in all rows"
        if is_one
        else f"{', '.join(largest)} in the fourth, third and second row",
    }


def table_document(path: Path, head: "TableHead") -> dict[str, Any]:
    """The same for `--json`."""
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


def chance_table(board: Board, answer: "TableAnswer") -> str:
    """The four moves as `analyse` lists them."""
    rows = []
    for move in Move:
        chance = answer.chances.get(move)
        legal = move in board.legal_moves()
        cell = format_chance(chance) if chance is not None else "-" if legal else "illegal"
        rows.append((move.name.lower(), cell, "best" if move == answer.best else ""))
    return format_table(("move", "chance", ""), rows)


def silence_words(reasons: dict[str, str], *, asks_all: bool) -> str:
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
