"""The puzzle of the day: one position, one move, the same for everyone on a date in UTC.

It is line `date.toordinal() mod count` of `data/puzzles.txt`, made by `docs/puzzles.py`.
"""

from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Final, Literal

import msgspec

from twofold.errors import InvalidInput
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import Move
from twofold.games.daily import FIRST_DAY, today
from twofold.games.judge import FLOOR
from twofold.games.store import NotFound
from twofold.storage.kept_file import KeptFile
from twofold.values.network_file import FOLDER

POSITIONS: Final = FOLDER / "puzzles.txt"
FILE: Final = "puzzles.json"
MAX_BYTES: Final = 1 << 20

_ILLEGAL: Final = "-"


class PuzzleReply(msgspec.Struct, frozen=True):
    """A puzzle; `number` counts from 1.

    Attributes:
        values: of up, right, down and left, in points; null for illegal moves.
        shares: of the best value, as in a review, 0 to 1; null for illegal moves.
        best: letter of the best move.
        tempting: letters of the moves with the largest reward.
    """

    day: date
    number: int
    board: str
    values: list[int | None]
    shares: list[float | None]
    best: str
    tempting: str


@cache
def puzzle_lines() -> list[str]:
    """The puzzles of the package: a board, and the values of its moves."""
    lines = POSITIONS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def puzzle_of(day: date) -> PuzzleReply:
    """The puzzle of a date."""
    lines = puzzle_lines()
    text, *texts = lines[day.toordinal() % len(lines)].split()
    board, values = Board.parse(text), [None if one == _ILLEGAL else int(one) for one in texts]
    legal = [move for move in Move if values[move] is not None]
    best = max(legal, key=lambda move: values[move] or 0)
    top = FLOOR + (values[best] or 0)
    rewards = {move: board.slide(move).reward for move in legal}
    return PuzzleReply(
        day,
        (day - FIRST_DAY).days + 1,
        str(board),
        values,
        [None if one is None else (FLOOR + one) / top for one in values],
        best.letter,
        "".join(move.letter for move in legal if rewards[move] == max(rewards.values())),
    )


class Answer(msgspec.Struct, frozen=True):
    """The first answer to a puzzle; `on_time` if it was given on the day."""

    move: str
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
        given = Answer(move.letter, move.letter == puzzle.best, day == self.clock())

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
