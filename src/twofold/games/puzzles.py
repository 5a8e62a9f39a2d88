"""Puzzles: one position, one move. One a day, the same for everyone, and a stream of all others.

The puzzle of a date in UTC is line `date.toordinal() mod count` of `data/puzzles.txt`, made by
`docs/puzzles.py`.

In the stream, the person and the puzzles have ratings as chess players have (Elo 1978): who solves
a puzzle gains up to `GAIN` points, the more the harder it is; the next one is the nearest in
rating that was not given yet.
"""

from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from typing import Annotated, Final

import msgspec

from twofold.errors import InvalidInput
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import STANDARD, Move
from twofold.games.daily import FIRST_DAY, today
from twofold.games.judge import FLOOR
from twofold.games.reasons import MoveReason, reason_of
from twofold.games.store import GameStore, NotFound
from twofold.values.network_file import FOLDER

POSITIONS: Final = FOLDER / "puzzles.txt"
NAME: Final = "puzzles"

_ILLEGAL: Final = "-"


RATING: Final = 1_200.0
"""Rating at the beginning."""

GAIN: Final = 32.0
"""Most points that one answer wins or loses."""

MAX_RATING: Final = 10_000.0
"""Bound of a rating in a file; nobody comes near it."""

Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]

EASIEST, HARDEST = 800.0, 2_000.0
"""Ratings of the easiest and of the hardest puzzle."""


class Puzzle(msgspec.Struct, frozen=True):
    """A puzzle; `number` counts from 1.

    Attributes:
        values: of up, right, down and left, in points; null for illegal moves.
        shares: of the best value, as in a review, 0 to 1; null for illegal moves.
        best: letter of the best move.
        tempting: letters of the moves with the largest reward.
        reasons: why each move is good or bad; null for illegal moves.
    """

    number: int
    board: str
    values: list[int | None]
    shares: list[float | None]
    best: str
    tempting: str
    reasons: list[MoveReason | None]

    def solved_by(self, move: Move) -> bool:
        """True for the best move; raises InvalidInput for an illegal one."""
        if self.values[move] is None:
            raise InvalidInput(f"expected a legal move, got {move.name.lower()}")
        return move.letter == self.best


class DailyPuzzle(Puzzle, kw_only=True, frozen=True):
    """The puzzle of a day."""

    day: date


@cache
def puzzle_lines() -> list[str]:
    """The puzzles of the package: a board, and the values of its moves."""
    lines = POSITIONS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def puzzle_of(day: date) -> DailyPuzzle:
    """The puzzle of a date."""
    found = msgspec.structs.asdict(puzzle_at(day.toordinal() % len(puzzle_lines())))
    return DailyPuzzle(**found | {"number": (day - FIRST_DAY).days + 1}, day=day)


@cache
def puzzle_at(place: int) -> Puzzle:
    """The puzzle of a line."""
    one = _Line(place)
    return Puzzle(
        place + 1,
        str(one.board),
        [one.values.get(move) for move in Move],
        [one.shares.get(move) for move in Move],
        one.best.letter,
        "".join(move.letter for move in one.tempting),
        [
            reason_of(one.board, STANDARD, move, one.best, one.shares)
            if move in one.shares
            else None
            for move in Move
        ],
    )


@cache
def ratings() -> list[float]:
    """The rating of each puzzle: evenly spread, by how hard it is."""
    hard = [_Line(place).hardness for place in range(len(puzzle_lines()))]
    order = sorted(range(len(hard)), key=lambda place: (hard[place], place))
    found = [0.0] * len(hard)
    for rank, place in enumerate(order):
        found[place] = EASIEST + (HARDEST - EASIEST) * rank / max(len(order) - 1, 1)
    return found


