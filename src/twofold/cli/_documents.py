"""Parts of the JSON documents that several commands print; each command has its own document.

Figures that are estimates have a 95 % interval beside them, under their name with `_95`.
"""

from typing import TYPE_CHECKING, Any, Self

import msgspec
from msgspec import UNSET, UnsetType

from twofold.arena.stats import Interval

if TYPE_CHECKING:
    from twofold.arena.bench import PlayerStanding
    from twofold.arena.boards import StartBoards
    from twofold.tables.exact import Outcomes  # loads kernels

Ends = tuple[float | None, float | None]
"""Lower and upper end of a 95 % interval; null where there is too little data."""


def ends(found: Interval) -> Ends:
    """The ends of an interval."""
    return found.low, found.high


class Estimate(msgspec.Struct, frozen=True):
    """An estimated figure.

    Attributes:
        value: the figure.
        value_95: its 95 % interval.
    """

    value: float
    value_95: Ends

    @classmethod
    def of(cls, found: Interval) -> Self:
        """The document of an estimate."""
        return cls(found.value, ends(found))


class Rate(msgspec.Struct, frozen=True):
    """A reach rate.

    Attributes:
        rate: share of games that reached at least the tile, 0 to 1.
        rate_95: its 95 % interval; missing for an exact probability and where it is not known.
    """

    rate: float
    rate_95: Ends | UnsetType = UNSET

    @classmethod
    def of(cls, found: Interval) -> Self:
        """The document of a rate."""
        return cls(found.value, ends(found))


class BoardsDocument(msgspec.Struct, frozen=True):
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
    def of(cls, boards: "StartBoards | None") -> Self | None:
        """The document of boards; None without."""
        return None if boards is None else cls(boards.name, len(boards), boards.hash)


class PlayerDocument(msgspec.Struct, frozen=True, kw_only=True):
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

    @classmethod
    def of(cls, one: "PlayerStanding", games: int, **more: Any) -> Self:
        """The document of a player; `more` are the fields that a command adds."""
        return cls(
            player=one.player,
            spec=one.spec,
            games=games,
            reproducible=one.reproducible,
            error=one.error or None,
            failed_seed=None if one.failed_seed is None else str(one.failed_seed),
            **more,
        )


class OutcomesDocument(msgspec.Struct, frozen=True):
    """How games end under optimal play: exact probabilities.

    Attributes:
        value: value of the game, in the unit of the table.
        moves: mean number of moves to the end.
        largest: probability of each largest tile at the end.
        reach_rates: probability of ever making each tile, or a larger one.
        sums: probability of each sum of the tiles at the end.
    """

    value: float
    moves: float
    largest: dict[str, float]
    reach_rates: dict[str, Rate]
    sums: dict[str, float]

    @classmethod
    def of(cls, found: "Outcomes") -> Self:
        """The document of outcomes."""
        return cls(
            found.value,
            found.moves,
            {str(tile): chance for tile, chance in found.tiles.items()},
            {str(tile): Rate(chance) for tile, chance in found.reach.items()},
            {str(total): chance for total, chance in found.sums.items()},
        )


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
