"""A review for people and for programs: the figures, and the worst moves with their boards."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
from rich.console import Console
from rich.text import Text

from twofold.cli._thinking import drawn
from twofold.figures import counted, format_table
from twofold.players.registry import short_name
from twofold.records.record import Record
from twofold.review.judge import MoveJudgement
from twofold.review.review import (
    ReviewedPosition,
    accuracy_words,
    move_words,
    percent_words,
    positions,
    review,
    tables_note,
    worst_of,
)
from twofold.rules import Move
from twofold.search.analysis import format_chance, format_value
from twofold.search.document import TableDocument, finite
from twofold.tui.picture import beside

if TYPE_CHECKING:
    from twofold.endgame.table import TableAnswer

GAP: Final = 3
"""Columns between a board and what stands beside it."""


# ---- for people


def heading(record: Record) -> str:
    """One line about the game: `2,100 moves, 36,816 points, 2048 over, by me`."""
    parts = [counted(len(record.moves), "move")]
    parts += [] if record.score is None else [f"{record.score:,} points"]
    parts += [record.result] if record.result else []
    parts += [f"by {short_name(record.player)}"] if record.player else []
    return ", ".join(parts)


def summary(judged: Sequence[MoveJudgement]) -> str:
    """Accuracy and the other figures, and how many moves have each label."""
    found = review(judged)
    choices = found.total - found.forced
    best = sum(one.is_best and not one.forced for one in judged)
    best_words = f"{percent_words(found.match_rate, 100)}, {best:,} of {counted(choices, 'choice')}"
    fit = found.goodness_of_fit
    figures = [
        ("accuracy", accuracy_words(found)),
        ("best moves", best_words if choices else "–"),
        ("goodness of fit", "–" if fit is None else f"{fit:.3g}"),
        ("longest run", f"{counted(found.longest_perfect_run, 'perfect move')} in a row"),
        ("forced", f"{counted(found.forced, 'move')}, counted as perfect"),
    ]
    width = max(len(name) for name, _ in figures)
    lines = [f"{name:<{width}}  {text}" for name, text in figures]
    rows = [
        [label, f"{count:,}", f"{100 * count / found.total:.1f}"]
        for label, count in found.labels.items()
    ]
    return "\n".join(lines) + "\n\n" + format_table(["label", "moves", "%"], rows)


def worst_moves(
    record: Record, judged: Sequence[MoveJudgement], count: int, console: Console
) -> list[Text]:
    """The worst moves, each with its board and the values of the four moves beside it."""
    chosen = worst_of(judged, count)
    numbers = {one.move_number for one in chosen}
    known = {one.move_number: one for one in positions(record) if one.move_number in numbers}
    lines = []
    for one in chosen:
        lines += [Text(), Text(move_words(one), style="bold")]
        lines += _beside(known[one.move_number], one, console)
    return lines


def _beside(position: ReviewedPosition, one: MoveJudgement, console: Console) -> list[Text]:
    """The board, and beside it the value of each move."""
    left = drawn(position.board, console)
    width = max(line.cell_len for line in left)
    return beside(left, [Text(line) for line in _values(one)], width + GAP)


def _values(one: MoveJudgement) -> list[str]:
    best = one.values[one.best]
    rows = []
    for move, value in zip(Move, one.values, strict=True):
        text = "illegal" if value is None else format_value(value, best)
        said = "made" if move == one.move else "best" if move == one.best else ""
        chances = [] if one.table is None else [_chance(one.table, move)]
        rows.append([move.name.lower(), text, *chances, said])
    lines = format_table(rows[0], rows[1:]).split("\n")
    if one.table is not None:
        lines.append(f"chance of {one.table.target} by table {one.table.table}")
    return lines


def _chance(answer: "TableAnswer", move: Move) -> str:
    """What an endgame table gives a move, if it knows it."""
    chance = answer.chances.get(move)
    return "" if chance is None else format_chance(chance)


# ---- for programs


def document(
    record: Record, player: str, unit: str, judged: Sequence[MoveJudgement], worst: int
) -> dict[str, Any]:
    """The review as JSON has it, without what depends on time by its nature."""
    found = review(judged, note=tables_note(record.player, player))
    chosen = worst_of(judged, worst)
    numbers = {one.move_number for one in chosen}
    boards = {
        one.move_number: str(one.board) for one in positions(record) if one.move_number in numbers
    }
    return {
        "player": player,
        "unit": unit,
        "played_by": record.player or None,
        "note": found.note or None,
        "rules": str(record.rules),
        "moves": len(record.moves),
        "judged": found.total,
        "complete": found.total == len(record.moves),
        "accuracy": found.accuracy,
        "match_rate": found.match_rate,
        "goodness_of_fit": found.goodness_of_fit,
        "longest_perfect_run": found.longest_perfect_run,
        "forced": found.forced,
        "labels": found.labels,
        "worst": [{"board": boards[one.move_number], **_judgement(one)} for one in chosen],
        "judgements": [_judgement(one) for one in judged],
    }


def _judgement(one: MoveJudgement) -> dict[str, Any]:
    return {
        "move_number": one.move_number,
        "move": one.move.name.lower(),
        "best": one.best.name.lower(),
        "values": [None if value is None else finite(value) for value in one.values],
        "unit": one.unit,
        "ratio": one.ratio,
        "accuracy": one.accuracy,
        "label": one.label,
        "table": None if one.table is None else msgspec.to_builtins(TableDocument.of(one.table)),
    }
