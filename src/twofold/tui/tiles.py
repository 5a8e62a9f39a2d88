"""Boards as lines of text, as large as there is room, in the colours of the terminal."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.style import Style
from rich.text import Text

from twofold.tui.glyphs import draw_big, fits_big
from twofold.tui.palette import GRID, Colours, tile_style

if TYPE_CHECKING:
    from twofold.board import Board

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
        blocks: True if half blocks can be drawn: they leave half a line between high tiles.
    """

    colours: Colours
    width: int
    height: int = 1
    gap: int = 1
    short: bool = False
    blocks: bool = True

    @property
    def big(self) -> bool:
        """True if numbers are drawn large."""
        return self.has_edges and self.height >= 5 and fits_big(BIG_DIGITS, self.width)

    @property
    def has_edges(self) -> bool:
        """True if tiles have edges of half blocks above and below."""
        return self.colours != "none" and self.blocks and self.height > 1


def fit(board: "Board", colours: Colours, width: int, height: int, *, blocks: bool = True) -> Look:
    """The largest layout in which a board fits into a number of columns and lines.

    With too few lines for one line a row, the board is cut off below; with too few columns, it has
    the narrowest layout.
    """
    digits = len(str(max(board.max_tile, 1024)))
    for look in _looks(colours, digits):
        columns, lines = board_size(board, look)
        if columns <= width and (lines <= height or look.height == 1):
            break
    return look._replace(blocks=blocks)


def flat_look(board: "Board", colours: Colours) -> Look:
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


def board_size(board: "Board", look: Look) -> tuple[int, int]:
    """(columns, lines) of a drawn board."""
    if look.colours == "none":
        if look.height == 1:
            return board.cols * (look.width + 1) - 1, board.rows
        return board.cols * (look.width + 1) + 1, board.rows * (look.height - 1) + 1
    return board.cols * (look.width + look.gap) + look.gap, board.rows * look.height


def draw_board(board: "Board", look: Look, new: int | None = None) -> list[Text]:
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
        return _flat_text(row, look) if look.height == 1 else _boxes(row, look, new)
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


def _flat_text(row: tuple[int, ...], look: Look) -> tuple[Text, ...]:
    labels = (tile_label(exponent, look.short) or "." for exponent in row)
    return (Text(" ".join(f"{label:>{look.width}}" for label in labels)),)


# ---- with colours


def _grid(look: Look) -> Style:
    """The style between tiles; with 16 colours the terminal's own."""
    return Style(bgcolor=GRID) if look.colours == "full" else Style()


def _tall_tiles(row: tuple[int, ...], look: Look, new: int | None) -> tuple[Text, ...]:
    """Half blocks leave half a line of grid above and below each tile."""
    lines = tuple(Text(end="") for _ in range(look.height))
    grid, gap = _grid(look), " " * look.gap
    for place, exponent in enumerate(row):
        tile = _tall_tile(exponent, look, grid)
        if place == new:
            tile = _inset(tile, tile_style(0, look.colours))
        for line, parts in zip(lines, tile, strict=True):
            line.append(gap, grid)
            for text, style in parts:
                line.append(text, style)
    for line in lines:
        line.append(gap, grid)
    return lines


def _tall_tile(exponent: int, look: Look, grid: Style) -> list[Parts]:
    style = tile_style(exponent, look.colours)
    edge = Style(color=style.bgcolor, bgcolor=grid.bgcolor)
    inner: list[Parts] = [[(text, style)] for text in _number(exponent, look)]
    return [[("▄" * look.width, edge)], *inner, [("▀" * look.width, edge)]]


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
    """One line a row, or several of one colour; a new tile is underlined."""
    grid, gap = _grid(look), " " * look.gap
    lines = []
    for number in range(look.height):
        line = Text(end="")
        for place, exponent in enumerate(row):
            style = tile_style(exponent, look.colours)
            label = tile_label(exponent, look.short) if number == look.height // 2 else ""
            line.append(gap, grid)
            _append_label(line, label, look.width, style, underlined=place == new)
        line.append(gap, grid)
        lines.append(line)
    return tuple(lines)


def _append_label(line: Text, label: str, width: int, style: Style, *, underlined: bool) -> None:
    before = (width - len(label)) // 2
    line.append(" " * before, style)
    line.append(label, style + Style(underline=underlined) if underlined else style)
    line.append(" " * (width - len(label) - before), style)
