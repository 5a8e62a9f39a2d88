"""Boards as SVG text that uses no font, file or style from elsewhere.

Colours are given twice, as attributes for light pages and as `light-dark()` for viewers that
know it, so that a picture follows the page around it.
"""

import html
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from twofold.errors import InvalidInput
from twofold.figures import counted
from twofold.game.notation import printable, shown

Theme = Literal["auto", "light", "dark"]
"""Colours of a picture; `auto` follows the page around it."""

THEMES: Final = ("auto", "light", "dark")


class Colour(NamedTuple):
    """A colour for light pages and one for dark pages, as `#rrggbb`."""

    light: str
    dark: str


class TileColours(NamedTuple):
    """The face of a tile and the number on it."""

    face: Colour
    text: Colour


BOARD: Final = Colour("#b5a797", "#2f2924")
"""Background of the board."""

CELL: Final = Colour("#cfc4b7", "#3a332d")
"""An empty cell."""

INK: Final = Colour("#3b2f25", "#fffaf0")
"""Text on the background of the board."""

_DARK: Final = "#3b2f25"
_BRIGHT: Final = "#fffaf0"
_DARK_DARK: Final = Colour(_DARK, _DARK)
_DARK_BRIGHT: Final = Colour(_DARK, _BRIGHT)
_BRIGHT_BRIGHT: Final = Colour(_BRIGHT, _BRIGHT)

TILES: Final = (
    TileColours(Colour("#f7f0e4", "#574e44"), _DARK_BRIGHT),  # 2
    TileColours(Colour("#e8d2a0", "#7a673c"), _DARK_BRIGHT),
    TileColours(Colour("#f4ad72", "#a65f2c"), _DARK_BRIGHT),
    TileColours(Colour("#ef8350", "#e2914f"), _DARK_DARK),
    TileColours(Colour("#c63d26", "#b8402b"), _BRIGHT_BRIGHT),
    TileColours(Colour("#9a2213", "#861d10"), _BRIGHT_BRIGHT),
    TileColours(Colour("#faec9e", "#e6d699"), _DARK_DARK),  # 128
    TileColours(Colour("#e9c044", "#e3bf55"), _DARK_DARK),
    TileColours(Colour("#d6960a", "#cc9212"), _DARK_DARK),
    TileColours(Colour("#985d00", "#8a5600"), _BRIGHT_BRIGHT),
    TileColours(Colour("#ffdc0a", "#ffd923"), _DARK_DARK),  # 2048
    TileColours(Colour("#a9d18e", "#93bf78"), _DARK_DARK),
    TileColours(Colour("#2f7d46", "#35784a"), _BRIGHT_BRIGHT),
    TileColours(Colour("#17696b", "#126668"), _BRIGHT_BRIGHT),
    TileColours(Colour("#2f6fb5", "#2f6cb5"), _BRIGHT_BRIGHT),  # 32768
    TileColours(Colour("#3f3f9e", "#45459f"), _BRIGHT_BRIGHT),
    TileColours(Colour("#7b3fa8", "#8146b0"), _BRIGHT_BRIGHT),  # 131072
    TileColours(Colour("#622344", "#6e2e4f"), _BRIGHT_BRIGHT),
    TileColours(Colour("#624900", "#6e5400"), _BRIGHT_BRIGHT),
    TileColours(Colour("#004c49", "#005854"), _BRIGHT_BRIGHT),
    TileColours(Colour("#4d427f", "#584d8c"), _BRIGHT_BRIGHT),
    TileColours(Colour("#68231b", "#742f25"), _BRIGHT_BRIGHT),
    TileColours(Colour("#3a5713", "#456320"), _BRIGHT_BRIGHT),
    TileColours(Colour("#004567", "#005073"), _BRIGHT_BRIGHT),
    TileColours(Colour("#6b3767", "#774272"), _BRIGHT_BRIGHT),
    TileColours(Colour("#5d3100", "#693c00"), _BRIGHT_BRIGHT),
    TileColours(Colour("#005e45", "#00694f"), _BRIGHT_BRIGHT),
    TileColours(Colour("#293871", "#33437d"), _BRIGHT_BRIGHT),
    TileColours(Colour("#793240", "#863d4b"), _BRIGHT_BRIGHT),
    TileColours(Colour("#414000", "#4c4b00"), _BRIGHT_BRIGHT),
    TileColours(Colour("#005a6b", "#006677"), _BRIGHT_BRIGHT),
    TileColours(Colour("#4d2b64", "#58366f"), _BRIGHT_BRIGHT),
    TileColours(Colour("#773a10", "#83451e"), _BRIGHT_BRIGHT),
    TileColours(Colour("#004b1e", "#115629"), _BRIGHT_BRIGHT),
    TileColours(Colour("#194f81", "#265b8d"), _BRIGHT_BRIGHT),  # 2^35
)
"""Colours of the tiles by exponent, from 1: those of the web page. Its tests require a contrast of
4.5 or more between number and face, and visible differences between neighbouring tiles."""

