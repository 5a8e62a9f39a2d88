"""`Move` and `Rules`: the moves, and the parameters of a game of 2048."""

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, Self

from twofold.errors import InvalidMove, InvalidRules
from twofold.game import notation
from twofold.game.notation import format_number, shown
from twofold.limits import MAX_EXPONENT, MAX_SPAWN_TILES


class Move(IntEnum):
    """The four moves, in the order of the original game. Ties go to the first in this order."""

    UP = 0
    RIGHT = 1
    DOWN = 2
    LEFT = 3

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    @property
    def letter(self) -> str:
        """`u`, `r`, `d` or `l`, as in records."""
        return notation.MOVE_LETTERS[self]

    @classmethod
    def of(cls, move: "Move | str | int") -> "Move":
        """A move from a `Move`, its number, a letter or a word; raises `InvalidMove`."""
        if isinstance(move, cls):
            return move
        if isinstance(move, str):
            return cls.parse(move)
        try:
            return cls(move)
        except ValueError:
            raise _no_move(move) from None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a letter (`u`) or a word (`up`), in either case; raises `InvalidMove`."""
        word = text.strip().lower() if isinstance(text, str) else ""
        for move in cls:
            if word in (move.letter, move.name.lower()):
                return move
        raise _no_move(text)


MOVES_BY_LETTER: Final = {move.letter: move for move in Move}
"""The moves by their letters, `u`, `r`, `d` and `l`."""


def _no_move(given: object) -> InvalidMove:
    return InvalidMove(
        f"expected a move u, r, d or l (or up, right, down, left), got {shown(given)}"
    )


_COMMA: Final = re.compile(r",(?=\s*([a-z]+=|[0-9]+x[0-9]))", re.ASCII)
"""A comma between two parts of rules, unlike those of `spawn=2:0.9,4:0.1`."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a game; raises `InvalidRules` if a value is out of range.

    Attributes:
        rows: number of rows, 1 to 8.
        cols: number of columns, 1 to 8; at least 2 cells in all.
        spawn: (tile, weight) of the tiles that may appear, ascending by tile; weights are
            positive and are divided by their sum.
        start_tiles: number of tiles on the board before the first move.
        goal: the tile that wins.
        stop_at_goal: whether play stops when the goal is reached.
    """

    rows: int = 4
    cols: int = 4
    spawn: tuple[tuple[int, float], ...] = ((2, 0.9), (4, 0.1))
    start_tiles: int = 2
    goal: int = 2048
    stop_at_goal: bool = False

    def __post_init__(self) -> None:
        for name in ("rows", "cols", "start_tiles", "goal"):
            object.__setattr__(self, name, _whole(name, getattr(self, name)))
        notation.check_shape(self.rows, self.cols, InvalidRules)
        if not 1 <= len(self.spawn) <= MAX_SPAWN_TILES:
            raise InvalidRules(
                f"expected 1 to {MAX_SPAWN_TILES} spawn tiles, got {len(self.spawn)}"
            )
        object.__setattr__(
            self,
            "spawn",
            tuple((_whole("a spawn tile", tile), float(w)) for tile, w in sorted(self.spawn)),
        )
        for tile, weight in self.spawn:
            if notation.tile_exponent(tile, tile, InvalidRules) == 0:
                raise InvalidRules("expected a spawn tile from 2 upwards, got 0")
            if not 1e-9 <= weight <= 1e9:
                raise InvalidRules(f"expected a spawn weight from 1e-9 to 1e9, got {weight}")
        if len({tile for tile, _ in self.spawn}) != len(self.spawn):
            raise InvalidRules(f"expected each spawn tile once, got {shown(self.spawn)}")
        if not 1 <= self.start_tiles <= self.rows * self.cols:
            raise InvalidRules(
                f"expected 1 to {self.rows * self.cols} start tiles on a {self.rows}x{self.cols} "
                f"board, got {shown(self.start_tiles)}"
            )
        if notation.tile_exponent(self.goal, self.goal, InvalidRules) < 2:
            raise InvalidRules(f"expected a goal from 4 to 2^{MAX_EXPONENT}, got {self.goal}")

    @classmethod
    def of(cls, rules: "Rules | str") -> "Rules":
        """The rules themselves, or those that a text describes; raises `InvalidRules`."""
        return rules if isinstance(rules, Rules) else cls.parse(rules)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `"3x4 spawn=2:0.5,4:0.5 goal=512"`; parts are optional. Raises `InvalidRules`."""
        notation.check_length(text, "rules", InvalidRules)
        found: dict[str, Any] = {}
        for word in _COMMA.sub(" ", text).split():
            key, equals, value = word.partition("=")
            if not equals:
                key, value = "shape", word
            part = _parse_part(key, value)
            if key in found:
                raise InvalidRules(f"expected each part of the rules once, got {key!r} twice")
            found[key] = part
        rows, cols = found.pop("shape", (4, 4))
        names = {"start": "start_tiles", "stop": "stop_at_goal"}
        values = {names.get(key, key): value for key, value in found.items()}
        return cls(rows, cols, **values)

    def __str__(self) -> str:
        weights = ",".join(f"{tile}:{format_number(weight)}" for tile, weight in self.spawn)
        stop = "goal" if self.stop_at_goal else "never"
        return (
            f"{self.rows}x{self.cols} spawn={weights} start={self.start_tiles} goal={self.goal} "
            f"stop={stop}"
        )

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, cols)."""
        return self.rows, self.cols

    @property
    def max_exponent(self) -> int:
        """log2 of the largest tile that a game can hold, 17 for the original rules.

        It is the number of cells, plus log2 of the largest spawn tile s, less 1; at most 35. For
        2^e some spawn must raise the sum of the tiles to 2^e or more. The sum before lacks at most
        s, so it has a 1 at each binary digit from s up to 2^(e - 1), and each 1 needs a tile on a
        board with a cell left for the spawn.
        """
        return min(self.rows * self.cols + self.spawn_exponents[-1] - 1, MAX_EXPONENT)

    @property
    def spawn_exponents(self) -> tuple[int, ...]:
        """Exponents of the tiles that may spawn, ascending."""
        return tuple(tile.bit_length() - 1 for tile, _ in self.spawn)

    @property
    def spawn_weights(self) -> tuple[float, ...]:
        """Weights of the tiles that may spawn, as given, in the order of `spawn_exponents`."""
        return tuple(weight for _, weight in self.spawn)

    @property
    def spawn_probabilities(self) -> tuple[float, ...]:
        """Probabilities of the tiles that may spawn: the weights divided by their sum."""
        total = sum(self.spawn_weights)
        return tuple(weight / total for weight in self.spawn_weights)


def _whole(name: str, value: object) -> int:
    number = notation.as_int(value)
    if number is None:
        raise InvalidRules(f"expected {name} as a whole number, got {shown(value)}")
    return number


STANDARD: Final = Rules()
"""The rules of the original game."""


def _parse_part(key: str, value: str) -> object:
    if key == "shape":
        return notation.parse_shape(value, InvalidRules)
    if key == "spawn":
        return _parse_spawn(value)
    if key == "start" and re.fullmatch(r"[0-9]{1,3}", value, re.ASCII):
        return int(value)
    if key == "goal" and notation.NUMBER.fullmatch(value):
        return int(value)
    if key == "stop" and value in ("goal", "never"):
        return value == "goal"
    if key in ("start", "goal", "stop"):
        meant = "goal or never" if key == "stop" else "a whole number"
        raise InvalidRules(f"expected {key}= and {meant}, got {shown(value)}")
    raise InvalidRules(
        f"expected a shape such as 4x4, spawn=, start=, goal= or stop=, got {shown(key)}"
    )


def _parse_spawn(text: str) -> tuple[tuple[int, float], ...]:
    parts = text.split(",")
    if len(parts) > MAX_SPAWN_TILES:
        raise InvalidRules(f"expected at most {MAX_SPAWN_TILES} spawn tiles, got {len(parts)}")
    weights: dict[int, float] = {}
    for part in parts:
        tile, colon, weight = part.partition(":")
        if not (colon and notation.NUMBER.fullmatch(tile)):
            raise InvalidRules(f"expected spawn=2:0.9,4:0.1 (tile:weight,...), got {shown(text)}")
        if int(tile) in weights:
            raise InvalidRules(f"expected each spawn tile once, got {tile} twice")
        weights[int(tile)] = notation.parse_number(weight, "a spawn weight", InvalidRules)
    return tuple(weights.items())
