"""The picture of a game, line by line: the board, the figures beside or below it, a note.

Whoever shows it says how large it may be and what the terminal can show; the board then takes
what room there is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.text import Text

from twofold.tui.palette import Colours
from twofold.tui.tiles import Look, board_size, draw_board, fit

if TYPE_CHECKING:
    from rich.console import Console

    from twofold.board import Board

PANEL_WIDTH: Final = 30
"""Columns that the figures need beside the board; else they go below it."""

MAX_PANEL_WIDTH: Final = 44
"""Widest panel: longer bars say no more."""

MOST_NOTE_LINES: Final = 6
"""Most lines of a note, such as what an engine has done wrong."""

Drawer = Callable[[int, bool], list[Text]]
"""Draws lines of at most so many columns, beyond ASCII or not."""


class Canvas(NamedTuple):
    """What a picture is drawn on.

    Attributes:
        width: columns.
        height: lines.
        colours: what the terminal can show.
        unicode: whether it can show more than ASCII.
    """

    width: int
    height: int
    colours: Colours = "full"
    unicode: bool = True

    @classmethod
    def of(cls, console: "Console", width: int, height: int) -> "Canvas":
        """The canvas that a console offers in so many columns and lines."""
        system = console.color_system
        colours: Colours = "16" if system == "standard" else "full"
        unicode = (console.encoding or "").lower().replace("-", "").startswith("utf")
        if system is None or console.no_color:
            colours = "none"
        elif not unicode:
            colours = "16"  # the others need half blocks
        return cls(width, height, colours, unicode)


def title_line(*words: str) -> Text:
    """The line above a picture: the program, and what is shown of it."""
    return Text.assemble(("twofold", "bold"), *(f"  {word}" for word in words))


@dataclass(slots=True)
class ScreenPicture:
    """What is shown of a game.

    Attributes:
        title: the line above: the program, and who plays.
        board: the position.
        figures: names and texts beside the board; those without a text are left out.
        panel: draws what stands below the figures, such as the values of the moves; None
            for nothing.
        note: the last line: what happens, what the user may do.
        new: cell of the tile that has just appeared.
        below: draws a line above the note; None for none.
    """

    title: Text
    board: "Board"
    figures: Sequence[tuple[str, str]]
    panel: Drawer | None
    note: Text
    new: int | None = None
    below: Callable[[int, bool], Text] | None = None

    def lines(self, canvas: Canvas) -> list[Text]:
        """The picture for a canvas, line by line."""
        below = [] if self.below is None else [self.below(canvas.width, canvas.unicode)]
        below += wrapped(self.note, canvas.width)
        inner = canvas._replace(height=canvas.height - 1 - len(below))
        body = self._body(inner)
        spare = inner.height - len(body)
        above, between = [Text()] * (spare >= 2), [Text()] * (spare >= 1)
        lines = [self.title, *above, *body, *between, *below][: canvas.height]
        return [cut(line, canvas.width, canvas.unicode) for line in lines]

    def _body(self, canvas: Canvas) -> list[Text]:
        """The board, and the figures beside or below it."""
        look, is_beside = self._layout(canvas)
        board = draw_board(self.board, look, self.new)
        if not is_beside:
            return board + self._row(canvas, canvas.height - len(board))
        start = board_size(self.board, look)[0] + 2
        width = min(canvas.width - start, MAX_PANEL_WIDTH)
        return _beside(board, self._column(width, canvas), start)

    def _layout(self, canvas: Canvas) -> tuple[Look, bool]:
        """How the board is drawn, and whether the figures stand beside it."""
        beside = self._fit(canvas, canvas.width - PANEL_WIDTH, canvas.height)
        fits = board_size(self.board, beside)[0] + PANEL_WIDTH <= canvas.width
        below = self._fit(canvas, canvas.width, canvas.height - self._row_height(canvas))
        if fits and (beside.height, not beside.short) >= (below.height, not below.short):
            return beside, True
        return below, False

    def _fit(self, canvas: Canvas, width: int, height: int) -> Look:
        return fit(self.board, canvas.colours, width, height, blocks=canvas.unicode)

    # ---- figures

    def _known(self) -> list[tuple[str, str]]:
        return [(name, text) for name, text in self.figures if text]

    def _column(self, width: int, canvas: Canvas) -> list[Text]:
        """The figures below each other, then the panel."""
        known = self._known()
        widest = max(len(name) for name, _ in known) + 1
        lines = [Text.assemble((f"{name:<{widest}}", "dim"), text) for name, text in known]
        panel = [] if self.panel is None else self.panel(width, canvas.unicode)
        room = canvas.height - len(panel) - 1
        return [*lines[:room], Text(), *panel] if panel else lines

    def _row(self, canvas: Canvas, room: int) -> list[Text]:
        """The figures after each other, then the panel; what does not fit is left out."""
        figures = self._flow(canvas.width)
        panel = [] if self.panel is None else self.panel(canvas.width, canvas.unicode)
        if len(figures) + len(panel) <= room:
            return [*figures, *panel]
        moves = panel[1:]  # without their heading
        return figures[: max(room - len(moves), 1)] + moves[: max(room - 1, 0)]

    def _row_height(self, canvas: Canvas) -> int:
        panel = 0 if self.panel is None else len(self.panel(canvas.width, canvas.unicode))
        return len(self._flow(canvas.width)) + panel

    def _flow(self, width: int) -> list[Text]:
        """The figures, as many on a line as fit."""
        lines: list[Text] = []
        for name, text in self._known():
            part = Text.assemble((f"{name} ", "dim"), text)
            if lines and lines[-1].cell_len + 3 + part.cell_len <= width:
                lines[-1] = lines[-1] + Text("   ") + part
            else:
                lines.append(part)
        return lines


def cut(line: Text, width: int, unicode: bool) -> Text:
    """The line; where it is wider than there is room, what is cut off is an ellipsis."""
    if line.cell_len <= width:
        return line
    mark = "…" if unicode else "..."
    short = line.copy()
    short.truncate(max(width - len(mark), 0))
    return short.append(mark)


def wrapped(note: Text, width: int, most: int = MOST_NOTE_LINES) -> list[Text]:
    """A note on several lines where it is too long for one; what is beyond the last is cut off."""
    at = note.plain.rfind(" ", 0, width + 1)
    if note.cell_len <= width or at <= 0 or most == 1:
        return [note]
    first, rest = note.divide([at + 1])
    first.rstrip()
    return [first, *wrapped(rest, width, most - 1)]


def _beside(left: Sequence[Text], right: Sequence[Text], start: int) -> list[Text]:
    """Two columns of lines, the second from a column on."""
    lines = []
    for number in range(max(len(left), len(right))):
        line = left[number].copy() if number < len(left) else Text()
        line.append(" " * (start - line.cell_len))
        if number < len(right):
            line.append_text(right[number])
        lines.append(line)
    return lines
