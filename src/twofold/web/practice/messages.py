"""The requests and replies of the Practice page over HTTP."""

from datetime import date
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from twofold.web.practice.notebook import SOLVED_ROW, Mistake
from twofold.web.practice.puzzles import Answer
from twofold.web.protocol import Text as Short
from twofold.web.protocol.requests import Letter

if TYPE_CHECKING:
    from twofold.endgame.practice import PracticePosition

MAX_MOVES: Final = 4_000
"""Maximum number of moves in a practice game."""

Letters = Annotated[str, msgspec.Meta(max_length=MAX_MOVES, pattern="^[urdl]*$")]


# ---- endgames


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


# ---- notebook


class NotebookCounts(msgspec.Struct, frozen=True):
    """The number of open and of solved positions; `row` correct answers in a row solve one."""

    open: int
    solved: int
    row: int = SOLVED_ROW


class NextBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A request for the next position, not the one just answered."""

    after: Short = ""


class NextReply(msgspec.Struct, frozen=True):
    """The next position, null if all are solved, and the counts."""

    position: Mistake | None
    counts: NotebookCounts


class AnswerBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An answer to a position; a null move solves it, so that it does not come again."""

    id: Short
    move: Letter | None


# ---- puzzles


class PuzzleDays(msgspec.Struct, frozen=True):
    """The puzzles so far: today in UTC, the first day, the answers by date.

    `streak` counts days in a row on which the day's puzzle was solved.
    """

    today: date
    first: date
    answers: dict[date, Answer]
    streak: int


class PuzzleReply(msgspec.Struct, frozen=True):
    """A puzzle; `number` counts from 1.

    Attributes:
        values: of up, right, down and left, in points; null for illegal moves.
        shares: of the best value, 0 to 1; null for illegal moves.
        tempting: letters of the moves with the largest reward.
    """

    day: date
    number: int
    board: str
    values: list[int | None]
    shares: list[float | None]
    best: str
    tempting: str


class PuzzleBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The answer to a puzzle."""

    move: Letter
