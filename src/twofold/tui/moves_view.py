"""The four moves and their values, as lines beside a board."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from rich.text import Text

from twofold.rules import Move
from twofold.search.analysis import PROBABILITY, format_chance, format_in_unit

if TYPE_CHECKING:
    from twofold.endgame.table import TableAnswer
    from twofold.search.analysis import Analysis, MoveAnalysis

HALF_BAR: Final = 0.1
"""Length of the worst legal move's bar relative to the best move's bar."""

MIN_ROOM: Final = 4
"""Smallest number of columns for bars."""


def draw_moves(analysis: "Analysis | None", width: int, unicode: bool) -> list[Text]:
    """The four moves with values and bars; the bars are scaled from the worst to the best move."""
    if analysis is None:
        return [Text("moves", style="dim"), *(Text(f"  {move.name.lower()}") for move in Move)]
    if analysis.table is not None:
        legal_moves = analysis.board.legal_moves()
        return draw_chances(analysis.table, legal_moves, analysis.best, width, unicode)
    unit = f"values, {analysis.unit}" if analysis.unit else "moves"
    legal = [one.value for one in analysis.moves if one.legal and one.value is not None]
    texts = aligned([_value_text(analysis, one) for one in analysis.moves])
    room = bar_room(texts, width) if legal else 0
    lines = [Text(unit, style="dim")]
    for one, text in zip(analysis.moves, texts, strict=True):
        best = one.move == analysis.best
        bar = draw_bar(share_length(one.value, legal, room), room, unicode, best=best)
        lines.append(draw_line(one.move, bar, text, unicode, chosen=best, legal=one.legal))
    return lines


def draw_chances(
    answer: "TableAnswer",
    legal: Sequence[Move],
    chosen: Move,
    width: int,
    unicode: bool,
    said: Mapping[Move, str] | None = None,
) -> list[Text]:
    """The four moves with their chances from an endgame table; bars are relative to the best.

    The move `chosen` is highlighted; `said` has a word to print after a move.
    """
    words = said or {}
    texts = aligned([_chance_text(answer, legal, move) for move in Move])
    room = bar_room(texts, width) - max((len(word) + 1 for word in words.values()), default=0)
    lines = [Text(f"chance of {answer.target}, {answer.table}", style="dim")]
    for move, text in zip(Move, texts, strict=True):
        length = round(room * answer.chances.get(move, 0.0) / answer.chance)
        bar = draw_bar(length, room, unicode, best=move == answer.best)
        text += f" {words[move]}" if move in words else ""
        is_legal, is_chosen = move in legal, move == chosen
        lines.append(draw_line(move, bar, text, unicode, chosen=is_chosen, legal=is_legal))
    return lines


def _chance_text(answer: "TableAnswer", legal: Sequence[Move], move: Move) -> str:
    if move not in legal:
        return "illegal"
    chance = answer.chances.get(move)
    return "unknown" if chance is None else format_chance(chance)


def aligned(texts: Sequence[str]) -> list[str]:
    """Texts padded to equal width, right-aligned."""
    widest = max(map(len, texts))
    return [f"{text:>{widest}}" for text in texts]


def bar_room(texts: Sequence[str], width: int) -> int:
    """Columns left for bars between names and values."""
    return width - 8 - len(texts[0]) - 1


def _value_text(analysis: "Analysis", one: "MoveAnalysis") -> str:
    """The best value in full, the others as differences from it; probabilities as they are."""
    if not one.legal:
        return "illegal"
    if one.value is None or analysis.value is None:
        return f"+{one.reward}" if one.reward else ""
    if one.move == analysis.best or analysis.unit == PROBABILITY:
        return format_in_unit(one.value, analysis.unit)
    if math.isclose(one.value, analysis.value, rel_tol=1e-9):
        return "same"
    return format_in_unit(one.value - analysis.value, analysis.unit, analysis.value)


def draw_line(
    move: Move, bar: Text, text: str, unicode: bool, *, chosen: bool, legal: bool
) -> Text:
    """A move with its bar and the text after it."""
    style = "bold" if chosen else "" if legal else "dim"
    return (
        Text(pointer(chosen, unicode) + f"{move.name.lower():<5} ", style).append(bar).append(text)
    )


def pointer(chosen: bool, unicode: bool) -> str:
    """Two columns that mark the highlighted line."""
    return ("▶ " if unicode else "> ") if chosen else "  "


def draw_bar(length: int, room: int, unicode: bool, *, best: bool) -> Text:
    """A bar, padded to its room, and a space; empty without enough room."""
    bar = f"{('█' if unicode else '#') * length:<{room}} " if room >= MIN_ROOM else ""
    return Text(bar, "green" if best else "cyan")


def share_length(value: float | None, legal: Sequence[float], room: int) -> int:
    """Columns of a value's bar: the best legal move fills the room, the worst a tenth of it."""
    if value is None or room < MIN_ROOM:
        return 0
    low, high = min(legal), max(legal)
    share = 1.0 if high == low else (value - low) / (high - low)
    if share != share:  # NaN: a value is infinite
        share = 1.0 if value == high else 0.0
    return max(1, round(room * (HALF_BAR + (1 - HALF_BAR) * share)))


def search_words(analysis: "Analysis | None") -> str:
    """Depth and nodes of a search: `3 plies, 3,408 nodes`; empty without a search."""
    if analysis is None:
        return ""
    parts = [analysis.depth] if analysis.depth else []
    if analysis.nodes:
        parts.append(f"{analysis.nodes:,} nodes")
    return ", ".join(parts)
