"""`Game`: a board with a seed, a score, and a history with undo and redo; `Step`: one move of it.

    >>> game = Game(seed=1)
    >>> game.play(Move.UP).reward
    0
    >>> step = game.undo()
    >>> game.move_number
    0

A new tile is a function of the seed and the spawn number (`docs/dice.md`), so undo and the same
move give the same tile. A game stores the letters of its moves and a board every `MARK_EVERY`
moves; other positions are replayed from the stored board before them.
"""

import secrets
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from copy import copy
from operator import itemgetter
from types import MappingProxyType
from typing import Final, NamedTuple, Self

from twofold.errors import InvalidBoard, NothingToRedo, NothingToUndo
from twofold.figures import counted
from twofold.game import drawing
from twofold.game.board import Board
from twofold.game.notation import check_seed
from twofold.game.rules import STANDARD, Move, Rules
from twofold.game.step import Status, Step, next_step, start_board, status_of, throw
from twofold.limits import MAX_EXPONENT, MAX_MOVE_NUMBER, MAX_RECORD_MOVES, MAX_SCORE, check_limit

MARK_EVERY: Final = 64
"""Moves between two stored boards, in a game played move by move."""

MARK_GAP: Final = 2_048
"""More moves than one kernel call makes: a larger gap between stored boards needs a long replay."""

_MOVES: Final = {ord(move.letter): move for move in Move}
_LETTERS: Final = [move.letter.encode() for move in Move]


class Moment(NamedTuple):
    """A board and the score on it."""

    board: Board
    score: int


class PlayedMove(NamedTuple):
    """A move, with the moves made and the board before it, and the (cell, tile) after it."""

    number: int
    board: Board
    move: Move
    spawn: tuple[int, int]


