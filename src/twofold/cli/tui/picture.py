"""The picture of a game: lines with the board, figures beside it, the four moves, and a note.

The caller gives the size and the abilities of the terminal; the board fills the room. The app needs
a terminal and the extra `tui`; a picture alone a terminal.
"""

import importlib.util
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.text import Text

from twofold.cli._output import can_redraw
from twofold.cli.tui.tiles import Colours, Look, board_size, draw_board, fit
from twofold.figures import format_time
from twofold.game.rules import Move
from twofold.search.analysis import PROBABILITY, format_chance, format_in_unit

if TYPE_CHECKING:
    from rich.console import Console

    from twofold.game.board import Board
    from twofold.games.shared_game import GameFrame
    from twofold.search.analysis import Analysis, MoveAnalysis
    from twofold.tables.library import TableAnswer


def has_extra() -> bool:
    """Whether the extra `tui` is installed."""
    return importlib.util.find_spec("textual") is not None


def can_draw() -> bool:
    """Whether a picture can be drawn again and again: a terminal that shows half blocks."""
    is_utf = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    return can_redraw(sys.stdout.isatty()) and is_utf


def can_open() -> bool:
    """Whether the app can be opened here."""
    return can_draw() and sys.stdin.isatty() and has_extra()


HALF_BAR: Final = 0.1
"""Length of the worst legal move's bar relative to the best move's bar."""

MIN_ROOM: Final = 4
"""Smallest number of columns for bars."""


def draw_panel(
    heading: str,
    texts: Sequence[str],
    shares: Sequence[float | None],
    width: int,
    *,
    best: Move | None = None,
    chosen: Move | None = None,
    said: Mapping[Move, str] | None = None,
) -> list[Text]:
    """The four moves, each with a bar and a text after it.

    `shares` are lengths of the bars, 0 to 1; None for an illegal move. The move `chosen` is
    highlighted; `said` has a word to print after a move.
    """
    words, widest = said or {}, max(map(len, texts))
    room = width - 9 - widest - max((len(word) + 1 for word in words.values()), default=0)
    lines = [Text(heading, style="dim")]
    for move, text, share in zip(Move, texts, shares, strict=True):
        style = "bold" if move == chosen else "dim" if share is None else ""
        line = Text(f"{'▶' if move == chosen else ' '} {move.name.lower():<5} ", style)
        if room >= MIN_ROOM and any(shares):
            length = max(round(room * (share or 0.0)), int(bool(share)))
            line.append(f"{'█' * length:<{room}} ", "green" if move == best else "cyan")
        line.append(f"{text:>{widest}} {words.get(move, '')}")
        line.rstrip()
        lines.append(line)
    return lines


def draw_names(width: int, chosen: Move | None = None) -> list[Text]:
    """The four moves without values."""
    return draw_panel("moves", [""] * len(Move), [0.0] * len(Move), width, chosen=chosen)


def draw_moves(analysis: "Analysis | None", width: int) -> list[Text]:
    """The four moves with values and bars; the bars are scaled from the worst to the best move."""
    if analysis is None:
        return draw_names(width)
    if analysis.table is not None:
        return draw_chances(analysis.table, analysis.board.legal_moves(), analysis.best, width)
    legal = [one.value for one in analysis.moves if one.legal and one.value is not None]
    return draw_panel(
        f"values, {analysis.unit}" if analysis.unit else "moves",
        [_value_text(analysis, one) for one in analysis.moves],
        [bar_share(one.value, legal) if one.legal else None for one in analysis.moves],
        width,
        best=analysis.best,
        chosen=analysis.best,
    )


def draw_chances(
    answer: "TableAnswer",
    legal: Sequence[Move],
    chosen: Move,
    width: int,
    said: Mapping[Move, str] | None = None,
) -> list[Text]:
    """The four moves with their chances from an endgame table; bars are relative to the best."""
    known = answer.chances
    return draw_panel(
        f"chance of {answer.target}, {answer.table}",
        [_chance_text(answer, legal, move) for move in Move],
        [known.get(move, 0.0) / answer.chance if move in legal else None for move in Move],
        width,
        best=answer.best,
        chosen=chosen,
        said=said,
    )


def _chance_text(answer: "TableAnswer", legal: Sequence[Move], move: Move) -> str:
    if move not in legal:
        return "illegal"
    chance = answer.chances.get(move)
    return "unknown" if chance is None else format_chance(chance)


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


def bar_share(value: float | None, legal: Sequence[float]) -> float:
    """Length of a value's bar: 1 for the best legal move, a tenth of it for the worst."""
    if value is None:
        return 0.0
    low, high = min(legal), max(legal)
    share = 1.0 if high == low else (value - low) / (high - low)
    if share != share:  # NaN: a value is infinite
        share = 1.0 if value == high else 0.0
    return HALF_BAR + (1 - HALF_BAR) * share


def search_words(analysis: "Analysis | None") -> str:
    """Depth and nodes of a search: `3 plies, 3,408 nodes`; empty without a search."""
    if analysis is None:
        return ""
    parts = [analysis.depth] if analysis.depth else []
    if analysis.nodes:
        parts.append(f"{analysis.nodes:,} nodes")
    return ", ".join(parts)


def watch_figures(frame: "GameFrame", seed: int, speed: tuple[str, str]) -> list[tuple[str, str]]:
    """The figures beside the board of a player who is watched; `speed` has its name."""
    return [
        ("score", f"{frame.score:,}"),
        ("largest", str(frame.board.max_tile)),
        ("move", f"{frame.move_number:,}"),
        speed,
        ("elapsed", format_time(frame.seconds)),
        ("search", search_words(frame.analysis)),
        ("seed", str(seed)),
    ]


