"""Patterns: which cells hold the large tiles, and which tile the other cells have to make.

In the frame of a pattern the large tiles are at the top; the other cells hold tiles below the
target:

    L L L L        `442-512`: 4 free cells in the fourth row, 4 in the third, 2 in the second,
    L L . .        counted from the open side; the target is the tile 512
    . . . .
    . . . .

The large tiles differ from each other and are at least as large as the target, so they never
merge. A move that would shift one of them is not made. The target counts in any free cell.

Source: names and cells as in 2048EndgameTablebase, `docs_and_configs/default_patterns.json`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from twofold.errors import InvalidTable
from twofold.game.notation import did_you_mean, shown
from twofold.game.rules import Rules


@dataclass(frozen=True, slots=True)
class Shape:
    """Which cells of a pattern are free.

    Attributes:
        picture: the cells of the large tiles, `L` in four rows.
        caps: largest exponents of the fourth and the third row; empty for no limit.
        walls: what a table of walls of any tiles adds; None for others.
    """

    picture: str
    caps: tuple[int, ...] = ()
    walls: "Walls | None" = None


@dataclass(frozen=True, slots=True)
class Walls:
    """Walls of any tiles, and the boards that have reached the goal beside them.

    Digits of a picture are exponents below the *level* of a board.

    Attributes:
        caps: the largest exponent of each free cell, one picture.
        goals: pictures of boards that have reached the goal; any tiles on their dots.
        anchors: cells of the frame; the least tile there is the level, at most the target.
        below: True if the goal of a board whose anchors are at most the target is one exponent
            below the level, False if such boards alone are covered.
        unequal: pairs of walls, or of a wall and a free cell, that must differ.
        larger: pairs of cells of which the first must hold the larger tile.
        least: the least chance with which players follow the table, by exponent of the target.
        spare: factor of the target up to which sums of the free cells are listed.
    """

    caps: str
    goals: tuple[str, ...]
    anchors: tuple[int, ...]
    below: bool
    unequal: tuple[tuple[int, int], ...]
    larger: tuple[tuple[int, int], ...]
    least: Mapping[int, float]
    spare: int

    @staticmethod
    def digits(picture: str) -> dict[int, int]:
        """The digits of a picture by cell of the frame."""
        signs = enumerate(picture.replace("/", ""))
        return {cell: int(sign) for cell, sign in signs if sign.isdecimal()}


SHAPES: Final = {
    "44": Shape("LLLL/LLLL/..../...."),
    "441": Shape("LLLL/LLL./..../...."),
    "442": Shape("LLLL/LL../..../...."),
    "443": Shape("LLLL/L.../..../....", caps=(4, 6)),
    "444": Shape("LLLL/..../..../....", caps=(4, 6)),
    "wall5": Shape(
        "LLL./LL../..../....",
        walls=Walls(
            caps="LLL1/LL01/1111/2222",
            goals=(
                "...1/..01/..../....",
                "..../..01/...1/....",
                "...1/..02/...2/....",
                "..../..0./.11./....",
                "..../..0./..11/....",
            ),
            anchors=(2, 5),
            below=True,
            unequal=((0, 1), (1, 2), (0, 4), (1, 5), (2, 5)),
            larger=((4, 5), (5, 6), (2, 6)),
            least={7: 0.9, 8: 0.1, 9: 0.1},
            spare=2,
        ),
    ),
    "wall6": Shape(
        "LLL./LLL./..../....",
        walls=Walls(
            caps="LLL1/LLL2/1233/3333",
            goals=(
                "..../..../1233/....",
                "..../..../123./..3.",
                "..../..../12../33..",
                "..../..../12../.33.",
                "...1/...2/..33/....",
                "...1/...2/...3/...3",
            ),
            anchors=(4, 5, 6),
            below=False,
            unequal=((0, 1), (1, 2), (4, 5), (5, 6), (0, 4), (1, 5)),
            larger=((2, 6),),
            least={},
            spare=1,
        ),
    ),
}
"""The patterns by name. Without caps, 11 or 12 free cells would take ten times the disk."""

SLACK: Final = 32
"""Boards are listed up to the target plus this sum of tiles."""

LOWEST_SUM: Final = 24
"""Smallest sum of the free cells for which a table has chances."""

MIN_TARGET: Final = 3
MAX_TARGET: Final = 11
"""Exponents of the smallest and the largest target, 8 and 2048."""

_NAME: Final = re.compile(
    r"(?P<shape>[0-9A-Za-z]{1,8})-(?P<target>[0-9]{1,5})(?:[/_](?P<low>[0-9]{1,5})[,-](?P<high>[0-9]{1,5}))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class EndgamePattern:
    """A pattern and its target.

    Attributes:
        shape: its name without the target, such as `442`.
        target: exponent of the tile to make.
        caps: the largest exponents of the fourth, the third and the second row. A move that
            would exceed one counts as lost, so the chances of smaller caps are lower bounds.
    """

    shape: str
    target: int
    caps: tuple[int, int, int]

    @classmethod
    def parse(cls, text: str) -> Self:
        """A pattern by name: `442-512`; `443-512/16-64` with caps 16 and 64 for rows 4 and 3.

        Without caps in the name, those of the shape apply; `443-512_16,64` also parses. Raises
        `InvalidTable` if there is no such pattern, or its table could not contain any board.
        """
        found = _NAME.fullmatch(text)
        if not found:
            raise InvalidTable(
                f"expected a table such as 442-512 or 443-512/16-64, got {shown(text)}"
            )
        if found["shape"] not in SHAPES:
            raise InvalidTable(
                f"expected a pattern ({', '.join(SHAPES)}), got {shown(found['shape'])}"
                f"{did_you_mean(found['shape'], SHAPES)}"
            )
        target = _exponent(found["target"], "target", MIN_TARGET, MAX_TARGET)
        _check_target(found["shape"], target)
        low, high = _default_caps(found["shape"], target)
        if found["low"]:
            low = _exponent(found["low"], "cap", 2, target - 1)
            high = _exponent(found["high"], "cap", 2, target - 1)
            _check_caps(found["shape"], (low, high), target)
        pattern = cls(found["shape"], target, (low, high, target - 1))
        _check_speaks(pattern)
        return pattern

    @property
    def name(self) -> str:
        """The text that `parse` reads; has caps if they are not those of the shape."""
        low, high, _ = self.caps
        usual = (low, high) == _default_caps(self.shape, self.target)
        caps = "" if usual else f"/{1 << low}-{1 << high}"
        return f"{self.shape}-{1 << self.target}{caps}"

    @property
    def walls(self) -> Walls | None:
        """What a table of walls of any tiles adds; None for others."""
        return SHAPES[self.shape].walls

    @property
    def least_chance(self) -> float:
        """The least chance with which players follow the table; 0 for any above 0."""
        return 0.0 if self.walls is None else self.walls.least.get(self.target, 1 / 16000)

    @property
    def caps_by_cell(self) -> dict[int, int]:
        """The largest exponent of each free cell."""
        if self.walls is not None:
            down = Walls.digits(self.walls.caps)
            return {cell: self.target - less for cell, less in down.items()}
        low, high, top = self.caps
        rows = [top] * 8 + [high] * 4 + [low] * 4
        return {cell: cap for cell, cap in enumerate(rows) if cell not in self.large_cells}

    @property
    def large_cells(self) -> tuple[int, ...]:
        """The cells of the large tiles, numbered row by row."""
        signs = enumerate(SHAPES[self.shape].picture.replace("/", ""))
        return tuple(cell for cell, sign in signs if sign == "L")

    @property
    def large_tiles(self) -> int:
        """Number of large tiles."""
        return len(self.large_cells)

    @property
    def extra(self) -> int:
        """Free cells of the second row, without walls of any tiles."""
        return 8 - self.large_tiles

    @property
    def codes(self) -> int:
        """Number of contents of the third and second row that are listed; 0 with walls."""
        if self.walls is not None:
            return 0
        _, high, top = self.caps
        return int((high + 1) ** 4 * (top + 1) ** self.extra)

    @property
    def highest(self) -> int:
        """The largest sum of the tiles in free cells, in units of 2."""
        if self.walls is None:
            return ((1 << self.target) + SLACK) // 2
        most = sum(1 << cap for cap in self.caps_by_cell.values())
        return min((self.walls.spare << self.target) + SLACK, most) // 2

    @property
    def rank(self) -> tuple[object, ...]:
        """Sort key of precedence.

        First tables with walls, those with fewer first; then more large tiles, then larger
        targets, then fewer limits.
        """
        caps = [-cap for cap in self.caps]
        large = -self.large_tiles if self.walls is None else self.large_tiles
        return self.walls is None, large, -self.target, caps, self.name

    @property
    def lowest(self) -> int:
        """The smallest sum for which the table is used, in units of 2."""
        return LOWEST_SUM // 2 if self.walls is None else 0


def suits(rules: Rules) -> bool:
    """True if tables cover these rules: 4x4 with the standard spawns."""
    usual = Rules()
    return (
        rules.shape == usual.shape
        and rules.spawn_exponents == usual.spawn_exponents
        and rules.spawn_probabilities == usual.spawn_probabilities
    )


def _default_caps(shape: str, target: int) -> tuple[int, int]:
    low, high = SHAPES[shape].caps or (target - 1, target - 1)
    return min(low, target - 1), min(high, target - 1)


def _check_target(shape: str, target: int) -> None:
    """Refuse a target that leaves fewer different tiles than there are large tiles."""
    large = SHAPES[shape].picture.count("L")
    if target > 16 - large:
        raise InvalidTable(
            f"expected a target of at most {1 << (16 - large)} for {shape}, whose "
            f"{large} large tiles differ and go up to 32768, got {1 << target}"
        )


def _check_caps(shape: str, caps: tuple[int, int], target: int) -> None:
    low, high = (1 << cap for cap in caps)
    name = f"{shape}-{1 << target}"
    if SHAPES[shape].walls is not None and caps != _default_caps(shape, target):
        raise InvalidTable(f"expected {name}, got {name}/{low}-{high}: {shape} takes no caps")
    if low > high:
        raise InvalidTable(
            f"expected a cap in the fourth row up to that in the third, such as "
            f"{name}/{high}-{low}, got {name}/{low}-{high}"
        )


def _check_speaks(pattern: EndgamePattern) -> None:
    half = pattern.target - 1
    # Two tiles of half the target must meet: the second row alone needs two free cells for that.
    if pattern.walls is None and pattern.extra < 2 and max(pattern.caps[:2]) < half:
        raise InvalidTable(
            f"expected a cap of {1 << half} in the third row of {pattern.shape}, "
            f"got {pattern.name}: with smaller caps two tiles of {1 << half} cannot meet"
        )


def _exponent(text: str, what: str, low: int, high: int) -> int:
    tile = int(text)
    exponent = tile.bit_length() - 1
    if not low <= exponent <= high or tile != 1 << exponent:
        raise InvalidTable(
            f"expected a power of two from {1 << low} to {1 << high} as {what}, got {tile}"
        )
    return exponent
