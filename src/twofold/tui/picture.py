"""The picture of a game: lines with the board, figures beside or below it, and a note.

The caller gives the size and the abilities of the terminal; the board fills the room.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.text import Text

from twofold.tui.tiles import Colours, Look, board_size, draw_board, fit

if TYPE_CHECKING:
    from rich.console import Console

    from twofold.board import Board

PANEL_WIDTH: Final = 30
"""Columns that the figures need beside the board; with fewer they are below it."""

MAX_PANEL_WIDTH: Final = 44
"""Largest width of the panel."""

MOST_NOTE_LINES: Final = 6
"""Largest number of lines of a note, such as an error of an engine."""

Drawer = Callable[[int, bool], list[Text]]
"""Draws lines; arguments: columns, True for Unicode."""


class Canvas(NamedTuple):
    """The size of a picture in columns and lines, and the abilities of the terminal.

    `unicode` is True if it can show more than ASCII.
    """

    width: int
    height: int
    colours: Colours = "full"
    unicode: bool = True

    @classmethod
    def of(cls, console: "Console", width: int, height: int) -> "Canvas":
        """The canvas of a console."""
        system = console.color_system
        colours: Colours = "16" if system == "standard" else "full"
        unicode = (console.encoding or "").lower().replace("-", "").startswith("utf")
        if system is None or console.no_color:
            colours = "none"
        elif not unicode:
            colours = "16"  # the others need half blocks
        return cls(width, height, colours, unicode)


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
    panel: Drawer | None
    note: Text
    new: int | None = None
    below: Callable[[int, bool], Text] | None = None

    def lines(self, canvas: Canvas) -> list[Text]:
        """The lines of the picture."""
        below = [] if self.below is None else [self.below(canvas.width, canvas.unicode)]
        below += wrapped(self.note, canvas.width)
        inner = canvas._replace(height=canvas.height - 1 - len(below))
        body = self._body(inner)
        spare = inner.height - len(body)
        above, between = [Text()] * (spare >= 2), [Text()] * (spare >= 1)
        lines = [self.title, *above, *body, *between, *below][: canvas.height]
        return [cut(line, canvas.width, canvas.unicode) for line in lines]

    def _body(self, canvas: Canvas) -> list[Text]:
        """The board with its figures."""
        look = self._fit(canvas, canvas.width - PANEL_WIDTH, canvas.height)
        columns = board_size(self.board, look)[0]
        panel = [] if self.panel is None else self.panel(canvas.width, canvas.unicode)
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
        return fit(self.board, canvas.colours, width, height, blocks=canvas.unicode)

    # ---- figures

    def _known(self) -> list[tuple[str, str]]:
        return [(name, text) for name, text in self.figures if text]

    def _column(self, width: int, canvas: Canvas) -> list[Text]:
        known = self._known()
        widest = max(len(name) for name, _ in known) + 1
        lines = [Text.assemble((f"{name:<{widest}}", "dim"), text) for name, text in known]
        panel = [] if self.panel is None else self.panel(width, canvas.unicode)
        room = canvas.height - len(panel) - 1
        return [*lines[:room], Text(), *panel] if panel else lines

    def _row(self, canvas: Canvas, room: int) -> list[Text]:
        """The figures one after the other, then the panel; the rest is left out."""
        figures = self._flow(canvas.width)
        panel = [] if self.panel is None else self.panel(canvas.width, canvas.unicode)
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


def cut(line: Text, width: int, unicode: bool) -> Text:
    """Cut a line to a width, with an ellipsis."""
    if line.cell_len <= width:
        return line
    mark = "…" if unicode else "..."
    short = line.copy()
    short.truncate(max(width - len(mark), 0))
    return short.append(mark)


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
