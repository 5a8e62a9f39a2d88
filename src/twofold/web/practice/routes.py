"""The HTTP operations of the Practice page."""

from datetime import date
from pathlib import Path

import msgspec

from twofold.play.daily import FIRST_DAY
from twofold.rules import Move
from twofold.web.operations import Operation, operation, operations_of
from twofold.web.practice.messages import (
    EndgameBody,
    EndgameReply,
    KeptMistake,
    TableFacts,
    TableOffer,
)
from twofold.web.practice.notebook import SOLVED_ROW, Mistake, Notebook
from twofold.web.practice.puzzles import Answer, PuzzleBook, puzzle_of
from twofold.web.protocol import Letter
from twofold.web.protocol import Text as Short


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


def practice_operations(notebook: Notebook, data: Path) -> list[Operation]:
    """The operations; `data` is the data folder."""
    return operations_of(_Practice(notebook, PuzzleBook(data)))


class _Practice:
    def __init__(self, notebook: Notebook, book: PuzzleBook) -> None:
        self._notebook, self._book = notebook, book

    # ---- endgames

    @operation("GET /api/practice/tables")
    def tables(self) -> list[TableFacts]:
        """List the endgame tables on this machine."""
        from twofold.web.practice import endgames  # loads kernels, as below

        return endgames.tables()

    @operation("GET /api/practice/offers", at_once=1)
    def offers(self) -> list[TableOffer]:
        """Endgame tables that could be built, and their requirements."""
        from twofold.web.practice import endgames

        return endgames.offers()

    @operation("POST /api/practice/endgame")
    def play(self, body: EndgameBody) -> EndgameReply:
        """The positions of a practice game, with the chances of all moves."""
        from twofold.web.practice import endgames

        return endgames.play_on(body)

    @operation("POST /api/practice/mistake")
    def keep(self, body: EndgameBody) -> KeptMistake:
        """Add the last move of a practice game to the notebook, if it was a mistake."""
        from twofold.web.practice import endgames

        found = endgames.last_mistake(body)
        return KeptMistake(found is not None and self._notebook.add([found]) > 0)

    # ---- the notebook

    @operation("GET /api/notebook")
    def counts(self) -> NotebookCounts:
        """The number of mistakes in the notebook."""
        return NotebookCounts(*self._notebook.counts())

    @operation("POST /api/notebook/next")
    def next(self, body: NextBody) -> NextReply:
        """A position of the notebook to solve."""
        return self._reply(self._notebook.next(body.after))

    @operation("POST /api/notebook/answer")
    def solve(self, body: AnswerBody) -> NextReply:
        """Answer a position of the notebook."""
        if body.move is None:
            return self._reply(self._notebook.drop(body.id))
        return self._reply(self._notebook.answer(body.id, Move.parse(body.move)))

    def _reply(self, position: Mistake | None) -> NextReply:
        return NextReply(position, NotebookCounts(*self._notebook.counts()))

    # ---- puzzles

    @operation("GET /api/puzzles")
    def days(self) -> PuzzleDays:
        """The puzzles of the day so far, and the answers to them."""
        return self._days(self._book.answers())

    @operation("GET /api/puzzles/{day}")
    def puzzle(self, day: str) -> PuzzleReply:
        """The puzzle of a date."""
        parsed = self._book.parse_day(day)
        puzzle = puzzle_of(parsed)
        return PuzzleReply(
            parsed,
            (parsed - FIRST_DAY).days + 1,
            str(puzzle.board),
            list(puzzle.values),
            puzzle.shares,
            puzzle.best.letter,
            "".join(move.letter for move in puzzle.tempting),
        )

    @operation("POST /api/puzzles/{day}")
    def answer(self, day: str, body: PuzzleBody) -> PuzzleDays:
        """Answer the puzzle of a date; the first answer counts."""
        return self._days(self._book.answer(self._book.parse_day(day), Move.parse(body.move)))

    def _days(self, answers: dict[date, Answer]) -> PuzzleDays:
        return PuzzleDays(self._book.clock(), FIRST_DAY, answers, self._book.streak(answers))
