"""Game: a board with a seed, a score and a history that can be undone and redone.

    >>> game = Game(seed=1)
    >>> game.play(Move.UP).reward
    0
    >>> game.undo()
    >>> game.move_number
    0

The tile that follows a move is a function of the seed and the spawn number (`docs/dice.md`),
so undo and then the same move gives the same tile.
"""

import secrets
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple, Self

from twofold import drawing, reference
from twofold.board import Board
from twofold.errors import (
    GameOver,
    IllegalMove,
    InvalidBoard,
    NothingToRedo,
    NothingToUndo,
)
from twofold.limits import MAX_MOVE_NUMBER, MAX_SCORE, check_limit
from twofold.notation import check_seed, shown
from twofold.rules import STANDARD, Move, Rules


class Status(Enum):
    """Where a game stands."""

    GOING = "going"
    """A move is legal and the goal is still ahead."""

    WON = "won"
    """The goal is reached, a move is legal and play may go on."""

    STOPPED = "stopped"
    """The goal is reached and the rules stop there."""

    OVER = "over"
    """No move is legal."""


class Step(NamedTuple):
    """One move of a game and what came of it.

    Attributes:
        move: the move.
        reward: its points.
        cell: where the new tile appeared.
        tile: the new tile.
        board: the board with that tile on it.
        given: whether the new tile was given by the caller rather than thrown by the dice.
    """

    move: Move
    reward: int
    cell: int
    tile: int
    board: Board
    given: bool = False


class Game:
    """A game in progress.

    Args:
        rules: what may vary, as `Rules` or as text such as `3x3`; the original game by default.
        seed: seed of the dice, 0 to 2**64 - 1; None draws one.
        undos: moves undone so far, for a game that is taken up again.

    Raises:
        InvalidRules: the rules cannot be read.
        InvalidSeed: the seed is out of range.
        LimitExceeded: `undos` is out of range.
    """

    def __init__(
        self, rules: Rules | str = STANDARD, seed: int | None = 0, *, undos: int = 0
    ) -> None:
        rules = Rules.of(rules)
        self._seed: Final = secrets.randbits(64) if seed is None else check_seed(seed)
        self._begin(rules, start_board(rules, self._seed), 0, 0, undos)

    @classmethod
    def from_board(
        cls,
        board: Board,
        rules: Rules | str | None = None,
        seed: int | None = 0,
        *,
        score: int = 0,
        move_number: int = 0,
        undos: int = 0,
    ) -> Self:
        """A game that begins on a given board.

        Args:
            board: where it begins.
            rules: what may vary, as `Rules` or as text; None means the original rules on a board
                of this shape.
            seed: seed of the dice; None draws one. The tile after the n-th move of the whole
                game has spawn number `rules.start_tiles` + n, counted from 0.
            score: points so far.
            move_number: moves made so far.
            undos: moves undone so far.

        Raises:
            InvalidBoard: the board has another shape than the rules.
            InvalidRules: the rules cannot be read.
            InvalidSeed: the seed is out of range.
            LimitExceeded: score, move number or undos are out of range.
        """
        rules = Rules(rows=board.rows, cols=board.cols) if rules is None else Rules.of(rules)
        if board.shape != rules.shape:
            raise InvalidBoard(
                f"expected a {rules.rows}x{rules.cols} board as in the rules, "
                f"got {board.rows}x{board.cols}"
            )
        game = cls(rules, seed)
        game._begin(rules, board, score, move_number, undos)
        return game

    def _begin(self, rules: Rules, board: Board, score: int, move_number: int, undos: int) -> None:
        self._rules = rules
        self._start_board = board
        self._start_score = check_limit("a score", score, 0, MAX_SCORE)
        self._start_move_number = check_limit("a move number", move_number, 0, MAX_MOVE_NUMBER)
        self._undos = check_limit("a number of undos", undos, 0, MAX_MOVE_NUMBER)
        self._line: list[Step] = []  # the moves made, then those that redo would make
        self._made = 0
        self._board = board
        self._score = score

    def __repr__(self) -> str:
        return (
            f"<Game {str(self._rules)!r} seed={self._seed} move {self.move_number}, "
            f"score {self._score}, {self.status.value}: {self._board}>"
        )

    def _repr_svg_(self) -> str:
        """The picture that notebooks show of a game: its board, points, moves and status."""
        caption = drawing.game_caption(self._score, self.move_number, self.status.value)
        board = self._board
        return drawing.draw_board(board.rows, board.cols, board.exponents, caption=caption)

    # ---- where it stands

    @property
    def rules(self) -> Rules:
        """What may vary from game to game."""
        return self._rules

    @property
    def seed(self) -> int:
        """Seed of the dice."""
        return self._seed

    @property
    def board(self) -> Board:
        """The board now."""
        return self._board

    @property
    def score(self) -> int:
        """Points so far."""
        return self._score

    @property
    def move_number(self) -> int:
        """Moves made since the start of the game; a board given as the start may begin past 0."""
        return self._start_move_number + self._made

    @property
    def spawn_number(self) -> int:
        """The dice's number of the tile that follows the next move."""
        return self._rules.start_tiles + self.move_number

    @property
    def start_board(self) -> Board:
        """The board before the first move made here."""
        return self._start_board

    @property
    def start_score(self) -> int:
        """Points before the first move made here."""
        return self._start_score

    @property
    def start_move_number(self) -> int:
        """Move number before the first move made here."""
        return self._start_move_number

    @property
    def goal_reached(self) -> bool:
        """Whether the board holds the goal tile or a larger one; tiles never get smaller."""
        return self._board.max_tile >= self._rules.goal

    @property
    def status(self) -> Status:
        """Going, won and may go on, stopped at the goal, or over."""
        return status_of(self._board, self._rules)

    @property
    def is_finished(self) -> bool:
        """Whether no move can be made: over, or stopped at the goal."""
        return self.status in (Status.OVER, Status.STOPPED)

    def legal_moves(self) -> tuple[Move, ...]:
        """The moves that may be made now, in the order up, right, down, left."""
        return () if self.is_finished else self._board.legal_moves()

    # ---- history

    @property
    def steps(self) -> tuple[Step, ...]:
        """The moves made here and what came of each."""
        return tuple(self._line[: self._made])

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves made here."""
        return tuple(step.move for step in self._line[: self._made])

    @property
    def undos(self) -> int:
        """How often a move was undone, redone or not."""
        return self._undos

    @property
    def can_undo(self) -> bool:
        """Whether there is a move to undo."""
        return self._made > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone move to make again."""
        return self._made < len(self._line)

    # ---- play

    def play(self, move: Move | str, *, spawn: tuple[int, int] | None = None) -> Step:
        """Make a move; a new tile appears. Undone moves can no longer be redone.

        Args:
            move: a legal move, as `Move`, letter or word: `u` or `up`.
            spawn: (cell, tile) that appeared, for games whose dice are not ours; None
                throws the dice.

        Returns:
            What came of it.

        Raises:
            GameOver: no move is legal, or play has stopped at the goal.
            IllegalMove: the move changes nothing here.
            InvalidMove: this is not a move.
            CellOccupied: the given cell holds a tile after the move.
            InvalidBoard: the given cell is not on the board, or the rules spawn no such tile.
        """
        step = next_step(self._board, self._rules, self._seed, self.move_number, move, spawn)
        del self._line[self._made :]
        self._line.append(step)
        self._advance(step)
        return step

    def undo(self) -> Step:
        """Take the last move back and return it.

        Raises:
            NothingToUndo: no move was made here.
        """
        if not self.can_undo:
            raise NothingToUndo("expected a move to undo, got none made")
        self._made -= 1
        self._undos += 1
        step = self._line[self._made]
        self._board = self._line[self._made - 1].board if self._made else self._start_board
        self._score -= step.reward
        return step

    def redo(self) -> Step:
        """Make the move undone last again, with the same tile, and return it.

        Raises:
            NothingToRedo: no move was undone, or another one was made since.
        """
        if not self.can_redo:
            raise NothingToRedo("expected an undone move to make again, got none")
        step = self._line[self._made]
        self._advance(step)
        return step

    def _advance(self, step: Step) -> None:
        self._made += 1
        self._board = step.board
        self._score += step.reward


