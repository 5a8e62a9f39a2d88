"""Boards as lines of text, in the colours of the terminal, and in words.

Moves and boards in words, for screen readers and the plain terminal.

>>> from twofold import Board, Move
>>> after = Board.parse("1x4:2101")
>>> words_of_move(Board.parse("1x4:1101"), Move.LEFT, after)
'left: 2 and 2 make 4, plus 4, new 2 at row 1, column 4'
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from rich.style import Style
from rich.text import Text

from twofold.game import reference
from twofold.game.board import Board
from twofold.game.drawing import BOARD, CELL, TILES
from twofold.game.rules import Move
from twofold.kernels import BUILT


def getting_ready() -> str:
    """The note shown while a player is loading."""
    return "compiling, the first time only ..." if BUILT else "getting ready ..."


def words_of_move(before: Board, move: Move, after: Board) -> str:
    """The merges, points and new tile of a legal move; `after` has the new tile."""
    slide = before.slide(move)
    made = [f"{tile // 2} and {tile // 2} make {tile}" for tile in merges(before, move)]
    parts = [*made, f"plus {slide.reward}"] if made else ["no merge"]
    pairs = zip(slide.board.exponents, after.exponents, strict=True)
    cell = next(cell for cell, (old, new) in enumerate(pairs) if old != new)
    parts.append(f"new {1 << after.exponents[cell]} at {words_of_cell(cell, after.cols)}")
    return f"{move.name.lower()}: {', '.join(parts)}"


def merges(board: Board, move: Move) -> list[int]:
    """The tiles made by a move's merges, line by line."""
    made = []
    for line in reference.lines(board.rows, board.cols, move):
        last = 0  # the tile that may still merge
        for exponent in (board.exponents[cell] for cell in line):
            if exponent and exponent == last:
                made.append(2 << exponent)
                last = 0
            elif exponent:
                last = exponent
    return made


def words_of_cell(cell: int, cols: int) -> str:
    """The position of a cell: `row 1, column 3`."""
    row, col = divmod(cell, cols)
    return f"row {row + 1}, column {col + 1}"


def words_of_board(board: Board) -> list[str]:
    """The board row by row: `row 1: 2, empty, 4, 8`."""
    return [
        f"row {number}: {', '.join(str(tile) if tile else 'empty' for tile in row)}"
        for number, row in enumerate(board.tiles, 1)
    ]


Colours = Literal["full", "16", "none"]
"""Colours of a terminal: true colours (or the nearest of 256), the 16 named ones, or none."""

