"""Colours of tiles: those of the original game up to 2048, then one for each tile to 524288."""

from functools import lru_cache
from typing import Final, Literal

from rich.style import Style

Colours = Literal["full", "16", "none"]
"""Colours of a terminal: true colours (or the nearest of 256), the 16 named ones, or none."""

GRID: Final = "#bbada0"
EMPTY: Final = "#cdc1b4"
DARK: Final = "#1c1712"
BRIGHT: Final = "#ffffff"

BACKGROUNDS: Final = (
    EMPTY,
    "#eee4da",  # 2, as in the original up to 2048, except that 4 differs more from 2
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
    "#b5d33d",  # 4096: from here each tile has its own colour
    "#5fc14f",
    "#1fae8c",
    "#2497d6",  # 32768
    "#3d63d8",
    "#7a45d1",  # 131072
    "#9a1fae",
    "#b0125f",
)
"""Background of each exponent; after the last one they repeat from 4096."""

FIRST_LARGE: Final = 12

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
    """(text, background) of a tile; the text is dark or bright, by contrast."""
    background = BACKGROUNDS[_cycled(exponent)]
    return max((DARK, BRIGHT), key=lambda text: contrast(text, background)), background


@lru_cache(maxsize=128)
def tile_style(exponent: int, colours: Colours) -> Style:
    """The style of a tile in the colours of the terminal."""
    bold = Style(bold=exponent > 0)
    if colours == "none":
        return bold
    if colours == "16":
        return Style.parse(NAMED[_cycled(exponent)]) + bold
    text, background = tile_colours(exponent)
    return Style(color=text, bgcolor=background) + bold