def status_of(board: Board, rules: Rules) -> Status:
    """Where a game stands whose board is this one."""
    won = board.max_tile >= rules.goal
    if won and rules.stop_at_goal:
        return Status.STOPPED
    if board.is_over:
        return Status.OVER
    return Status.WON if won else Status.GOING


def next_step(
    board: Board,
    rules: Rules,
    seed: int,
    move_number: int,
    move: Move | str,
    spawn: tuple[int, int] | None = None,
) -> Step:
    """What comes of one move, without a `Game` around it.

    Args:
        board: the board before the move.
        rules: what may vary.
        seed: seed of the dice; not used if the new tile is given.
        move_number: moves made before this one.
        move: the move, as in `Game.play`.
        spawn: (cell, tile) that appeared, if it is known; None throws the dice.

    Raises:
        InvalidInput: as `Game.play` does.
    """
    if rules.stop_at_goal and board.max_tile >= rules.goal:
        raise GameOver(f"expected a game in progress, got one that stopped at {rules.goal}")
    move = Move.of(move)
    try:
        after, reward = board.slide(move)
    except IllegalMove:
        if board.is_over:
            raise GameOver(f"expected a board with a legal move, got {board}") from None
        raise
    if spawn is None:
        cell, tile = throw(after, rules, seed, rules.start_tiles + move_number)
    else:
        cell, tile = spawn
        _check_tile(tile, rules)
    return Step(move, reward, cell, tile, after.place(cell, tile), spawn is not None)


def _check_tile(tile: int, rules: Rules) -> None:
    if all(tile != known for known, _ in rules.spawn):
        known = ", ".join(str(known) for known, _ in rules.spawn)
        raise InvalidBoard(f"expected a tile that the rules spawn ({known}), got {shown(tile)}")


def throw(afterstate: Board, rules: Rules, seed: int, spawn_number: int) -> tuple[int, int]:
    """The (cell, tile) that the dice add to a board with an empty cell."""
    bits = reference.dice(seed, spawn_number)
    cell, exponent = reference.spawn(afterstate.exponents, bits, *_law(rules))
    return cell, 1 << exponent


@lru_cache(maxsize=64)
def _law(rules: Rules) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Exponents and weights of the tiles that may spawn."""
    return rules.spawn_exponents, rules.spawn_weights


def start_board(rules: Rules, seed: int) -> Board:
    """The board on which the game of this seed begins."""
    board = Board.empty(rules.shape)
    for number in range(rules.start_tiles):
        board = board.place(*throw(board, rules, seed, number))
    return board
