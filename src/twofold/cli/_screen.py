"""The live picture of a game: board, figures, the values of the four moves."""

from dataclasses import dataclass
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.text import Text

from twofold.board import Board
from twofold.cli._analysis import format_value
from twofold.cli._playback import Frame
from twofold.cli._tiles import Look, board_size, draw_board
from twofold.search.analysis import Analysis, MoveAnalysis

PANEL_WIDTH: Final = 30
"""Columns that the figures need beside the board; else they go below it."""

HALF_BAR: Final = 0.1
"""Length of the bar of the worst legal move, as a share of that of the best."""


@dataclass(slots=True)
class Screen:
    """What is drawn: a frame, and what stays the same during the game.

    Attributes:
        frame: the position to draw.
        player: the player's spec, as given.
        seed: the seed of the game.
        note: a line below: what happens, what the user may do.
    """

    frame: Frame
    player: str
    seed: int
    note: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or console.height
        for number, line in enumerate(self.lines(console, options.max_width, height)):
            if number:
                yield Segment.line()
            line.truncate(options.max_width)
            line.end = ""
            yield line

    def lines(self, console: Console, width: int, height: int) -> list[Text]:
        """The picture for a terminal of this size, line by line."""
        board = self.frame.board
        look = choose_look(console, board, width, height)
        picture = draw_board(board, look)
        columns, _ = board_size(board, look)
        title = Text.assemble(("twofold", "bold"), "  ", self.player)
        note = Text(self.note, style="dim")
        if columns + PANEL_WIDTH <= width:
            panel = self.panel(width - columns - 2, unicode=_can_draw(console))
            body = _beside(picture, panel, columns + 2)
        else:
            panel = self.panel(width, unicode=_can_draw(console))
            room = height - len(picture) - 2
            body = picture + _most_important(panel, room)
        lines = (
            [title, *body, note] if len(body) + 4 > height else [title, Text(), *body, Text(), note]
        )
        return lines[:height]

    def panel(self, width: int, unicode: bool) -> list[Text]:
        """The figures and the four moves."""
        frame = self.frame
        rows = [
            ("score", f"{frame.score:,}"),
            ("largest", f"{frame.board.max_tile:,}"),
            ("move", f"{frame.move_number:,}"),
            ("speed", f"{format_speed(frame.moves_per_second)} moves/s"),
            ("elapsed", format_time(frame.seconds)),
            ("search", _search(frame.analysis)),
            ("seed", str(self.seed)),
        ]
        figures = [Text.assemble((f"{name:<8}", "dim"), text) for name, text in rows if text]
        return [*figures, Text(), *draw_moves(frame.analysis, width, unicode)]


def choose_look(console: Console, board: Board, width: int, height: int) -> Look:
    """The largest cells that fit."""
    system = console.color_system
    colours = (
        "none" if system is None or console.no_color else "16" if system == "standard" else "full"
    )
    if not _can_draw(console):
        colours = "none" if colours == "none" else "16"
    digits = len(str(max(board.max_tile, 1024)))
    fits = board.rows * 3 + 4 <= height
    for cell in (max(8, digits + 2), digits + 2, digits):
        look = Look(colours, cell, fits)
        if board_size(board, look)[0] + PANEL_WIDTH <= width:
            return look
    return Look(colours, digits + (board.cols * (digits + 3) + 1 <= width), False)


def _can_draw(console: Console) -> bool:
    return (console.encoding or "").lower().replace("-", "").startswith("utf")


def _beside(left: list[Text], right: list[Text], start: int) -> list[Text]:
    lines = []
    for number in range(max(len(left), len(right))):
        line = left[number].copy() if number < len(left) else Text()
        line.append(" " * (start - line.cell_len))
        if number < len(right):
            line.append_text(right[number])
        lines.append(line)
    return lines


def _most_important(panel: list[Text], room: int) -> list[Text]:
    """What fits below the board: score, largest tile and moves stay, blank lines go first."""
    filled = [line for line in panel if line.plain]
    if len(panel) <= room:
        return panel
    if len(filled) <= room:
        return filled
    figures, moves = filled[:-4], filled[-4:]
    return figures[: max(room - 4, 1)] + moves[: max(room - 1, 0)]


def _search(analysis: Analysis | None) -> str:
    if analysis is None:
        return ""
    parts = [analysis.depth] if analysis.depth else []
    if analysis.nodes:
        parts.append(f"{analysis.nodes:,} nodes")
    return ", ".join(parts)


def draw_moves(analysis: Analysis | None, width: int, unicode: bool) -> list[Text]:
    """The four moves with their values and bars; the bar runs from the worst to the best."""
    names = ("up", "right", "down", "left")
    if analysis is None:
        return [Text("moves", style="dim"), *(Text(f"  {name}") for name in names)]
    unit = f"values, {analysis.unit}" if analysis.unit else "moves"
    legal = [one.value for one in analysis.moves if one.legal and one.value is not None]
    texts = [_value_text(analysis, one) for one in analysis.moves]
    widest = max(map(len, texts))
    texts = [f"{text:>{widest}}" for text in texts]
    room = width - 8 - widest - 1
    lines = [Text(unit, style="dim")]
    for one, text in zip(analysis.moves, texts, strict=True):
        lines.append(_move_line(analysis, one, text, bar_length(one, legal, room), room, unicode))
    return lines


def _value_text(analysis: Analysis, one: MoveAnalysis) -> str:
    """The best value in full, the others as their distance from it."""
    if not one.legal:
        return "illegal"
    if one.value is None or analysis.value is None:
        return f"+{one.reward}" if one.reward else ""
    if one.move == analysis.best:
        return format_value(one.value)
    if one.value == analysis.value:
        return "same"
    return format_value(one.value - analysis.value, analysis.value)


def _move_line(
    analysis: Analysis, one: MoveAnalysis, text: str, length: int, room: int, unicode: bool
) -> Text:
    chosen = one.move == analysis.best
    style = "bold" if chosen else "" if one.legal else "dim"
    pointer = ("▶ " if unicode else "> ") if chosen else "  "
    line = Text(f"{pointer}{one.move.name.lower():<5} ", style=style)
    if room >= 4 and any(move.value is not None for move in analysis.moves):
        bar = ("█" if unicode else "#") * length
        line.append(f"{bar:<{room}} ", style="green" if chosen else "cyan")
    line.append(text)
    return line


def bar_length(one: MoveAnalysis, legal: list[float], room: int) -> int:
    """Columns of a bar: the best move fills the room, the worst a tenth of it."""
    if not one.legal or one.value is None or room < 4:
        return 0
    low, high = min(legal), max(legal)
    share = 1.0 if high == low else (one.value - low) / (high - low)
    if share != share:  # values that are infinite
        share = 1.0 if one.value == high else 0.0
    return max(1, round(room * (HALF_BAR + (1 - HALF_BAR) * share)))


def format_speed(value: float) -> str:
    """A rate with about three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def format_time(seconds: float) -> str:
    """`0:12`, `1:02:03`; tenths below ten seconds."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