NAMED: Final = (
    "white on bright_black",
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
"""Each exponent in terminals of 16 colours; after the last they repeat from 4096."""

_FIRST_LARGE: Final = 12


@lru_cache(maxsize=128)
def tile_style(exponent: int, colours: Colours) -> Style:
    """The style of a tile in the colours of the terminal; true colours are those of the page."""
    bold = Style(bold=exponent > 0)
    if colours == "none":
        return bold
    if colours == "16":
        large = (exponent - _FIRST_LARGE) % (len(NAMED) - _FIRST_LARGE)
        return Style.parse(NAMED[min(exponent, _FIRST_LARGE + large)]) + bold
    if not exponent:
        return Style(bgcolor=CELL.light)
    face, text = TILES[exponent - 1]
    return Style(color=text.light, bgcolor=face.light) + bold


COLUMNS: Final = 3
"""Columns of a digit; between two digits there is one more."""

DIGITS: Final = {
    "0": ("###", "# #", "# #", "# #", "###"),
    "1": ("## ", " # ", " # ", " # ", "###"),
    "2": ("###", "  #", "###", "#  ", "###"),
    "3": ("###", "  #", "###", "  #", "###"),
    "4": ("# #", "# #", "###", "  #", "  #"),
    "5": ("###", "#  ", "###", "  #", "###"),
    "6": ("###", "#  ", "###", "# #", "###"),
    "7": ("###", "  #", "  #", "  #", "  #"),
    "8": ("###", "# #", "###", "# #", "###"),
    "9": ("###", "# #", "###", "  #", "###"),
}
"""The five half lines of each digit, from the top."""

BLOCKS: Final = {"  ": " ", "# ": "▀", " #": "▄", "##": "█"}
"""The characters for an upper and a lower half line."""


def fits_big(digits: int, width: int) -> bool:
    """True if a number with this many digits fits, with one free column."""
    return (COLUMNS + 1) * digits <= width


@lru_cache(maxsize=64)
def draw_big(number: str) -> list[str]:
    """The lines of a number; of an empty text blank lines."""
    halves = [" ".join(DIGITS[digit][half] for digit in number) for half in range(5)]
    halves.append(" " * len(halves[0]))
    return [
        "".join(BLOCKS[upper + lower] for upper, lower in zip(*pair, strict=True))
        for pair in zip(halves[::2], halves[1::2], strict=True)
    ]


SHORT: Final = 4
"""Largest length of a short label: 8192, 16k, 128k, 32G."""

BIG_DIGITS: Final = 4
"""Numbers are drawn large if this many digits fit; a tile with more digits is written small."""


Parts = list[tuple[str, Style]]
"""A line in several styles."""


class Look(NamedTuple):
    """The layout of a board.

    Attributes:
        colours: those of the terminal.
        width: columns of a tile.
        height: lines from one row of tiles to the next: 1, or an odd number from 3 on.
        gap: columns between two tiles; with 0 they touch.
        short: True if tiles from 16384 on are written as 16k.
    """

    colours: Colours
    width: int
    height: int = 1
    gap: int = 1
    short: bool = False

    @property
    def big(self) -> bool:
        """True if numbers are drawn large."""
        return self.has_edges and self.height >= 5 and fits_big(BIG_DIGITS, self.width)

    @property
    def has_edges(self) -> bool:
        """True if tiles have edges of half blocks above and below."""
        return self.colours != "none" and self.height > 1


def fit(board: Board, colours: Colours, width: int, height: int) -> Look:
    """The largest layout in which a board fits into a number of columns and lines.

    With too few lines for one line a row, the board is cut off below; with too few columns, it has
    the narrowest layout.
    """
    digits = len(str(max(board.max_tile, 1024)))
    for look in _looks(colours, digits):
        columns, lines = board_size(board, look)
        if columns <= width and (lines <= height or look.height == 1):
            break
    return look


def flat_look(board: Board, colours: Colours) -> Look:
    """A layout of one line a row, no wider than needed."""
    return Look(colours, len(str(board.max_tile)) + 2 * (colours != "none"))


def _looks(colours: Colours, digits: int) -> Iterator[Look]:
    """The layouts, large ones first."""
    for lines in (9, 7, 5):
        yield Look(colours, max(2 * lines, digits + 2), lines, 2)
    for width in (max(8, digits + 2), digits + 2):
        yield Look(colours, width, 3, 2)
    for width in (digits + 2, digits):
        yield Look(colours, width)
    yield Look(colours, digits + 1, gap=0)
    yield Look(colours, SHORT, short=True)
    yield Look(colours, SHORT + 1, gap=0, short=True)


def board_size(board: Board, look: Look) -> tuple[int, int]:
    """(columns, lines) of a drawn board."""
    if look.colours == "none":
        if look.height == 1:
            return board.cols * (look.width + 1) - 1, board.rows
        return board.cols * (look.width + 1) + 1, board.rows * (look.height - 1) + 1
    return board.cols * (look.width + look.gap) + look.gap, board.rows * look.height


def draw_board(board: Board, look: Look, new: int | None = None) -> list[Text]:
    """The board as lines; the new tile in the cell `new` is highlighted."""
    lines = [] if look.colours != "none" or look.height == 1 else [_rule(board.cols, look.width)]
    for row in range(board.rows):
        exponents = board.exponents[row * board.cols : (row + 1) * board.cols]
        place = None if new is None or new // board.cols != row else new % board.cols
        lines += [line.copy() for line in _drawn(exponents, look, place)]
    return lines


@lru_cache(maxsize=1 << 10)
def _drawn(row: tuple[int, ...], look: Look, new: int | None) -> tuple[Text, ...]:
    """The cached lines of one row; callers must not change them."""
    if look.colours == "none":
        if look.height > 1:
            return _boxes(row, look, new)
        labels = (tile_label(exponent, look.short) or "." for exponent in row)
        return (Text(" ".join(f"{label:>{look.width}}" for label in labels)),)
    if look.has_edges:
        return _tall_tiles(row, look, new)
    return _flat_tiles(row, look, new)


def tile_label(exponent: int, short: bool = False) -> str:
    """The label of a tile, empty for an empty cell: `8192`; if short `16k`, `128k`, `4M`."""
    if not exponent:
        return ""
    if not short or exponent < 14:
        return str(1 << exponent)
    power, letter = next((ten, sign) for ten, sign in ((30, "G"), (20, "M"), (10, "k"))
                         if exponent >= ten)  # fmt: skip
    return f"{1 << (exponent - power)}{letter}"


# ---- without colours


def _rule(cols: int, width: int) -> Text:
    return Text("+" + ("-" * width + "+") * cols)


def _boxes(row: tuple[int, ...], look: Look, new: int | None) -> tuple[Text, ...]:
    """The lines between two rules, and the rule below; a new tile is in brackets."""
    labels = [tile_label(exponent) for exponent in row]
    if new is not None:
        labels[new] = f"({labels[new]})"
    middle = Text("|")
    for label, exponent in zip(labels, row, strict=True):
        middle.append(f"{label:^{look.width}}", tile_style(exponent, "none")).append("|")
    blank = Text("|" + (" " * look.width + "|") * len(row))
    above = (look.height - 3) // 2
    return (*[blank] * above, middle, *[blank] * above, _rule(len(row), look.width))


# ---- with colours


def _grid(look: Look) -> Style:
    """The style between tiles; with 16 colours the terminal's own."""
    return Style(bgcolor=BOARD.light) if look.colours == "full" else Style()


def _tall_tiles(row: tuple[int, ...], look: Look, new: int | None) -> tuple[Text, ...]:
    """Half blocks leave half a line of grid above and below each tile."""
    lines = tuple(Text(end="") for _ in range(look.height))
    grid, gap = _grid(look), " " * look.gap
    for place, exponent in enumerate(row):
        style = tile_style(exponent, look.colours)
        edge = Style(color=style.bgcolor, bgcolor=grid.bgcolor)
        tile: list[Parts] = [[(text, style)] for text in _number(exponent, look)]
        tile = [[("▄" * look.width, edge)], *tile, [("▀" * look.width, edge)]]
        if place == new:
            tile = _inset(tile, tile_style(0, look.colours))
        for line, parts in zip(lines, tile, strict=True):
            line.append(gap, grid)
            for text, style in parts:
                line.append(text, style)
    for line in lines:
        line.append(gap, grid)
    return lines


def _number(exponent: int, look: Look) -> list[str]:
    """The lines of the number, between the edges of a tile."""
    label = tile_label(exponent)
    drawn = draw_big(label) if look.big and fits_big(len(label), look.width) else [label]
    above = (look.height - 2 - len(drawn)) // 2
    below = look.height - 2 - len(drawn) - above
    return [f"{text:^{look.width}}" for text in [*[""] * above, *drawn, *[""] * below]]


def _inset(tile: list[Parts], empty: Style) -> list[Parts]:
    """A new tile, drawn smaller than the others."""
    [(top, edge)], *inner, [(bottom, _)] = tile
    faint = Style(color=empty.bgcolor, bgcolor=edge.bgcolor)
    smaller: list[Parts] = [
        [(text[:1], empty), (text[1:-1], style), (text[-1:], empty)] for [(text, style)] in inner
    ]
    return [[(top, faint)], *smaller, [(bottom, faint)]]


def _flat_tiles(row: tuple[int, ...], look: Look, new: int | None) -> tuple[Text, ...]:
    """One line; a new tile is underlined."""
    grid, gap = _grid(look), " " * look.gap
    line = Text(end="")
    for place, exponent in enumerate(row):
        style = tile_style(exponent, look.colours)
        label = tile_label(exponent, look.short)
        before = (look.width - len(label)) // 2
        line.append(gap, grid).append(" " * before, style)
        line.append(label, style + Style(underline=True) if place == new else style)
        line.append(" " * (look.width - len(label) - before), style)
    return (line.append(gap, grid),)
