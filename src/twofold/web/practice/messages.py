"""What the Practice page and the server say to each other over HTTP."""

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
"""Most moves of a practice game."""

Letters = Annotated[str, msgspec.Meta(max_length=MAX_MOVES, pattern="^[urdl]*$")]


# ---- endgames


class TableFacts(msgspec.Struct, frozen=True):
    """An endgame table that is built.

    Attributes:
        name: such as `442-256`.
        target: the tile to make.
        large: number of large tiles.
        boards: number of boards.
        bytes: size of its file.
    """

    name: str
    target: int
    large: int
    boards: int
    bytes: int


class TableOffer(msgspec.Struct, frozen=True):
    """An endgame table that could be built.

    Attributes:
        name, target, large, boards, bytes: as of `TableFacts`.
        memory: bytes of memory while it is built.
        seconds: about how long that takes here.
        done: share that an earlier run has built, 0 to 1; None if it was not begun.
    """

    name: str
    target: int
    large: int
    boards: int
    bytes: int
    memory: int
    seconds: float
    done: float | None


class EndgameBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A practice game: the table, where it begins, and the moves so far.

    Attributes:
        table: name of a table that is built.
        seed: of the dice and of the first board, as text.
        board: the first board; empty for the one of the seed.
        moves: letters of the moves.
        known: the positions before this place are left out of the answer.
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
        """The same as JSON has it."""
        return cls(str(one.board), one.status.value, list(one.chances), one.cell, one.tile)


class EndgameReply(msgspec.Struct, frozen=True):
    """A practice game as it stands.

    Attributes:
        table: name of the table.
        target: the tile to make.
        seed: as text.
        known: place of the first of `positions`.
        positions: from there on, one after each move.
    """

    table: str
    target: int
    seed: str
    known: int
    positions: list[EndgamePosition]


class KeptMistake(msgspec.Struct, frozen=True):
    """Whether a position was added to the notebook."""

    added: bool


# ---- notebook


class NotebookCounts(msgspec.Struct, frozen=True):
    """How the notebook stands.

    Attributes:
        open: positions to solve.
        solved: positions that are solved.
        row: right answers in a row that solve a position.
    """

    open: int
    solved: int
    row: int = SOLVED_ROW


class NextBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Which position is not to come: the one asked before."""

    after: Short = ""


class NextReply(msgspec.Struct, frozen=True):
    """The next position, None if all are solved, and the counts."""

    position: Mistake | None
    counts: NotebookCounts


class AnswerBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An answer to a position; without a move it is asked no more."""

    id: Short
    move: Letter | None


# ---- puzzles


class PuzzleDays(msgspec.Struct, frozen=True):
    """The puzzles there are, and the answers so far.

    Attributes:
        today: the date in UTC.
        first: date of the first puzzle.
        answers: by date.
        streak: days in a row whose puzzle was solved on the day.
    """

    today: date
    first: date
    answers: dict[date, Answer]
    streak: int


class PuzzleReply(msgspec.Struct, frozen=True):
    """A puzzle.

    Attributes:
        day: its date.
        number: of the puzzle, from 1 on.
        board: the position.
        values: of up, right, down and left, in points; None for illegal moves.
        shares: of the best value that they keep.
        best: the best move.
        tempting: the moves that make the most points at once.
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
