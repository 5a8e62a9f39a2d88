"""Depth: the number of plies of a search, which may depend on the board."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Self

from twofold.errors import InvalidSpec
from twofold.game.notation import shown
from twofold.limits import MAX_PLY, check_limit

_BITS_CELLS: Final = 16
BY_TILES: Final = "tiles"
"""The text of a depth by the number of different tiles."""
ENDLESS: Final = 1 << 62
"""The end of an open band, above the tile sum of any board."""
Steps = tuple[tuple[int, int], ...]
"""(fewest empty cells, plies), ascending, beginning with 0 empty cells."""


@dataclass(frozen=True, slots=True)
class DepthBand:
    """The depth by empty cells for tile sums from `low` to `high` - 1; `ENDLESS` for open bands."""

    low: int
    high: int
    steps: Steps

    def __str__(self) -> str:
        high = "" if self.high == ENDLESS else self.high
        return f"{self.low}-{high}:{_steps_text(self.steps)}"


@dataclass(frozen=True, slots=True)
class Depth:
    """A depth in plies by empty cells, with exceptions for bands of tile sums.

    Attributes:
        steps: (fewest empty cells, plies), ascending, beginning with 0 empty cells.
        by_tiles: True for the number of different tiles less 1, at least 4, as in
            nneonneo/2048-ai, whose limit max(3, tiles - 2) counts layers below the first move.
        bands: exceptions by the tile sum of the board before downgrading, ascending and disjoint.
    """

    steps: Steps
    by_tiles: bool = False
    bands: tuple[DepthBand, ...] = ()

    @classmethod
    def fixed(cls, ply: int) -> Self:
        """The same depth on every board."""
        return cls(((0, ply),))

    @classmethod
    def few(cls, ply: int, few: int, few_ply: int) -> Self:
        """`few_ply` on boards with fewer than `few` empty cells, else `ply`."""
        return cls(((0, few_ply), (few, ply)))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a depth.

        `"5"`; `"6/5@3/4@8"`: 6 plies, 5 from 3 empty cells, 4 from 8; `"tiles"`. Bands follow:
        `"2+14000-16000:4/3@5+28000-:3"` is 2 plies, but 4 (3 from 5 empty cells) for tile sums
        from 14,000 to 15,999, and 3 from 28,000.

        Raises:
            InvalidSpec: a syntax error.
            LimitExceeded: a depth exceeds `MAX_PLY`.
        """
        usual, *others = text.split("+")
        bands = tuple(_parse_band(part, text) for part in others)
        if any(one.high > other.low for one, other in pairwise(bands)):
            raise InvalidSpec(
                "expected ascending sums of tiles that do not overlap, "
                f"as in 2+14000-16000:4+24000-32000:4, got {shown(text)}"
            )
        if usual == BY_TILES:
            return cls(((0, 0),), by_tiles=True, bands=bands)
        return cls(_parse_steps(usual, text), bands=bands)

    def __str__(self) -> str:
        usual = BY_TILES if self.by_tiles else _steps_text(self.steps)
        return "+".join([usual, *map(str, self.bands)])

    @property
    def fixed_ply(self) -> int:
        """The depth, if it is the same on every board; else raises `InvalidSpec`."""
        if self.by_tiles or self.bands or len(self.steps) > 1:
            raise InvalidSpec(f"expected ply as one number with time or nodes, got {self}")
        return self.steps[0][1]

    @property
    def deepest(self) -> int:
        """The maximum over all boards."""
        every = [self.steps, *(band.steps for band in self.bands)]
        return MAX_PLY if self.by_tiles else max(ply for steps in every for _, ply in steps)

    def of(self, exponents: Sequence[int]) -> int:
        """The depth for a board, from the exponents of its cells."""
        filled = [exponent for exponent in exponents if exponent]
        total = sum(1 << int(exponent) for exponent in filled) if self.bands else 0
        return self.at(len(exponents) - len(filled), len(set(filled)), total)

    def at(self, empty: int, tiles: int, total: int = 0) -> int:
        """The depth for a board, from its empty cells, different tiles and, for bands, tile sum."""
        for band in self.bands:
            if band.low <= total < band.high:
                return _ply_at(band.steps, empty)
        if self.by_tiles:
            return min(max(4, tiles - 1), MAX_PLY)
        return _ply_at(self.steps, empty)

    def table_by_empty(self) -> Sequence[int]:
        """The depth for 0 to 16 empty cells, outside the bands; 0 if `by_tiles`."""
        return [0 if self.by_tiles else ply for ply in _by_empty(self.steps)]

    def table_by_tiles(self) -> Sequence[int]:
        """The depth for 0 to 15 different tiles; 0 unless `by_tiles`."""
        counts = range(_BITS_CELLS)
        return [min(max(4, tiles - 1), MAX_PLY) if self.by_tiles else 0 for tiles in counts]

    def table_of_bands(self) -> Sequence[int]:
        """The bands as kernels read them, see `kernels.expectimax.BANDS`."""
        words = [len(self.bands)]
        for band in self.bands:
            words += [band.low, band.high, *_by_empty(band.steps)]
        return words


def _parse_band(part: str, text: str) -> DepthBand:
    match = re.fullmatch(r"([0-9]{1,12})-([0-9]{1,12})?:(.*)", part, re.ASCII | re.DOTALL)
    if not match:
        raise InvalidSpec(
            "expected a depth for some sums of tiles as in 2+14000-16000:4/3@5 "
            f"(4 plies, 3 from 5 empty cells on), got {_part_of(part, text)}"
        )
    low, high = int(match[1]), int(match[2]) if match[2] else ENDLESS
    if low >= high:
        raise InvalidSpec(
            f"expected ascending sums of tiles, as in 14000-16000, "
            f"got {_part_of(f'{low}-{high}', text)}"
        )
    return DepthBand(low, high, _parse_steps(match[3], text))


def _parse_steps(part: str, text: str) -> Steps:
    steps = []
    for step in part.split("/"):
        match = re.fullmatch(r"([0-9]{1,9})(?:@([0-9]{1,2}))?", step, re.ASCII)
        if not match:
            raise InvalidSpec(
                "expected ply as a number such as 5, 6/5@3/4@8, 2+14000-16000:4 or tiles, "
                f"got {_part_of(step, text)}"
            )
        ply = check_limit("ply", int(match[1]), 1, MAX_PLY)
        steps.append((int(match[2] or 0), ply))
    places = [place for place, _ in steps]
    if places[0] != 0 or places != sorted(set(places)):
        raise InvalidSpec(
            "expected ascending numbers of empty cells, as in 6/5@3/4@8, "
            f"got {_part_of(part, text)}"
        )
    return tuple(steps)


def _part_of(part: str, text: str) -> str:
    """The wrong part of a depth, with the whole text if it has other parts."""
    return shown(text) if part == text else f"{shown(part)} in {shown(text)}"


def _steps_text(steps: Steps) -> str:
    return "/".join(f"{ply}@{place}" if place else str(ply) for place, ply in steps)


def _ply_at(steps: Steps, empty: int) -> int:
    return [ply for place, ply in steps if place <= empty][-1]


def _by_empty(steps: Steps) -> list[int]:
    return [_ply_at(steps, empty) for empty in range(_BITS_CELLS + 1)]
