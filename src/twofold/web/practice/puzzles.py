"""The puzzle of the day: one position, one move, the same for everyone on a date in UTC.

It is line `date.toordinal() mod count` of `data/puzzles.txt`, made by `docs/puzzles.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Final, Literal

import msgspec

from twofold.board import Board
from twofold.errors import InvalidInput
from twofold.networks.library import FOLDER
from twofold.notation import shown
from twofold.play.daily import FIRST_DAY, today
from twofold.play.store import NotFound
from twofold.review.judge import FLOOR
from twofold.rules import Move
from twofold.web.practice.notebook import KeptFile
from twofold.web.protocol.requests import Letter

POSITIONS: Final = FOLDER / "puzzles.txt"
FILE: Final = "puzzles.json"
MAX_BYTES: Final = 1 << 20

_ILLEGAL: Final = "-"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position, and the values of its moves in points, None for illegal moves."""

    board: Board
    values: tuple[int | None, ...]

    @property
    def best(self) -> Move:
        """The best move."""
        return max(self._legal, key=lambda move: self.values[move] or 0)

    @property
    def tempting(self) -> list[Move]:
        """The moves with the largest reward."""
        rewards = {move: self.board.slide(move).reward for move in self._legal}
        return [move for move, points in rewards.items() if points == max(rewards.values())]

    @property
    def shares(self) -> list[float | None]:
        """The share of the best value of each move, as in a review; None for illegal moves."""
        best = self.values[self.best] or 0
        return [None if one is None else (FLOOR + one) / (FLOOR + best) for one in self.values]

    @property
    def _legal(self) -> list[Move]:
        return [move for move in Move if self.values[move] is not None]


@cache
def puzzles() -> tuple[Puzzle, ...]:
    """All puzzles of the package."""
    found = []
    for line in POSITIONS.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            board, *texts = line.split()
            values = tuple(None if one == _ILLEGAL else int(one) for one in texts)
            found.append(Puzzle(Board.parse(board), values))
    return tuple(found)


def puzzle_of(day: date) -> Puzzle:
    """The puzzle of a date."""
    return puzzles()[day.toordinal() % len(puzzles())]


class Answer(msgspec.Struct, frozen=True):
    """The first answer to a puzzle; `on_time` if it was given on the day."""

    move: Letter
    right: bool
    on_time: bool


class Answers(msgspec.Struct):
    """The file, with the answers by date."""

    version: Literal[1] = 1
    days: dict[date, Answer] = {}


class PuzzleBook:
    """The person's answers in the data folder; `clock` is the date in UTC. Thread-safe."""

    def __init__(self, folder: Path, clock: Callable[[], date] = today) -> None:
        self._file = KeptFile(folder / FILE, Answers, "answers to the puzzles", MAX_BYTES)
        self.clock: Final = clock

    def answers(self) -> dict[date, Answer]:
        """The answers so far; raises InvalidInput if the file is damaged."""
        return self._file.read().days

    def answer(self, day: date, move: Move) -> dict[date, Answer]:
        """Record the first answer to a puzzle; returns all. Raises InvalidInput."""
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
        """Parse a day from the first puzzle to today; raises NotFound."""
        try:
            day = date.fromisoformat(text)
        except ValueError:
            day = date.max
        if not FIRST_DAY <= day <= self.clock():
            raise NotFound(f"expected a date from {FIRST_DAY} to {self.clock()}, got {shown(text)}")
        return day


def _counts(answer: Answer | None) -> bool:
    return answer is not None and answer.right and answer.on_time