class Game:
    """A game in progress; not safe for several threads at once.

    Args:
        rules: `Rules`, or text such as `3x3`.
        seed: seed of the dice, 0 to 2**64 - 1; None draws one.
        undos: moves undone so far, for a game that is resumed.
    """

    def __init__(
        self, rules: Rules | str = STANDARD, seed: int | None = None, *, undos: int = 0
    ) -> None:
        rules = Rules.of(rules)
        seed = secrets.randbits(64) if seed is None else check_seed(seed)
        self._begin(rules, seed, Moment(start_board(rules, seed), 0), 0, undos)

    @classmethod
    def from_board(
        cls,
        board: Board | str,
        rules: Rules | str | None = None,
        seed: int | None = None,
        *,
        score: int = 0,
        move_number: int = 0,
        undos: int = 0,
    ) -> Self:
        """A game that begins on a given board.

        Args:
            board: a `Board` or its text.
            rules: `Rules` or text; None for the original rules on this shape.
            seed: seed of the dice; None draws one. The tile after the n-th move of the whole game
                has spawn number `rules.start_tiles` + n, counted from 0.
            score: points so far.
            move_number: moves made so far.
            undos: moves undone so far.

        Raises:
            InvalidBoard: the board has another shape than the rules.
            InvalidInput: a text cannot be read, or a number is out of range.
            TileTooLarge: a merge could make an exponent past 35.
        """
        board = Board.of(board)
        rules = Rules(rows=board.rows, cols=board.cols) if rules is None else Rules.of(rules)
        if board.shape != rules.shape:
            raise InvalidBoard(
                f"expected a {rules.rows}x{rules.cols} board as in the rules, "
                f"got {board.rows}x{board.cols}"
            )
        game = cls.__new__(cls)
        seed = secrets.randbits(64) if seed is None else check_seed(seed)
        game._begin(rules, seed, Moment(board, score), move_number, undos)
        return game

    def _begin(self, rules: Rules, seed: int, start: Moment, move_number: int, undos: int) -> None:
        check_limit("a score", start.score, 0, MAX_SCORE)
        _check_merges(start.board)
        self._rules = rules
        self._seed = seed
        self._start = self._now = start
        self._first = check_limit("a move number", move_number, 0, MAX_MOVE_NUMBER)
        self._undos = check_limit("a number of undos", undos, 0, MAX_MOVE_NUMBER)
        self._number = move_number
        self._letters = bytearray()  # of the moves made, then of those that redo would make
        self._spawns: dict[int, tuple[int, int]] = {}  # given ones, by the move number after them
        self._thrown: set[int] = set()  # numbers of given ones that equal the dice's
        self._marks = [(move_number, start)]  # stored positions by move number, ascending
        self._trail = [start]  # the positions replayed last, from a mark on
        self._trail_first = move_number

    def __str__(self) -> str:
        moves = counted(self.move_number, "move")
        return f"{self.score:,} points, {moves}, {self.status.value}\n{self.board.drawn()}"

    def __repr__(self) -> str:
        return (
            f"<Game {str(self._rules)!r} seed={self._seed} move {self.move_number}, "
            f"score {self.score}, {self.status.value}: {self.board}>"
        )

    def _repr_svg_(self) -> str:
        caption = drawing.game_caption(self.score, self.move_number, self.status.value)
        board = self.board
        return drawing.draw_board(board.rows, board.cols, board.exponents, caption=caption)

    # ---- position

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._rules

    @property
    def seed(self) -> int:
        """Seed of the dice."""
        return self._seed

    @property
    def board(self) -> Board:
        """The board now."""
        return self._now.board

    @property
    def score(self) -> int:
        """Points so far."""
        return self._now.score

    @property
    def move_number(self) -> int:
        """Moves made since the start of the game; a game from a board may start past 0."""
        return self._number

    @property
    def spawn_number(self) -> int:
        """The spawn number of the tile after the next move."""
        return self._rules.start_tiles + self.move_number

    @property
    def start_board(self) -> Board:
        """The board before the first move made here."""
        return self._start.board

    @property
    def start_score(self) -> int:
        """Points before the first move made here."""
        return self._start.score

    @property
    def start_move_number(self) -> int:
        """Move number before the first move made here."""
        return self._first

    @property
    def given_board(self) -> Board | None:
        """The board it began on; None if rules and seed give that start."""
        if self._start.score == self._first == 0 and self._start.board == start_board(
            self._rules, self._seed
        ):
            return None
        return self._start.board

    @property
    def goal_reached(self) -> bool:
        """Whether the board holds the goal tile or a larger one; tiles never get smaller."""
        return self.board.max_tile >= self._rules.goal

    @property
    def status(self) -> Status:
        """Going, won, stopped at the goal, or over."""
        return status_of(self.board, self._rules)

    @property
    def is_finished(self) -> bool:
        """Whether no move can be made: over, or stopped at the goal."""
        return self.status in (Status.OVER, Status.STOPPED)

    def legal_moves(self) -> tuple[Move, ...]:
        """The moves that may be made now, in the order up, right, down, left."""
        return () if self.is_finished else self.board.legal_moves()

    # ---- history

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps since the start board, replayed at each call."""
        return tuple(self.iter_steps())

    def iter_steps(self) -> Iterator[Step]:
        """The steps since the start board, replayed one by one."""
        board = self._start.board
        for number in range(self._first, self._number):
            step = self._step(board, number)
            yield step
            board = step.board

    def __iter__(self) -> Iterator[PlayedMove]:
        """The moves since the start board, with the board before and the spawn after each.

        >>> game = Game("2x2", seed=1)
        >>> step = game.play("up")
        >>> for number, board, move, spawn in game:
        ...     print(number, board, move, spawn)
        0 2x2:00/11 UP (3, 4)
        """
        board = self._start.board
        for number, step in enumerate(self.iter_steps(), self._first):
            yield PlayedMove(number, board, step.move, (step.cell, step.tile))
            board = step.board

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves since the start board."""
        return tuple(map(_MOVES.__getitem__, self._letters[: self._number - self._first]))

    @property
    def letters(self) -> str:
        """The moves since the start board, a letter each."""
        return self.letters_between(self._first, self._number)

    def letters_between(self, number: int, end: int) -> str:
        """The letters of the moves from one move number up to another."""
        end = max(min(end, self._number), number)
        return self._letters[number - self._first : end - self._first].decode()

    @property
    def spawns(self) -> Mapping[int, tuple[int, int]]:
        """Spawns given by the caller, (cell, tile), by the number of the move before them."""
        return MappingProxyType({n: one for n, one in self._spawns.items() if n <= self._number})

    def is_thrown(self, number: int) -> bool:
        """Whether the tile after the n-th move is the one that the dice give."""
        return number not in self._spawns or number in self._thrown

    @property
    def undos(self) -> int:
        """Number of moves undone, including those redone later."""
        return self._undos

    @property
    def can_undo(self) -> bool:
        """Whether there is a move to undo."""
        return self._number > self._first

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone move to make again."""
        return self._number < self._last

    def at(self, number: int) -> Moment:
        """Board and score at a move number; raises `LimitExceeded` if there is none."""
        check_limit("a move number of this game", number, self._first, self._number)
        return self._find(number)

    def known_before(self, number: int) -> int:
        """A stored move number before a given one, after a stored one that is near.

        Positions between these two are found quickly; later ones may need a long replay.
        """
        place = self._last_mark(max(number - 1, self._first))
        while place > 0 and self._marks[place][0] - self._marks[place - 1][0] > MARK_GAP:
            place -= 1
        return self._marks[place][0]

    # ---- play

    def play(self, move: Move | str, *, spawn: tuple[int, int] | None = None) -> Step:
        """Make a move; a new tile appears. Undone moves can no longer be redone.

        Args:
            move: a legal move, as `Move`, letter or word: `u` or `up`.
            spawn: the (cell, tile) that appeared, for games with other dice; None uses the dice.

        Raises:
            GameOver: no move is legal, or play has stopped at the goal.
            IllegalMove: the move does not change the board.
            CellOccupied: the given cell holds a tile after the move.
            InvalidInput: the move, the given cell or the given tile is not valid.
            TileTooLarge: on the board after it a merge could make an exponent past 35.
            LimitExceeded: the game has as many moves as a record can hold.
        """
        self._check_room(1)
        step = next_step(self._now.board, self._rules, self._seed, self._number, move, spawn)
        _check_merges(step.board)
        self._forget_undone()
        if step.given:
            self._note_given(step)
        self._letters += _LETTERS[step.move]
        self._advance(step)
        return step

    def undo(self) -> Step:
        """Take back the last move and return it; raises `NothingToUndo`."""
        if not self.can_undo:
            raise NothingToUndo("there is no move to undo")
        number = self._number - 1
        before = self._find(number)
        step = self._step(before.board, number)
        self._number, self._now = number, before
        self._undos += 1
        return step

    def redo(self) -> Step:
        """Make the move undone last again, with the same tile; raises `NothingToRedo`."""
        if not self.can_redo:
            raise NothingToRedo("there is no undone move to redo")
        step = self._step(self.board, self._number)
        self._advance(step)
        return step

    def extend(
        self, letters: str, reached: Moment, spawns: Mapping[int, tuple[int, int]] | None = None
    ) -> None:
        """Append moves that were made elsewhere from the current position; they are not checked.

        `reached` is the position after them; `spawns` are the (cell, tile) not given by the dice,
        by number of the move before. Raises `LimitExceeded` for more moves than a record holds.
        """
        self._check_room(len(letters))
        _check_merges(reached.board)
        self._forget_undone()
        self._letters += letters.encode()
        self._spawns.update(spawns or {})
        self._number, self._now = self._last, reached
        self._keep(self._number, reached)

    def cut(self, number: int) -> None:
        """Forget all moves after a move number; raises `LimitExceeded` as `at` does."""
        self._now = self.at(number)
        self._number = number
        self._forget_undone()

    def fork(self, number: int) -> "Game":
        """A new game with the moves up to a move number; raises `LimitExceeded` as `at` does."""
        reached = self.at(number)
        start = self._start
        other = Game.from_board(
            start.board, self._rules, self._seed, score=start.score, move_number=self._first
        )
        spawns = {n: spawn for n, spawn in self._spawns.items() if n <= number}
        other.extend(self.letters_between(self._first, number), reached, spawns)
        other._thrown = {n for n in self._thrown if n <= number}
        return other

    def copy(self) -> "Game":
        """An independent copy, with the moves that can be undone and redone."""
        other = copy(self)
        other._letters = self._letters.copy()
        other._spawns, other._thrown = self._spawns.copy(), self._thrown.copy()
        other._marks = self._marks.copy()
        other._trail = self._trail.copy()
        return other

    # ---- inside

    @property
    def _last(self) -> int:
        """Move number after the last move that redo would make."""
        return self._first + len(self._letters)

    def _check_room(self, moves: int) -> None:
        made = self._number - self._first + moves
        if made > MAX_RECORD_MOVES:
            check_limit("a number of moves", made, 1, MAX_RECORD_MOVES)

    def _step(self, board: Board, number: int) -> Step:
        move = _MOVES[self._letters[number - self._first]]
        spawn = self._spawns.get(number + 1)
        return next_step(board, self._rules, self._seed, number, move, spawn)

    def _note_given(self, step: Step) -> None:
        spawn = step.cell, step.tile
        self._spawns[self._number + 1] = spawn
        after = self.board.slide(step.move).board
        if throw(after, self._rules, self._seed, self.spawn_number) == spawn:
            self._thrown.add(self._number + 1)

    def _advance(self, step: Step) -> None:
        self._number += 1
        self._now = Moment(step.board, self._now.score + step.reward)
        if self._number % MARK_EVERY == 0:
            self._keep(self._number, self._now)

    def _last_mark(self, number: int) -> int:
        """The place of the last stored position up to a move number; there is always one."""
        return bisect_right(self._marks, number, key=itemgetter(0)) - 1

    def _keep(self, number: int, moment: Moment) -> None:
        place = self._last_mark(number)
        known = self._marks[place][0] == number
        self._marks[place + (not known) : place + 1] = [(number, moment)]

    def _find(self, number: int) -> Moment:
        """The position at a move number, replayed from the last mark before it."""
        mark, moment = self._marks[self._last_mark(number)]
        if mark != self._trail_first:
            self._trail, self._trail_first = [moment], mark
        while (passed := self._trail_first + len(self._trail) - 1) < number:
            known = self._trail[-1]
            step = self._step(known.board, passed)
            self._trail.append(Moment(step.board, known.score + step.reward))
            if (passed + 1) % MARK_EVERY == 0:
                self._keep(passed + 1, self._trail[-1])
                self._trail, self._trail_first = [self._trail[-1]], passed + 1
        return self._trail[number - self._trail_first]

    def _forget_undone(self) -> None:
        now, last = self._number, self._last
        if now == last:
            return
        del self._letters[now - self._first :]
        del self._marks[self._last_mark(now) + 1 :]
        for number in range(now + 1, last + 1):
            self._spawns.pop(number, None)
            self._thrown.discard(number)
        if now < self._trail_first:
            self._trail, self._trail_first = [self._start], self._first
        del self._trail[now - self._trail_first + 1 :]


def _check_merges(board: Board) -> None:
    """Raise `TileTooLarge` for a board whose moves cannot be known, before it is in a game."""
    if board.max_exponent == MAX_EXPONENT:
        board.legal_moves()
