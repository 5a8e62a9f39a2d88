"""The mistake notebook: positions of the person's mistakes, repeated until they are solved.

A position is solved by `SOLVED_ROW` correct answers in a row. The next position is drawn with a
probability proportional to `lost * (1 + missed)`.
"""

import hashlib
import math
import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Final, Literal

import msgspec

from twofold.game.board import Board
from twofold.game.record import Record
from twofold.game.rules import Move, Rules
from twofold.games.endgames import EndgamePosition
from twofold.games.judge import CHANCE, MISTAKES, MoveJudgement, label_of
from twofold.games.kept import OPENED_TAG
from twofold.games.makers import AND, ME, autoplay_of
from twofold.games.review import positions
from twofold.games.store import GameStore, NotFound

NAME: Final = "mistakes"

MAX_POSITIONS: Final = 1_000
"""Maximum number of positions; solved ones are dropped first, then the smallest mistakes."""

MOST_OF_GAME: Final = 20
"""Maximum number of positions per game: the largest mistakes."""

SOLVED_ROW: Final = 2
"""Correct answers in a row that solve a position."""

GOOD_SHARE: Final = 0.99
"""A move with at least this share of the best value is a correct answer."""


class MistakeSource(msgspec.Struct, frozen=True):
    """Where a mistake was made.

    Attributes:
        game: id of the game; empty for practice.
        table: name of the endgame table that valued the moves; empty for none.
        seed, first: seed and first board of the practice game; no board for that of the seed.
    """

    kind: Literal["game", "practice"]
    game: str = ""
    move_number: int = 0
    table: str = ""
    seed: str = ""
    first: str = ""


Letter = Annotated[str, msgspec.Meta(pattern="^[urdl]$")]

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]

Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]


class Mistake(msgspec.Struct):
    """A position of the notebook.

    Attributes:
        move: the person's move.
        values: of up, right, down and left; null for illegal moves.
        shares: of the best value, 0 to 1; null for illegal moves.
        unit: of the values: `points`, `chance`, or the evaluator's own.
        added: time in ISO 8601.
        missed: number of wrong answers.
        row: number of correct answers in a row.
    """

    id: str
    board: str
    rules: str
    move: Letter
    best: Letter
    values: Annotated[list[float | None], msgspec.Meta(min_length=4, max_length=4)]
    shares: Annotated[list[Share | None], msgspec.Meta(min_length=4, max_length=4)]
    unit: str
    source: MistakeSource
    added: str
    missed: Count = 0
    row: Count = 0

    @property
    def is_solved(self) -> bool:
        """True if it does not come again."""
        return self.row >= SOLVED_ROW

    @property
    def lost(self) -> float:
        """The share of the best value that the move lost, 0 to 1."""
        return 1 - (self.shares[Move.parse(self.move)] or 0.0)

    @property
    def weight(self) -> float:
        """Weight of the position in the draw of the next one."""
        return self.lost * (1 + self.missed)


class MistakeList(msgspec.Struct):
    """All mistakes, the oldest first."""

    mistakes: list[Mistake] = []


class MistakeBook:
    """The notebook beside the games; `chance` draws the next position. Thread-safe."""

    def __init__(self, store: GameStore, chance: random.Random | None = None) -> None:
        self._store = store
        self._chance = chance or random.Random()

    def counts(self) -> tuple[int, int]:
        """Number of open and of solved positions; raises InvalidInput if the file is damaged."""
        mistakes = self._mistakes()
        solved = sum(one.is_solved for one in mistakes)
        return len(mistakes) - solved, solved

    def next(self, after: str = "", game: str = "") -> Mistake | None:
        """An open position, of `game` if it has one, not `after` if there is another; or None."""
        left = [one for one in self._mistakes() if not one.is_solved]
        left = [one for one in left if game and one.source.game == game] or left
        left = [one for one in left if one.id != after] or left
        if not left:
            return None
        return self._chance.choices(left, [one.weight + 1e-9 for one in left])[0]

    def answer(self, name: str, move: Move) -> Mistake:
        """Record an answer; returns the updated position. Raises NotFound or InvalidInput."""

        def edit(one: Mistake) -> Mistake:
            if (one.shares[move] or 0.0) >= GOOD_SHARE:
                one.row += 1
            else:
                one.missed, one.row = one.missed + 1, 0
            return one

        return self._change(name, edit)

    def drop(self, name: str) -> Mistake:
        """Mark a position as solved; raises as `answer`."""

        def edit(one: Mistake) -> Mistake:
            one.row = SOLVED_ROW
            return one

        return self._change(name, edit)

    def add(self, mistakes: Sequence[Mistake]) -> int:
        """Add positions; returns the number of new ones. Raises InvalidInput.

        A position that is there, from another game, counts as answered wrongly.
        """
        if not mistakes:
            return 0
        return self._store.practise(NAME, MistakeList, lambda content: _add(content, mistakes))

    def _mistakes(self) -> list[Mistake]:
        return self._store.practised(NAME, MistakeList).mistakes

    def _change(self, name: str, edit: Callable[[Mistake], Mistake]) -> Mistake:
        def change(content: MistakeList) -> Mistake:
            for one in content.mistakes:
                if one.id == name:
                    return edit(one)
            raise NotFound("there is no such position in the notebook")

        return self._store.practise(NAME, MistakeList, change)


