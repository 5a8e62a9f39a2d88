"""Patterns: the sets of cells of an n-tuple network, and named lists of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from twofold.errors import InvalidNetwork
from twofold.limits import BITS_MAX_SIDE, MAX_PATTERN_CELLS, MAX_PATTERNS, MIN_CELLS, check_limit
from twofold.notation import shown

NAMED: Final = {
    "4x6": "012345 456789 012456 45689a",
    "5x6": "012345 456789 89abcd 012456 45689a",
    "6x6": "012456 456789 012345 234569 01259a 345678",
    "7x6": "012456 456789 012345 234569 01259a 345678 134567",
    "8x6": "012456 456789 012345 234569 01259a 345678 134567 01489a",
    "2x7": "0123456 456789a",
    "3x7": "0123456 456789a 89abcde",
    "1x8": "01234567",
    "2x8": "01234567 456789ab",
    "3x8": "01234567 456789ab 0123458c",
    "4x8": "01234567 456789ab 01245689 0123458c",
    "4x5": "01234 45678 01245 45689",
    "5x4": "0123 4567 0145 1256 569a",
    "2x4": "0123 4567",
}
"""Lists of patterns for 4x4, as papers name them: `4x6` is 4 patterns of 6 cells.

Source: TDL2048+, where `4x6` is `4x6patt`.
"""

_DIGITS: Final = "0123456789abcdef"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A set of cells, ascending; cells are numbered row by row."""

    cells: tuple[int, ...]

    def __str__(self) -> str:
        return "".join(_DIGITS[cell] for cell in self.cells)

    @property
    def size(self) -> int:
        """Number of weights per stage: 16 to the power of the number of cells."""
        return 1 << 4 * len(self.cells)

    def mask(self, cols: int) -> int:
        """The cells as nibbles of a 64-bit board with `cols` columns."""
        places = (divmod(cell, cols) for cell in self.cells)
        return sum(15 << (60 - 4 * (4 * row + col)) for row, col in places)


def parse_patterns(text: str, shape: tuple[int, int] = (4, 4)) -> tuple[Pattern, ...]:
    """Parse a name of `NAMED`, or patterns such as `012345 456789`: a hexadecimal digit per cell.

    Patterns are separated by spaces or commas; names stand for patterns of 4x4.
    """
    if not isinstance(text, str):
        raise InvalidNetwork(f"expected patterns as text, got {shown(text)}")
    if text in NAMED:
        if shape != (4, 4):
            rows, cols = shape
            raise InvalidNetwork(
                f"expected patterns such as '0123 2345' for {rows}x{cols}, got {text} (for 4x4)"
            )
        text = NAMED[text]
    words = text.replace(",", " ").split()
    if not words or any(set(word.lower()) - set(_DIGITS) for word in words):
        raise InvalidNetwork(
            f"expected one of {', '.join(NAMED)}, or patterns such as '012345 456789', "
            f"got {shown(text)}"
        )
    return check_patterns(
        [[_DIGITS.index(digit) for digit in word.lower()] for word in words], shape
    )


def check_patterns(
    patterns: Sequence[Sequence[int]], shape: tuple[int, int]
) -> tuple[Pattern, ...]:
    """Make patterns from lists of cells, in any order; cells and patterns must not repeat."""
    rows, cols = shape
    if not (1 <= rows <= BITS_MAX_SIDE and 1 <= cols <= BITS_MAX_SIDE and rows * cols >= MIN_CELLS):
        raise InvalidNetwork(f"expected a network for shapes up to 4x4, got {rows}x{cols}")
    check_limit("patterns of a network", len(patterns), 1, MAX_PATTERNS)
    found: list[Pattern] = []
    for cells in patterns:
        check_limit("cells of a pattern", len(cells), 1, MAX_PATTERN_CELLS)
        pattern = Pattern(tuple(sorted(cells)))
        text = "".join(_DIGITS[cell] if cell in range(16) else f"({cell})" for cell in cells)
        if len(set(cells)) < len(cells):
            raise InvalidNetwork(f"expected different cells in a pattern, got {text}")
        if not set(cells) <= set(range(rows * cols)):
            raise InvalidNetwork(
                f"expected cells below {rows * cols} in a pattern for {rows}x{cols}, got {text}"
            )
        if pattern in found:
            raise InvalidNetwork(f"expected different patterns, got {pattern} twice")
        found.append(pattern)
    return tuple(found)


def format_patterns(patterns: Sequence[Pattern]) -> str:
    """The name of a list of patterns, or its text; the inverse of `parse_patterns`."""
    text = " ".join(str(pattern) for pattern in patterns)
    return next((name for name, known in NAMED.items() if known == text), text)
