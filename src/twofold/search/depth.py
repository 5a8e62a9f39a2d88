"""Depth: the number of plies of a search, which may depend on the board."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from twofold.errors import InvalidSpec
from twofold.game.notation import shown
from twofold.limits import MAX_PLY, check_limit

_BITS_CELLS: Final = 16
BY_TILES: Final = "tiles"
"""The text of a depth by the number of different tiles."""
Steps = tuple[tuple[int, int], ...]
"""(fewest empty cells, plies), ascending, beginning with 0 empty cells."""


@dataclass(frozen=True, slots=True)
class Depth:
    """A depth in plies by empty cells.

    Attributes:
        steps: (fewest empty cells, plies), ascending, beginning with 0 empty cells.
        by_tiles: True for the number of different tiles less 1, at least 4, as in
            nneonneo/2048-ai, whose limit max(3, tiles - 2) counts layers below the first move.
    """

    steps: Steps
    by_tiles: bool = False

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

        `"5"`; `"6/5@3/4@8"`: 6 plies, 5 from 3 empty cells, 4 from 8; `"tiles"`.

        Raises:
            InvalidSpec: a syntax error.
            LimitExceeded: a depth exceeds `MAX_PLY`.
        """
        if text == BY_TILES:
            return cls(((0, 0),), by_tiles=True)
        return cls(_parse_steps(text))

    def __str__(self) -> str:
        steps = (f"{ply}@{place}" if place else str(ply) for place, ply in self.steps)
        return BY_TILES if self.by_tiles else "/".join(steps)

    @property
    def fixed_ply(self) -> int:
        """The depth, if it is the same on every board; else raises `InvalidSpec`."""
        if self.by_tiles or len(self.steps) > 1:
            raise InvalidSpec(f"expected ply as one number with time or nodes, got {self}")
        return self.steps[0][1]

    @property
    def deepest(self) -> int:
        """The maximum over all boards."""
        return MAX_PLY if self.by_tiles else max(ply for _, ply in self.steps)

    def of(self, exponents: Sequence[int]) -> int:
        """The depth for a board, from the exponents of its cells."""
        filled = [exponent for exponent in exponents if exponent]
        return self.at(len(exponents) - len(filled), len(set(filled)))

    def at(self, empty: int, tiles: int) -> int:
        """The depth for a board, from its numbers of empty cells and of different tiles."""
        if self.by_tiles:
            return min(max(4, tiles - 1), MAX_PLY)
        return [ply for place, ply in self.steps if place <= empty][-1]

    def table_by_empty(self) -> Sequence[int]:
        """The depth for 0 to 16 empty cells; 0 if `by_tiles`."""
        return [0 if self.by_tiles else self.at(empty, 0) for empty in range(_BITS_CELLS + 1)]

    def table_by_tiles(self) -> Sequence[int]:
        """The depth for 0 to 15 different tiles; 0 unless `by_tiles`."""
        return [self.at(0, tiles) if self.by_tiles else 0 for tiles in range(_BITS_CELLS)]


def _parse_steps(text: str) -> Steps:
    steps = []
    for step in text.split("/"):
        match = re.fullmatch(r"([0-9]{1,9})(?:@([0-9]{1,2}))?", step, re.ASCII)
        if not match:
            whole = "" if step == text else f" in {shown(text)}"
            raise InvalidSpec(
                f"expected ply as a number such as 5, 6/5@3/4@8 or tiles, got {shown(step)}{whole}"
            )
        ply = check_limit("ply", int(match[1]), 1, MAX_PLY)
        steps.append((int(match[2] or 0), ply))
    places = [place for place, _ in steps]
    if places[0] != 0 or places != sorted(set(places)):
        raise InvalidSpec(
            f"expected ascending numbers of empty cells, as in 6/5@3/4@8, got {shown(text)}"
        )
    return tuple(steps)
