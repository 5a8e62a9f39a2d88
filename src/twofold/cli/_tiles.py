"""Colours of tiles, and boards as lines of text in colour."""

from typing import TYPE_CHECKING, Final, NamedTuple

from rich.style import Style
from rich.text import Text

if TYPE_CHECKING:
    from twofold.board import Board

GRID: Final = "#bbada0"
EMPTY: Final = "#cdc1b4"
DARK: Final = "#1c1712"
BRIGHT: Final = "#ffffff"

BACKGROUNDS: Final = (
    EMPTY,
    "#eee4da",  # 2, as the original up to 2048, save that 4 is further from 2
    "#ead3a4",  # 4
    "#f2b179",
    "#f59563",
    "#f67c5f",
    "#f65e3b",
    "#edcf72",  # 128
    "#edcc61",
    "#edc850",
    "#edc53f",
    "#edc22e",  # 2048
    "#b5d33d",  # 4096: from here each tile has a colour of its own
    "#5fc14f",
    "#1fae8c",
    "#2497d6",  # 32768
    "#3d63d8",
    "#7a45d1",  # 131072
    "#9a1fae",
    "#b0125f",
)
"""Background of each exponent; past the last ones they begin again at 4096."""

FIRST_LARGE: Final = 12

NAMED: Final = (
    "black on white",
    "black on white",
    "black on bright_white",
    "black on yellow",
    "black on bright_yellow",
    "black on bright_red",
    "bright_white on red",
    "black on yellow",
    "black on bright_yellow",
    "black on yellow",
    "black on bright_yellow",
    "black on bright_yellow",
    "black on bright_green",
    "black on green",
    "black on bright_cyan",
    "black on cyan",
    "bright_white on blue",
    "bright_white on magenta",
    "black on bright_magenta",
    "bright_white on black",
)
"""The same for terminals of 16 colours."""


def _cycled(exponent: int) -> int:
    if exponent < len(BACKGROUNDS):
        return exponent
    return FIRST_LARGE + (exponent - FIRST_LARGE) % (len(BACKGROUNDS) - FIRST_LARGE)


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb`, 0 to 1. Source: WCAG 2."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast of two colours, 1 to 21. Source: WCAG 2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def tile_colours(exponent: int) -> tuple[str, str]:
    """(text, background) of a tile; the text is dark or bright, whichever reads better."""
    background = BACKGROUNDS[_cycled(exponent)]
    return max((DARK, BRIGHT), key=lambda text: contrast(text, background)), background


class Look(NamedTuple):
    """How boards are drawn: what the terminal can show, and how large a cell may be."""

    colours: str  # "full", "16" or "none"
    width: int
    tall: bool


def tile_style(exponent: int, colours: str) -> Style:
    """The style of a tile with as many colours as the terminal has."""
    if colours == "16":
        return Style.parse(NAMED[_cycled(exponent)]) + Style(bold=exponent > 0)
    text, background = tile_colours(exponent)
    return Style(color=text, bgcolor=background, bold=exponent > 0)


def board_size(board: "Board", look: Look) -> tuple[int, int]:
    """(columns, lines) of a drawn board."""
    if look.colours == "none":
        return board.cols * (look.width + 1) + 1, 2 * board.rows + 1 if look.tall else board.rows
    gap = 2 if look.tall else 1
    return board.cols * (look.width + gap) + gap, board.rows * (3 if look.tall else 1)


def draw_board(board: "Board", look: Look) -> list[Text]:
    """The board as lines."""
    if look.colours == "none":
        drawn = _boxed(board, look.width) if look.tall else board.drawn().splitlines()
        return [Text(line) for line in drawn]
    if look.tall and look.colours == "full":
        return [line for row in range(board.rows) for line in _tall_row(board, row, look.width)]
    return [line for row in range(board.rows) for line in _flat_row(board, row, look)]


def _row(board: "Board", row: int) -> tuple[int, ...]:
    return board.exponents[row * board.cols : (row + 1) * board.cols]


def _label(exponent: int, width: int) -> str:
    return f"{1 << exponent if exponent else '':^{width}}"


def _boxed(board: "Board", width: int) -> list[str]:
    rule = "+" + ("-" * width + "+") * board.cols
    lines = [rule]
    for row in range(board.rows):
        cells = (_label(exponent, width) for exponent in _row(board, row))
        lines += ["|" + "|".join(cells) + "|", rule]
    return lines


def _tall_row(board: "Board", row: int, width: int) -> list[Text]:
    """Three lines a row; half blocks leave half a line of grid above and below each tile."""
    lines = [Text(end="") for _ in range(3)]
    grid = Style(bgcolor=GRID)
    for exponent in _row(board, row):
        style = tile_style(exponent, "full")
        edge = Style(color=style.bgcolor, bgcolor=grid.bgcolor)
        for line, text, look in (
            (lines[0], "▄" * width, edge),
            (lines[1], _label(exponent, width), style),
            (lines[2], "▀" * width, edge),
        ):
            line.append("  ", grid)
            line.append(text, look)
    for line in lines:
        line.append("  ", grid)
    return lines


def _flat_row(board: "Board", row: int, look: Look) -> list[Text]:
    """One line a row, or three of one colour."""
    grid = Style(bgcolor=GRID) if look.colours == "full" else Style()
    gap = "  " if look.tall else " "
    labels = [False, True, False] if look.tall else [True]
    lines = []
    for labelled in labels:
        line = Text(end="")
        for exponent in _row(board, row):
            line.append(gap, grid)
            text = _label(exponent if labelled else 0, look.width)
            line.append(text, tile_style(exponent, look.colours))
        line.append(gap, grid)
        lines.append(line)
    return lines
