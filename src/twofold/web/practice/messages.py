"""The requests and replies of practice with endgame tables over HTTP."""

from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from twofold.web.protocol import Text as Short

if TYPE_CHECKING:
    from twofold.endgame.practice import PracticePosition

MAX_MOVES: Final = 4_000
"""Maximum number of moves in a practice game."""

Letters = Annotated[str, msgspec.Meta(max_length=MAX_MOVES, pattern="^[urdl]*$")]


class TableFacts(msgspec.Struct, frozen=True):
    """An endgame table on this machine, such as `442-256`, and the tile to make.

    Attributes:
        large: number of large tiles.
        boards: number of boards.
        bytes: size of its file.
    """

    name: str
    target: int
    large: int
    boards: int
    bytes: int


class TableOffer(TableFacts, frozen=True):
    """An endgame table that could be built.

    Attributes:
        memory: bytes of memory while it is built.
        seconds: estimated time to build it.
        done: share built by an earlier run, 0 to 1; null if there was none.
    """

    memory: int
    seconds: float
    done: float | None


class EndgameBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A practice game.

    Attributes:
        seed: of the dice and of the first board, as text.
        board: the first board; empty for that of the seed.
        moves: letters of the moves.
        known: number of positions to leave out of the reply.
    """

    table: Short
    seed: Short
    board: Short = ""
    moves: Letters = ""
    known: Annotated[int, msgspec.Meta(ge=0, le=MAX_MOVES)] = 0


class EndgamePosition(msgspec.Struct, frozen=True):
    """A position of a practice game; see `PracticePosition`."""

    board: str
    status: str
    chances: list[float | None]
    cell: int | None
    tile: int | None

    @classmethod
    def of(cls, one: "PracticePosition") -> "EndgamePosition":
        """The position in JSON form."""
        return cls(str(one.board), one.status.value, list(one.chances), one.cell, one.tile)


class EndgameReply(msgspec.Struct, frozen=True):
    """A practice game; `positions` begin at place `known`, one after each move."""

    table: str
    target: int
    seed: str
    known: int
    positions: list[EndgamePosition]


class KeptMistake(msgspec.Struct, frozen=True):
    """True if a position was added to the notebook."""

    added: bool