FACE: Final = 100
"""Side of a tile, in units of the picture."""

GAP: Final = 12
"""Space between tiles, and around them."""

SCALE: Final = 0.55
"""Default pixels per unit: a 4x4 board is 253 pixels wide."""

MAX_SCALE: Final = 10.0

FONT: Final = "'Clear Sans','Helvetica Neue',Arial,sans-serif"

_RADIUS: Final = 5
_BASELINE: Final = 0.355
"""Distance of a text's baseline below its middle, in font sizes."""


def check_theme(theme: str) -> Theme:
    """Return `theme` if it is known; raise `InvalidInput` if not."""
    for known in THEMES:
        if theme == known:
            return known
    raise InvalidInput(f"expected a theme ({', '.join(THEMES)}), got {shown(theme)}")


def check_scale(scale: float) -> float:
    """Return `scale` if it is in range; raise `InvalidInput` if not."""
    if not (isinstance(scale, int | float) and 0.05 <= scale <= MAX_SCALE):
        raise InvalidInput(f"expected a scale from 0.05 to {MAX_SCALE:g}, got {shown(scale)}")
    return scale


# ---- parts


def paint(theme: Theme, **colours: Colour) -> str:
    """Attributes that colour an element: `fill="#b5a797" style="fill:light-dark(..."`."""
    if theme != "auto":
        pairs = ((name, getattr(colour, theme)) for name, colour in colours.items())
        return " ".join(f'{name}="{value}"' for name, value in pairs)
    plain = " ".join(f'{name}="{colour.light}"' for name, colour in colours.items())
    both = ";".join(f"{name}:{light_dark(colour)}" for name, colour in colours.items())
    return f'{plain} style="{both}"'


def escaped(text: str) -> str:
    """Text for XML, with markup and control characters escaped."""
    return html.escape(printable(text))


def light_dark(colour: Colour) -> str:
    """The colour as `light-dark()` of CSS."""
    return f"light-dark({colour.light},{colour.dark})"


def preformatted(text: str) -> str:
    """Text as HTML that keeps its lines and columns, for notebooks."""
    return f"<pre>{html.escape(text)}</pre>"


def rectangle(
    x: float, y: float, width: float, height: float, colours: str, radius: float = _RADIUS
) -> str:
    """A filled rectangle; `colours` are attributes of `paint`."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" '
        f"{colours}/>"
    )


def label(
    x: float,
    y: float,
    text: str,
    size: float,
    colours: str,
    *,
    anchor: str = "start",
    bold: bool = False,
) -> str:
    """A line of text with its vertical middle at `y`; the text is escaped."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y + _BASELINE * size:.4g}" font-size="{size:.4g}" '
        f'text-anchor="{anchor}"{weight} {colours}>{escaped(text)}</text>'
    )


def number_size(exponent: int) -> float:
    """Font size of the number on a tile: smaller for more digits."""
    return min(50.0, 128.0 / len(str(1 << exponent)))


def board_size(rows: int, cols: int) -> tuple[int, int]:
    """(width, height) of a board with its border, in units of the picture."""
    return cols * (FACE + GAP) + GAP, rows * (FACE + GAP) + GAP


def cell_corner(cell: int, cols: int) -> tuple[int, int]:
    """(x, y) of the top-left corner of a cell's face."""
    row, col = divmod(cell, cols)
    return GAP + col * (FACE + GAP), GAP + row * (FACE + GAP)


def board_parts(rows: int, cols: int, exponents: Sequence[int], theme: Theme) -> list[str]:
    """The elements of a board with its top-left corner at 0, 0; `exponents` row by row, 0 empty."""
    width, height = board_size(rows, cols)
    parts = [rectangle(0, 0, width, height, paint(theme, fill=BOARD), 2 * _RADIUS)]
    for cell, exponent in enumerate(exponents):
        x, y = cell_corner(cell, cols)
        parts.append(face(x, y, exponent, theme))
    return parts


def face(x: int, y: int, exponent: int, theme: Theme) -> str:
    """A tile with its number, its top-left corner at x, y; exponent 0 for an empty cell."""
    if not exponent:
        return rectangle(x, y, FACE, FACE, paint(theme, fill=CELL))
    colours = TILES[exponent - 1]
    middle = FACE / 2
    return rectangle(x, y, FACE, FACE, paint(theme, fill=colours.face)) + label(
        x + middle,
        y + middle,
        str(1 << exponent),
        number_size(exponent),
        paint(theme, fill=colours.text),
        anchor="middle",
        bold=True,
    )


