"""A walk through a game as lines: the values of the moves, a verdict, a timeline."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from rich.text import Text

from twofold.review.judge import MISTAKES
from twofold.rules import Move
from twofold.search.analysis import format_value
from twofold.tui.moves_view import (
    aligned,
    bar_room,
    draw_bar,
    draw_chances,
    draw_line,
    pointer,
    share_length,
)
from twofold.tui.walk import Walk

if TYPE_CHECKING:
    from twofold.review.judge import MoveJudgement

STYLES: Final = {"mistake": "yellow", "blunder": "red", "severe blunder": "bold red"}

SIGNS: Final = {"mistake": "?", "blunder": "!", "severe blunder": "X"}
"""The marks of mistakes on the timeline."""

SAID: Final = 5
"""Columns of ` made` and ` best` after a value."""


def draw_walk(walk: Walk, width: int, unicode: bool) -> list[Text]:
    """The four moves with the move made, and their values once it is judged."""
    one = walk.judgement
    if one is not None:
        return _draw_values(one, width, unicode)
    lines = [Text("moves", style="dim")]
    for move in Move:
        made = move == walk.move
        lines.append(Text(pointer(made, unicode) + move.name.lower(), style="bold" if made else ""))
    return lines


def _draw_values(one: "MoveJudgement", width: int, unicode: bool) -> list[Text]:
    if one.table is not None:
        moves = [move for move in Move if one.values[move] is not None]
        said = {one.best: "best"} | {one.move: "made"}
        return draw_chances(one.table, moves, one.move, width, unicode, said)
    best = one.values[one.best]
    legal = [value for value in one.values if value is not None]
    texts = aligned(
        ["illegal" if value is None else format_value(value, best) for value in one.values]
    )
    room = bar_room(texts, width) - SAID
    lines = [Text("values", style="dim")]
    for move, value, text in zip(Move, one.values, texts, strict=True):
        bar = draw_bar(share_length(value, legal, room), room, unicode, best=move == one.best)
        made, is_legal = move == one.move, value is not None
        text += " made" if made else " best" if move == one.best else ""
        lines.append(draw_line(move, bar, text, unicode, chosen=made, legal=is_legal))
    return lines


def verdict(walk: Walk) -> Text:
    """The verdict on the move made here."""
    one, move = walk.judgement, walk.move
    if move is None:
        over = walk.game.is_finished
        return Text("the end of the game" if over else "the record ends here; the game is not over")
    name = move.name.lower()
    if one is None:
        return Text(f"{name}: not judged yet")
    if one.forced:
        return Text(f"{name} is the only move")
    if one.is_best:
        return Text(f"perfect: no move is better than {name}")
    what = "value" if one.table is None else "chance"
    kept = f"{name} keeps {100 * one.ratio:.3g} % of the {what} of {one.best.name.lower()}"
    return Text.assemble((one.label, STYLES.get(one.label, "")), f": {kept}")


def timeline(walk: Walk, width: int, unicode: bool) -> Text:
    """The whole game on one line: the position shown, the judged part, the worst mistakes."""
    columns = max(1, min(width, walk.last + 1))
    here = _column(walk, walk.place, columns)
    judged = _column(walk, len(walk.judged), columns)
    worst = _worst(walk, columns)
    done, ahead, at = ("━", "─", "◆") if unicode else ("=", "-", "#")
    line = Text()
    for column in range(columns):
        label = worst.get(column, "")
        if column == here:
            line.append(at, f"reverse {STYLES.get(label, 'bold')}")
        else:
            sign = SIGNS.get(label, done if column < judged else ahead)
            line.append(sign, STYLES.get(label, "dim"))
    return line


def _column(walk: Walk, place: int, columns: int) -> int:
    return place * columns // (walk.last + 1)


def _worst(walk: Walk, columns: int) -> dict[int, str]:
    """The worst label in each column."""
    found: dict[int, str] = {}
    rank: Callable[[str], int] = MISTAKES.index
    for place in tuple(walk.mistakes):
        column = _column(walk, place, columns)
        label = walk.judged[place].label
        found[column] = max(found.get(column, label), label, key=rank)
    return found
