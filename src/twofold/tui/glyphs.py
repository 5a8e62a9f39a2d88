"""Large digits, drawn with half blocks: 3 columns and 3 lines each.

The lines are 5 half lines, and one left blank below.
"""

from functools import lru_cache
from typing import Final

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