def _add(content: MistakeList, mistakes: Sequence[Mistake]) -> int:
    known = {one.id: one for one in content.mistakes}
    new = 0
    for one in mistakes:
        before = known.get(one.id)
        if before is None:
            content.mistakes.append(one)
            known[one.id] = one
            new += 1
        elif before.source != one.source:
            before.missed, before.row, before.source = before.missed + 1, 0, one.source
    if len(content.mistakes) > MAX_POSITIONS:
        worst = sorted(content.mistakes, key=lambda one: (one.is_solved, -one.weight))
        kept = {one.id for one in worst[:MAX_POSITIONS]}
        content.mistakes = [one for one in content.mistakes if one.id in kept]
    return new


# ---- sources of mistakes


def mistakes_of_game(game: str, record: Record, judged: Sequence[MoveJudgement]) -> list[Mistake]:
    """The person's largest mistakes in a game; `judged` are those of its moves that were graded."""
    bad = [one for one in own_moves(record, judged) if one.label in MISTAKES]
    worst = sorted(bad, key=lambda one: one.ratio)[:MOST_OF_GAME]
    wanted = {one.move_number: one for one in worst}
    return [
        _of_judgement(game, record.rules, there.board, wanted[there.move_number])
        for there in positions(record)
        if there.move_number in wanted
    ]


def own_moves(record: Record, judged: Sequence[MoveJudgement]) -> list[MoveJudgement]:
    """The judgements of the moves that the person made.

    None of a game that was opened from a file. If a record does not say who made which move, all
    count if the person is among its players, or if it names none.
    """
    if OPENED_TAG in record.tags:
        return []
    autoplay = autoplay_of(record.player, record.tags)
    if autoplay is not None:
        return [one for one in judged if one.move_number + 1 not in autoplay]
    is_own = record.player == "" or ME in record.player.split(AND)
    return list(judged) if is_own else []


def _of_judgement(game: str, rules: Rules, board: Board, one: MoveJudgement) -> Mistake:
    values = [value if value is None or math.isfinite(value) else 0.0 for value in one.values]
    table, unit = "", one.unit
    if one.table is not None:
        table, unit = one.table.table, CHANCE
        chances = one.table.chances
        values = [
            None if value is None else chances.get(Move(at), 0.0) for at, value in enumerate(values)
        ]
    source = MistakeSource("game", game, one.move_number, table)
    return _mistake(board, rules, one.move, one.best, values, list(one.shares), unit, source)


def mistake_of_practice(
    source: MistakeSource, before: EndgamePosition, move: Move
) -> Mistake | None:
    """The move of a practice game if it was a mistake, otherwise None."""
    shares = [None if one is None else one / before.best for one in before.chances]
    if label_of(shares[move] or 0.0) not in MISTAKES:
        return None
    best = max((m for m in Move if shares[m] is not None), key=lambda m: shares[m] or 0.0)
    board = Board.parse(before.board)
    return _mistake(board, Rules(), move, best, before.chances, shares, CHANCE, source)


def _mistake(
    board: Board,
    rules: Rules,
    move: Move,
    best: Move,
    values: list[float | None],
    shares: list[float | None],
    unit: str,
    source: MistakeSource,
) -> Mistake:
    name = hashlib.sha256(f"{rules}\n{board}".encode()).hexdigest()[:16]
    return Mistake(
        id=name,
        board=str(board),
        rules=str(rules),
        move=move.letter,
        best=best.letter,
        values=values,
        shares=[None if share is None else min(1.0, max(0.0, share)) for share in shares],
        unit=unit,
        source=source,
        added=datetime.now(UTC).isoformat(timespec="seconds"),
    )
