"""JSON documents: how they are made, and the parts that several commands print.

A document is a Struct beside the command that prints it. `Part.of` fills it from an object.
"""

from functools import cache
from types import NoneType, UnionType
from typing import Any, Self, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType, field

from twofold.arena.stats import Interval
from twofold.game.rules import Move
from twofold.search.analysis import finite

Ends = tuple[float | None, float | None]
"""Lower and upper end of a 95 % interval; null where there is too little data."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A document or a part of one."""

    @classmethod
    def of(cls, source: Any, **given: Any) -> Self:
        """A document with the fields `given`; the others are attributes of the source.

        A field has another name in JSON where that of the attribute says too little.

        Each value takes the form of its field: rules, seeds and moves are text, and an empty text
        is null where it may be; objects are parts, intervals are a value and its ends.
        """
        values = {}
        for name, kinds in _kinds(cls).items():
            attribute = name.removesuffix("_95")
            value = given[name] if name in given else getattr(source, attribute)
            values[name] = _formed(value, kinds)
        return cls(**values)


@cache
def _kinds(cls: type[Part]) -> dict[str, tuple[Any, ...]]:
    """The types that each field may have."""
    return {name: _alternatives(kind) for name, kind in get_type_hints(cls).items()}


@cache
def _alternatives(kind: Any) -> tuple[Any, ...]:
    """The types of a union, without that of a missing value."""
    is_union = get_origin(kind) in (Union, UnionType)
    return tuple(one for one in (get_args(kind) if is_union else (kind,)) if one is not UnsetType)


def _formed(value: Any, kinds: tuple[Any, ...]) -> Any:
    """A value as a field of these types holds it."""
    kind, inner = kinds[0], get_args(kinds[0])
    if value is None or value is UNSET or (value == "" and NoneType in kinds):
        return None if value == "" else value
    if kind is float:
        value = value.value if isinstance(value, Interval) else value
        return finite(value) if str in kinds else value
    if kind == Ends and isinstance(value, Interval):
        return value.low, value.high
    if kind is str:
        return value.name.lower() if isinstance(value, Move) else str(value)
    if get_origin(kind) is list:
        return [_formed(one, _alternatives(inner[0])) for one in value]
    if get_origin(kind) is dict:
        return {str(name): _formed(one, _alternatives(inner[1])) for name, one in value.items()}
    return kind.of(value) if hasattr(kind, "of") and not isinstance(value, kind) else value


class Estimate(Part, frozen=True):
    """An estimated figure.

    Attributes:
        value: the figure.
        value_95: its 95 % interval.
    """

    value: float
    value_95: Ends

    @classmethod
    def of(cls, source: Interval, **given: Any) -> Self:
        """The document of an estimate."""
        return super().of(source, value_95=source, **given)


class Rate(Part, frozen=True):
    """A reach rate.

    Attributes:
        rate: share of games that reached at least the tile, 0 to 1.
        rate_95: its 95 % interval; missing for an exact probability and where it is not known.
    """

    rate: float
    rate_95: Ends | UnsetType = UNSET

    @classmethod
    def of(cls, source: Interval | float, **given: Any) -> Self:
        """The document of a rate with its interval, or of one without."""
        known = source if isinstance(source, Interval) else UNSET
        return super().of(source, rate=source, rate_95=known, **given)


class BoardsDocument(Part, frozen=True):
    """The boards on which games begin.

    Attributes:
        name: name of their file.
        boards: their number.
        hash: hash of the boards.
    """

    name: str
    boards: int
    hash: str

    @classmethod
    def of(cls, source: Any, **given: Any) -> Self:
        """The document of `StartBoards`."""
        return super().of(source, boards=len(source), **given)


class PlayerDocument(Part, frozen=True):
    """A player and its games.

    Attributes:
        player: the player, as short as it can be named.
        spec: the same with all defaults and file hashes.
        games: number of its games.
        reproducible: false if the first game differed when it was played again.
        error: why it failed; null if it did not.
        failed_seed: seed of the game in which it failed; null if it did not.
    """

    player: str
    spec: str
    games: int
    reproducible: bool
    error: str | None
    failed_seed: str | None


class OutcomesDocument(Part, frozen=True):
    """How games end under optimal play: exact probabilities.

    Attributes:
        value: value of the game, in the unit of the table.
        moves: mean number of moves to the end.
        tiles: probability of each largest tile at the end.
        reach: probability of ever making each tile, or a larger one.
        sums: probability of each sum of the tiles at the end.
    """

    value: float
    moves: float
    tiles: dict[str, float] = field(name="largest")
    reach: dict[str, Rate] = field(name="reach_rates")
    sums: dict[str, float]


# ---- times


class JobsTiming(msgspec.Struct, frozen=True):
    """Time of many games.

    Attributes:
        seconds: wall-clock time.
        jobs: number of games played at the same time.
    """

    seconds: float
    jobs: int


class MovesTiming(msgspec.Struct, frozen=True):
    """Time of many moves.

    Attributes:
        seconds: wall-clock time.
        moves_per_second: mean speed; null if no time was measured.
    """

    seconds: float
    moves_per_second: float | None
