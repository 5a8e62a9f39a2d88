"""History: a game that keeps the letters of its moves instead of its boards.

A `Game` keeps a board for each move and makes every move in Python. Here a kernel may have made
thousands of moves at once, so only letters are kept, and boards here and there; a position between
two of them is found by playing again from the one before. Undo, redo and dice are those of `Game`.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from twofold.board import Board
from twofold.errors import InvalidBoard, NothingToRedo, NothingToUndo
from twofold.game import Status, Step, next_step, start_board, status_of
from twofold.limits import MAX_MOVE_NUMBER, MAX_RECORD_MOVES, MAX_SCORE, check_limit
from twofold.notation import check_seed
from twofold.records.record import Record
from twofold.records.replay import result_text
from twofold.rules import Move, Rules

MARK_EVERY: Final = 64
"""Moves between two boards that are kept, where they were made one by one."""

MARK_GAP: Final = 2_048
"""More moves than a player makes between two boards that are kept."""

_MOVES: Final = {ord(move.letter): move for move in Move}


@dataclass(frozen=True, slots=True)
class Standing:
    """A board and the points so far."""

    board: Board
    score: int


class History:
    """A game: how it began, the moves made, and those that redo would make.

    Not for several threads at once.

    Args:
        rules: its rules.
        seed: seed of its dice.
        board: the board it begins on; None for the one of rules and seed.
        score: points before the first move.
        first: move number before the first move.
        undos: moves undone so far.

    Attributes:
        rules: its rules.
        seed: seed of its dice.
        start: the board it began on and its points.
        first: move number before the first move.
        undos: moves undone so far.
        move_number: moves made since the start of the game.
        board: the board now.
        score: points now.

    Raises:
        InvalidInput: a value is out of range, or the board has another shape than the rules.
    """

    def __init__(
        self,
        rules: Rules,
        seed: int,
        board: Board | None = None,
        *,
        score: int = 0,
        first: int = 0,
        undos: int = 0,
    ) -> None:
        if board is not None and board.shape != rules.shape:
            raise InvalidBoard(
                f"expected a {rules.rows}x{rules.cols} board as in the rules, got {board}"
            )
        self.rules: Final = rules
        self.seed: Final = check_seed(seed)
        self.given_board: Final = board
        check_limit("a score", score, 0, MAX_SCORE)
        self.start: Final = Standing(board or start_board(rules, seed), score)
        self.first: Final = check_limit("a move number", first, 0, MAX_MOVE_NUMBER)
        self.undos = check_limit("a number of undos", undos, 0, MAX_MOVE_NUMBER)
        self._letters = bytearray()  # of the moves made, then of those that redo would make
        self._spawns: dict[int, tuple[int, int]] = {}  # given ones, by the move number after them
        self._seedless = False
        self._marks = {first: self.start}
        self._marked = [first]  # the keys of `_marks`, ascending
        self.move_number = first
        self.board, self.score = self.start.board, score

    @classmethod
    def from_record(cls, record: Record) -> Self:
        """The game of a record that was read, and so checked."""
        history = cls(
            record.rules,
            record.seed or 0,
            record.board,
            score=record.start_score,
            first=record.start_move,
            undos=record.undos,
        )
        history._seedless = record.seed is None
        history._spawns.update(record.spawns)
        history._letters += "".join(move.letter for move in record.moves).encode()
        if record.final is not None and record.score is not None:
            history._mark(history.last, Standing(record.final, record.score))
        history._go(history.last)
        return history

    def fork(self, number: int) -> "History":
        """A game of its own with the moves up to a number.

        Raises:
            LimitExceeded: it is not a move number of this game.
        """
        self._check_number(number)
        other = History(
            self.rules,
            self.seed,
            self.given_board,
            score=self.start.score,
            first=self.first,
        )
        other._letters += self._letters[: number - self.first]
        other._spawns = {key: spawn for key, spawn in self._spawns.items() if key <= number}
        other._seedless = self._seedless
        other._mark(number, self.at(number))
        other._go(number)
        return other

    # ---- where it stands

    @property
    def last(self) -> int:
        """Move number after the last move that redo would make."""
        return self.first + len(self._letters)

    @property
    def can_undo(self) -> bool:
        """Whether there is a move to undo."""
        return self.move_number > self.first

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone move to make again."""
        return self.move_number < self.last

    @property
    def status(self) -> Status:
        """Going, won and may go on, stopped at the goal, or over."""
        return status_of(self.board, self.rules)

    @property
    def is_finished(self) -> bool:
        """Whether no move can be made."""
        return self.status in (Status.OVER, Status.STOPPED)

    def legal_moves(self) -> tuple[Move, ...]:
        """The moves that may be made now."""
        return () if self.is_finished else self.board.legal_moves()

    @property
    def letters(self) -> str:
        """The moves made."""
        return self._letters[: self.move_number - self.first].decode()

    def letter_at(self, number: int) -> str:
        """The move made after so many; empty at the end."""
        return self.letters_between(number, number + 1)

    def letters_between(self, number: int, end: int) -> str:
        """The moves made from a move number up to another one."""
        end = min(end, self.move_number)
        return self._letters[number - self.first : max(end, number) - self.first].decode()

    def known_before(self, number: int) -> int:
        """The last move number before a given one whose position needs not be found again.

        From there on it costs time to find positions; between it and the one before, not much.
        """
        place = bisect_right(self._marked, max(number - 1, self.first)) - 1
        while place > 0 and self._marked[place] - self._marked[place - 1] > MARK_GAP:
            place -= 1
        return self._marked[place]

    def at(self, number: int) -> Standing:
        """Board and points after so many moves.

        Raises:
            LimitExceeded: it is not a move number of this game.
        """
        self._check_number(number)
        known = self._marked[bisect_right(self._marked, number) - 1]
        standing = self._marks[known]
        for passed in range(known, number):
            if passed % MARK_EVERY == 0:
                self._mark(passed, standing)
            step = self._step_from(standing.board, passed, self._move_at(passed))
            standing = Standing(step.board, standing.score + step.reward)
        return standing

    # ---- play

    def play(self, move: Move) -> Step:
        """Make a move; undone ones can no longer be redone.

        Raises:
            InvalidInput: as `Game.play`.
            LimitExceeded: the game has as many moves as a record can hold.
        """
        self._check_room(1)
        step = next_step(self.board, self.rules, self.seed, self.move_number, move)
        self._forget_undone()
        self._letters += step.move.letter.encode()
        self._advance(step)
        return step

    def undo(self) -> Move:
        """Take the last move back and return it.

        Raises:
            NothingToUndo: no move was made here.
        """
        if not self.can_undo:
            raise NothingToUndo("expected a move to undo, got none made")
        self._go(self.move_number - 1)
        self.undos += 1
        return self._move_at(self.move_number)

    def redo(self) -> Step:
        """Make the move undone last again, with the same tile.

        Raises:
            NothingToRedo: no move was undone, or another one was made since.
        """
        if not self.can_redo:
            raise NothingToRedo("expected an undone move to make again, got none")
        step = self._step_from(self.board, self.move_number, self._move_at(self.move_number))
        self._advance(step)
        return step

    def extend(self, letters: str, reached: Standing) -> None:
        """Take over moves that were made elsewhere from where this game stands.

        Args:
            letters: the moves, which are not checked.
            reached: where they led.

        Raises:
            LimitExceeded: the game would have more moves than a record can hold.
        """
        self._check_room(len(letters))
        self._forget_undone()
        self._letters += letters.encode()
        self._mark(self.last, reached)
        self._go(self.last)

    def cut(self, number: int) -> None:
        """Forget all moves after a move number, as if they had not been made."""
        self._go(number)
        self._forget_undone()

    def record(
        self,
        *,
        player: str = "",
        date: str = "",
        comments: Mapping[int, str] | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> Record:
        """The record of the game as it stands."""
        now = self.move_number
        spawns = {number: spawn for number, spawn in self._spawns.items() if number <= now}
        seedless = self._seedless and len(spawns) == now - self.first
        board = self.given_board
        return Record(
            rules=self.rules,
            seed=None if seedless else self.seed,
            moves=tuple(map(_MOVES.__getitem__, self._letters[: now - self.first])),
            board=self.start.board if seedless else board,
            start_score=self.start.score,
            start_move=self.first,
            spawns=spawns,
            comments={key: text for key, text in (comments or {}).items() if key <= now},
            player=player,
            date=date,
            undos=self.undos,
            score=self.score,
            result=result_text(self.board, self.rules),
            final=self.board,
            tags=tags or {},
        )

    # ---- inside

    def _check_number(self, number: int) -> None:
        check_limit("a move number of this game", number, self.first, self.move_number)

    def _check_room(self, moves: int) -> None:
        made = self.move_number - self.first
        check_limit("a number of moves", made + moves, 0, MAX_RECORD_MOVES)

    def _move_at(self, number: int) -> Move:
        return _MOVES[self._letters[number - self.first]]

    def _step_from(self, board: Board, number: int, move: Move) -> Step:
        spawn = self._spawns.get(number + 1)
        return next_step(board, self.rules, self.seed, number, move, spawn)

    def _advance(self, step: Step) -> None:
        self.move_number += 1
        self.board, self.score = step.board, self.score + step.reward
        if self.move_number % MARK_EVERY == 0:
            self._mark(self.move_number, Standing(self.board, self.score))

    def _go(self, number: int) -> None:
        """Stand at a move number, up to the last."""
        self.move_number = max(number, self.move_number)  # so that `at` finds it
        standing = self.at(number)
        self.move_number = number
        self.board, self.score = standing.board, standing.score

    def _mark(self, number: int, standing: Standing) -> None:
        if number not in self._marks:
            self._marked.insert(bisect_right(self._marked, number), number)
        self._marks[number] = standing

    def _forget_undone(self) -> None:
        now = self.move_number
        if now == self.last:
            return
        del self._letters[now - self.first :]
        for number in self._marked[bisect_right(self._marked, now) :]:
            del self._marks[number]
        del self._marked[bisect_right(self._marked, now) :]
        self._spawns = {key: spawn for key, spawn in self._spawns.items() if key <= now}
