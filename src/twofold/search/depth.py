"""Depth: how many plies a search looks ahead, which may depend on the board."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from twofold.errors import InvalidSpec
from twofold.limits import MAX_PLY, check_limit
from twofold.notation import shown

_BITS_CELLS: Final = 16
BY_TILES: Final = "tiles"
"""The text of a depth by the number of different tiles."""


@dataclass(frozen=True, slots=True)
class Depth:
    """A depth in plies for each number of empty cells.

    Attributes:
        steps: (fewest empty cells, plies), the first from 0 empty cells on, ascending.
        by_tiles: whether a board is searched to the number of its different tiles less 1, at
            least 4 plies, as in nneonneo/2048-ai: there the limit max(3, tiles - 2) counts the
            layers below the first move.
    """

    steps: tuple[tuple[int, int], ...]
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
        """Read `"5"`, `"6/5@3/4@8"` (6 plies; 5 from 3 empty cells on, 4 from 8 on) or `"tiles"`.

        Raises:
            InvalidSpec: the text cannot be read.
            LimitExceeded: a depth is past `MAX_PLY`.
        """
        if text == BY_TILES:
            return cls(((0, 0),), by_tiles=True)
        steps = []
        for part in text.split("/"):
            match = re.fullmatch(r"([0-9]{1,9})(?:@([0-9]{1,2}))?", part, re.ASCII)
            if not match:
                raise InvalidSpec(
                    f"expected ply as a number such as 5, 6/5@3/4@8 or tiles, got {shown(text)}"
                )
            ply = check_limit("ply", int(match[1]), 1, MAX_PLY)
            steps.append((int(match[2] or 0), ply))
        places = [place for place, _ in steps]
        if places[0] != 0 or places != sorted(set(places)):
            raise InvalidSpec(
                f"expected numbers of empty cells that go up, as in 6/5@3/4@8, got {shown(text)}"
            )
        return cls(tuple(steps))

    def __str__(self) -> str:
        """The text, as `parse` reads it."""
        if self.by_tiles:
            return BY_TILES
        return "/".join(f"{ply}@{place}" if place else str(ply) for place, ply in self.steps)

    @property
    def fixed_ply(self) -> int:
        """The depth where it is the same on every board.

        Raises:
            InvalidSpec: it is not.
        """
        if self.by_tiles or len(self.steps) > 1:
            raise InvalidSpec(f"expected ply as a number beside time or nodes, got {self}")
        return self.steps[0][1]

    def at(self, empty: int, tiles: int) -> int:
        """The depth in plies of a board with so many empty cells and different tiles."""
        if self.by_tiles:
            return min(max(4, tiles - 1), MAX_PLY)
        return [ply for place, ply in self.steps if place <= empty][-1]

    def table_by_empty(self) -> Sequence[int]:
        """The depth for 0 to 16 empty cells."""
        return [0 if self.by_tiles else self.at(empty, 0) for empty in range(_BITS_CELLS + 1)]

    def table_by_tiles(self) -> Sequence[int]:
        """The depth for 0 to 15 different tiles; 0 where it does not depend on them."""
        return [self.at(0, tiles) if self.by_tiles else 0 for tiles in range(_BITS_CELLS)]