ENDS: Final = "Ctrl-C ends the game with a summary"
"""The note below a game that is watched."""

PANEL_WIDTH: Final = 30
"""Columns that the figures need beside the board; with fewer they are below it."""

MAX_PANEL_WIDTH: Final = 44
"""Largest width of the panel."""

MOST_NOTE_LINES: Final = 6
"""Largest number of lines of a note, such as an error of an engine."""


class Canvas(NamedTuple):
    """The size of a picture in columns and lines, and the colours of the terminal."""

    width: int
    height: int
    colours: Colours = "full"

    @classmethod
    def of(cls, console: "Console", width: int, height: int) -> "Canvas":
        """The canvas of a console."""
        system = console.color_system
        colours: Colours = "16" if system == "standard" else "full"
        if system is None or console.no_color:
            colours = "none"
        return cls(width, height, colours)


def title_line(*words: str) -> Text:
    """The line above a picture: the program's name and words."""
    return Text.assemble(("twofold", "bold"), *(f"  {word}" for word in words))


@dataclass(slots=True)
class ScreenPicture:
    """A game as it is shown.

    Attributes:
        title: the line above.
        figures: names and texts beside the board; empty texts are left out.
        panel: draws lines below the figures, such as the values of the moves.
        note: the last line: events and keys.
        new: cell of the newest tile.
        below: draws a line above the note.
    """

    title: Text
    board: "Board"
    figures: Sequence[tuple[str, str]]
    panel: Callable[[int], list[Text]] | None
    note: Text
    new: int | None = None
    below: Callable[[int], Text] | None = None

    def lines(self, canvas: Canvas) -> list[Text]:
        """The lines of the picture."""
        below = [] if self.below is None else [self.below(canvas.width)]
        below += wrapped(self.note, canvas.width)
        inner = canvas._replace(height=canvas.height - 1 - len(below))
        body = self._body(inner)
        spare = inner.height - len(body)
        above, between = [Text()] * (spare >= 2), [Text()] * (spare >= 1)
        lines = [self.title, *above, *body, *between, *below][: canvas.height]
        return [cut(line, canvas.width) for line in lines]

    def _body(self, canvas: Canvas) -> list[Text]:
        """The board with its figures."""
        look = self._fit(canvas, canvas.width - PANEL_WIDTH, canvas.height)
        columns = board_size(self.board, look)[0]
        panel = [] if self.panel is None else self.panel(canvas.width)
        rows = len(self._flow(canvas.width)) + len(panel)
        above = self._fit(canvas, canvas.width, canvas.height - rows)
        is_larger = (above.height, not above.short) > (look.height, not look.short)
        if is_larger or columns + PANEL_WIDTH > canvas.width:  # figures below the board
            board = draw_board(self.board, above, self.new)
            return board + self._row(canvas, canvas.height - len(board))
        board = draw_board(self.board, look, self.new)
        start = columns + 2
        width = min(canvas.width - start, MAX_PANEL_WIDTH)
        return beside(board, self._column(width, canvas), start)

    def _fit(self, canvas: Canvas, width: int, height: int) -> Look:
        return fit(self.board, canvas.colours, width, height)

    # ---- figures

    def _known(self) -> list[tuple[str, str]]:
        return [(name, text) for name, text in self.figures if text]

    def _column(self, width: int, canvas: Canvas) -> list[Text]:
        known = self._known()
        widest = max(len(name) for name, _ in known) + 1
        lines = [Text.assemble((f"{name:<{widest}}", "dim"), text) for name, text in known]
        panel = [] if self.panel is None else self.panel(width)
        room = canvas.height - len(panel) - 1
        return [*lines[:room], Text(), *panel] if panel else lines

    def _row(self, canvas: Canvas, room: int) -> list[Text]:
        """The figures one after the other, then the panel; the rest is left out."""
        figures = self._flow(canvas.width)
        panel = [] if self.panel is None else self.panel(canvas.width)
        if len(figures) + len(panel) <= room:
            return [*figures, *panel]
        moves = panel[1:]  # without their heading
        return figures[: max(room - len(moves), 1)] + moves[: max(room - 1, 0)]

    def _flow(self, width: int) -> list[Text]:
        lines: list[Text] = []
        for name, text in self._known():
            part = Text.assemble((f"{name} ", "dim"), text)
            if lines and lines[-1].cell_len + 3 + part.cell_len <= width:
                lines[-1] = lines[-1] + Text("   ") + part
            else:
                lines.append(part)
        return lines


def cut(line: Text, width: int) -> Text:
    """Cut a line to a width, with an ellipsis."""
    short = line.copy()
    short.truncate(width, overflow="ellipsis")
    return short


def wrapped(note: Text, width: int, most: int = MOST_NOTE_LINES) -> list[Text]:
    """Wrap a note to at most `most` lines; the last may be too long."""
    at = note.plain.rfind(" ", 0, width + 1)
    if note.cell_len <= width or at <= 0 or most == 1:
        return [note]
    first, rest = note.divide([at + 1])
    first.rstrip()
    return [first, *wrapped(rest, width, most - 1)]


def beside(left: Sequence[Text], right: Sequence[Text], start: int) -> list[Text]:
    """Lines with others beside them, which begin at the column `start`."""
    lines = []
    for number in range(max(len(left), len(right))):
        line = left[number].copy() if number < len(left) else Text()
        line.append(" " * (start - line.cell_len))
        if number < len(right):
            line.append_text(right[number])
        lines.append(line)
    return lines