class _Line:
    """A line of the file, read."""

    def __init__(self, place: int) -> None:
        text, *texts = puzzle_lines()[place].split()
        self.board = Board.parse(text)
        self.values = {move: int(texts[move]) for move in Move if texts[move] != _ILLEGAL}
        self.best = max(self.values, key=lambda move: self.values[move])
        top = FLOOR + self.values[self.best]
        self.shares = {move: (FLOOR + value) / top for move, value in self.values.items()}
        rewards = {move: self.board.slide(move).reward for move in self.values}
        self.tempting = [move for move in rewards if rewards[move] == max(rewards.values())]

    @property
    def hardness(self) -> float:
        """Larger where the second move is near, for each move more, and if a merge misleads."""
        *others, _ = sorted(self.shares.values())
        return others[-1] + 0.02 * len(others) + 0.05 * (self.best not in self.tempting)


class Answer(msgspec.Struct, frozen=True):
    """The first answer to a puzzle; `on_time` if it was given on the day."""

    move: str
    right: bool
    on_time: bool


class Progress(msgspec.Struct, frozen=True):
    """The person in the stream of puzzles.

    Attributes:
        rating: points as in chess.
        solved: number of puzzles answered right, of `tried`.
        streak: right answers in a row now; `longest` ever.
        change: points of the last answer.
    """

    rating: Annotated[float, msgspec.Meta(ge=-MAX_RATING, le=MAX_RATING)] = RATING
    solved: Count = 0
    tried: Count = 0
    streak: Count = 0
    longest: Count = 0
    change: Annotated[float, msgspec.Meta(ge=-GAIN, le=GAIN)] = 0.0

    def after(self, puzzle: float, *, right: bool) -> "Progress":
        """The progress after an answer to a puzzle of that rating."""
        expected = 1 / (1 + 10 ** ((puzzle - self.rating) / 400))
        change, streak = GAIN * (right - expected), self.streak + 1 if right else 0
        return Progress(
            self.rating + change,
            self.solved + right,
            self.tried + 1,
            streak,
            max(streak, self.longest),
            change,
        )


class Answers(msgspec.Struct):
    """The answers by date, the progress in the stream, the puzzles given in it."""

    days: dict[date, Answer] = {}
    progress: Progress = Progress()
    given: set[int] = set()


class PuzzleBook:
    """The person's answers beside the games; `clock` is the date in UTC. Thread-safe."""

    def __init__(self, store: GameStore, clock: Callable[[], date] = today) -> None:
        self._store = store
        self.clock: Final = clock

    def answers(self) -> dict[date, Answer]:
        """The answers so far; raises InvalidInput if the file is damaged."""
        return self._store.practised(NAME, Answers).days

    def answer(self, day: date, move: Move) -> dict[date, Answer]:
        """Record the first answer to a puzzle; returns all. Raises InvalidInput."""
        given = Answer(move.letter, puzzle_of(day).solved_by(move), day == self.clock())

        def edit(answers: Answers) -> dict[date, Answer]:
            answers.days.setdefault(day, given)
            return answers.days

        return self._store.practise(NAME, Answers, edit)

    def stream(self) -> tuple[Puzzle, Progress]:
        """The next puzzle of the stream, and the progress."""
        found = self._store.practised(NAME, Answers)
        return self._next(found), found.progress

    def solve(self, number: int, move: Move) -> Progress:
        """Record the first answer to a puzzle of the stream. Raises InvalidInput."""
        if not 1 <= number <= len(puzzle_lines()):
            raise NotFound(f"expected a puzzle from 1 to {len(puzzle_lines())}, got {number}")
        right = puzzle_at(number - 1).solved_by(move)

        def edit(answers: Answers) -> Progress:
            if number not in answers.given:
                answers.progress = answers.progress.after(ratings()[number - 1], right=right)
                answers.given.add(number)
                if len(answers.given) >= len(puzzle_lines()) - 1:  # all but that of the day
                    answers.given.clear()
            return answers.progress

        return self._store.practise(NAME, Answers, edit)

    def _next(self, answers: Answers) -> Puzzle:
        daily = self.clock().toordinal() % len(puzzle_lines())
        every = set(range(len(puzzle_lines()))) - {daily}
        places = every - {one - 1 for one in answers.given} or every
        rating, rated = answers.progress.rating, ratings()
        return puzzle_at(min(places, key=lambda place: abs(rated[place] - rating)))

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
