"""The puzzle of the day: one position, one move, the same for everyone on a date in UTC.

The puzzle of a date is at place `(days since 0001-01-01, that day counted) mod count` of the file
`data/puzzles.txt`, which comes with the package; `docs/puzzles.py` makes it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final, Literal

import msgspec

from twofold.board import Board
from twofold.errors import InvalidInput
from twofold.networks.library import FOLDER
from twofold.notation import shown
from twofold.play.store import NotFound
from twofold.review.judge import FLOOR
from twofold.rules import Move
from twofold.web.practice.kept_file import KeptFile
from twofold.web.protocol.requests import Letter

POSITIONS: Final = FOLDER / "puzzles.txt"
FILE: Final = "puzzles.json"
MAX_BYTES: Final = 1 << 20

FIRST_DAY: Final = date(2026, 1, 1)
"""The day of the first puzzle."""

_ILLEGAL: Final = "-"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position with one best move.

    Attributes:
        board: the board.
        values: of up, right, down and left, in points; None for illegal moves.
    """

    board: Board
    values: tuple[int | None, ...]

    @property
    def best(self) -> Move:
        """The best move."""
        return max(self._legal, key=lambda move: self.values[move] or 0)

    @property
    def tempting(self) -> list[Move]:
        """The moves that make the most points at once."""
        rewards = {move: self.board.slide(move).reward for move in self._legal}
        return [move for move, points in rewards.items() if points == max(rewards.values())]

    @property
    def shares(self) -> list[float | None]:
        """What each move keeps of the best value, as in a review; None for illegal moves."""
        best = self.values[self.best] or 0
        return [None if one is None else (FLOOR + one) / (FLOOR + best) for one in self.values]

    @property
    def _legal(self) -> list[Move]:
        return [move for move in Move if self.values[move] is not None]


@cache
def puzzles() -> tuple[Puzzle, ...]:
    """All puzzles of the package."""
    lines = POSITIONS.read_text(encoding="utf-8").splitlines()
    return tuple(_parse(line) for line in lines if not line.startswith("#"))


def _parse(line: str) -> Puzzle:
    board, *values = line.split()
    return Puzzle(
        Board.parse(board), tuple(None if one == _ILLEGAL else int(one) for one in values)
    )


def puzzle_of(day: date) -> Puzzle:
    """The puzzle of a date."""
    return puzzles()[day.toordinal() % len(puzzles())]


def today() -> date:
    """The date in UTC."""
    return datetime.now(UTC).date()


class Answer(msgspec.Struct, frozen=True):
    """The first answer to a puzzle.

    Attributes:
        move: the move.
        right: whether it is the best one.
        on_time: whether it was given on the day of the puzzle.
    """

    move: Letter
    right: bool
    on_time: bool


class Answers(msgspec.Struct):
    """The file.

    Attributes:
        version: of the format.
        days: answers by date.
    """

    version: Literal[1] = 1
    days: dict[date, Answer] = {}


class PuzzleBook:
    """The person's answers to the puzzles. May be used by several threads.

    Args:
        folder: of the data; made when something is kept.
        clock: the date in UTC.
    """

    def __init__(self, folder: Path, clock: Callable[[], date] = today) -> None:
        self._file = KeptFile(folder / FILE, Answers, "answers to the puzzles", MAX_BYTES)
        self.clock: Final = clock

    def answers(self) -> dict[date, Answer]:
        """The answers so far.

        Raises:
            InvalidInput: the file is damaged.
        """
        return self._file.read().days

    def answer(self, day: date, move: Move) -> dict[date, Answer]:
        """Take an answer down, unless there is one: the first one counts. All answers then.

        Raises:
            InvalidInput: the move is illegal, or the file cannot be written.
        """
        puzzle = puzzle_of(day)
        if puzzle.values[move] is None:
            raise InvalidInput(f"expected a legal move, got {move.name.lower()}")
        given = Answer(move.letter, move == puzzle.best, day == self.clock())  # type: ignore[arg-type]

        def edit(answers: Answers) -> dict[date, Answer]:
            answers.days.setdefault(day, given)
            return answers.days

        return self._file.change(edit)

    def streak(self, answers: dict[date, Answer]) -> int:
        """Days in a row, up to today or yesterday, whose puzzle was solved on the day."""
        day = self.clock()
        if not _counts(answers.get(day)):
            day -= timedelta(1)
        length = 0
        while _counts(answers.get(day)):
            length, day = length + 1, day - timedelta(1)
        return length

    def parse_day(self, text: str) -> date:
        """A day that has a puzzle.

        Raises:
            NotFound: it is none, or is yet to come.
        """
        try:
            day = date.fromisoformat(text)
        except ValueError:
            day = date.max
        if not FIRST_DAY <= day <= self.clock():
            raise NotFound(f"expected a date from {FIRST_DAY} to {self.clock()}, got {shown(text)}")
        return day


def _counts(answer: Answer | None) -> bool:
    return answer is not None and answer.right and answer.on_time