# ---- pictures


def picture(
    width: float,
    height: float,
    parts: Sequence[str],
    *,
    title: str,
    description: str,
    theme: Theme,
    scale: float = SCALE,
) -> str:
    """A complete SVG from elements; `width` and `height` in units, `scale` in pixels per unit.

    `title` and `description` are for screen readers; both are escaped.
    """
    # A picture opened alone follows the viewer's colour scheme; in a page, that of the page.
    style = "<style>svg:root{color-scheme:light dark}</style>" if theme == "auto" else ""
    size = f'width="{width * scale:.6g}" height="{height * scale:.6g}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" {size} '
        f'role="img" font-family="{FONT}">'
    )
    words = f"<title>{escaped(title)}</title><desc>{escaped(description)}</desc>"
    return "\n".join([head, words + style, *parts, "</svg>\n"])


def draw_board(
    rows: int,
    cols: int,
    exponents: Sequence[int],
    *,
    caption: str = "",
    theme: Theme = "auto",
    scale: float = SCALE,
) -> str:
    """A board as SVG, with an optional caption below; a tile is 100 units wide.

    `exponents` holds log2 of each tile, row by row, 0 for an empty cell; `scale` is pixels a unit.
    """
    width, height = map(float, board_size(rows, cols))
    parts = board_parts(rows, cols, exponents, theme)
    if caption:
        parts, height = captioned(parts, width, height, caption, theme)
    words = f"{caption}. " if caption else ""
    return picture(
        width,
        height,
        parts,
        title=board_title(rows, cols, exponents),
        description=words + board_words(rows, cols, exponents),
        theme=theme,
        scale=scale,
    )


_CAPTION_SIZE: Final = 26
_LEAST_CAPTION_SIZE: Final = 20
_LINE: Final = 1.35
"""Height of a line, in font sizes."""

_LETTERS: Final = 1.75
"""Letters per unit of width at font size 1: their mean width is 0.57."""


def captioned(
    parts: Sequence[str], width: float, height: float, caption: str, theme: Theme
) -> tuple[list[str], float]:
    """Add a line of text below a picture: its parts and its new height.

    The text lies on the board's colour, so it is readable on any page. If it is too long, its font
    becomes smaller, then it wraps at a dot.
    """
    room = _LETTERS * (width - 2 * GAP)
    lines = _wrapped(caption, int(room / _LEAST_CAPTION_SIZE))
    size = min(_CAPTION_SIZE, room / max(map(len, lines)))
    whole = height + len(lines) * _LINE * size + GAP / 2
    ground = rectangle(0, 0, width, whole, paint(theme, fill=BOARD), 2 * _RADIUS)
    texts = [
        label(GAP + 2, height + (number + 0.4) * _LINE * size, line, size, paint(theme, fill=INK))
        for number, line in enumerate(lines)
    ]
    return [ground, *parts, *texts], whole


def _wrapped(caption: str, most: int) -> list[str]:
    """Wrap a caption at its dots into lines of at most `most` letters."""
    lines = [""]
    for part in caption.split(DOT):
        longer = f"{lines[-1]}{DOT}{part}" if lines[-1] else part
        if lines[-1] and len(longer) > most:
            lines.append(part)
        else:
            lines[-1] = longer
    return lines


DOT: Final = " · "
"""Separator of the parts of a caption."""


def game_caption(score: int, move_number: int, *more: str) -> str:
    """A line about a game, its status and its player: `1,234 points · move 120 · going`."""
    return DOT.join(filter(None, [counted(score, "point"), f"move {move_number:,}", *more]))


def board_title(rows: int, cols: int, exponents: Sequence[int]) -> str:
    """A title for a board: `2048 board of 4 rows and 4 columns, ...`."""
    largest = max(exponents)
    holds = f"largest tile {1 << largest}" if largest else "empty"
    return f"2048 board of {counted(rows, 'row')} and {counted(cols, 'column')}, {holds}"


def board_words(rows: int, cols: int, exponents: Sequence[int]) -> str:
    """The tiles in words, row by row: `Row 1: 2, empty, 4. Row 2: ...`."""
    words = [str(1 << exponent) if exponent else "empty" for exponent in exponents]
    return " ".join(
        f"Row {row + 1}: {', '.join(words[row * cols : (row + 1) * cols])}." for row in range(rows)
    )
