"""Playing the moves of a record as they are read, and saying where one goes wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from twofold.board import Board
from twofold.errors import InvalidInput, InvalidRecord
from twofold.game import next_step, start_board, status_of
from twofold.limits import MAX_COMMENT, MAX_RECORD_MOVES, check_limit
from twofold.notation import MOVE_LETTERS
from twofold.records.text import CommentText, MoveText
from twofold.rules import Move, Rules


@contextmanager
def located(where: str) -> Iterator[None]:
    """Turn any refusal into an `InvalidRecord` that says where in the record it was."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidRecord(f"{where}: {error}") from error


def result_text(board: Board, rules: Rules) -> str:
    """The largest tile and how the game stands: `2048 over`, `512 going`."""
    return f"{board.max_tile} {status_of(board, rules).value}"


class Replay:
    """A game that keeps its moves but not its boards.

    Args:
        rules: the rules of the game.
        seed: seed of its dice; None where every tile is given.
        board: the board it began on; None if it is the one that rules and seed give.
        score: points before the first move.
        move_number: move number before the first move.

    Attributes:
        moves: the moves made.
        spawns: the (cell, tile) that were given, by move number.
        comments: comments, by move number.
        board: the board now.
        score: points now.
    """

    def __init__(
        self, rules: Rules, seed: int | None, board: Board | None, score: int, move_number: int
    ) -> None:
        self.rules: Final = rules
        self.seed: Final = seed
        self.moves: list[Move] = []
        self.spawns: dict[int, tuple[int, int]] = {}
        self.comments: dict[int, str] = {}
        self.board = board or start_board(rules, seed or 0)
        self.score = score
        self._start_move: Final = move_number
        self._before = (self.board, self.score)

    @property
    def number(self) -> int:
        """Moves made since the start of the game."""
        return self._start_move + len(self.moves)

    def read(self, part: MoveText | CommentText) -> None:
        """Take in the next part of a record's text.

        Raises:
            InvalidRecord: the move or its tile is impossible, or there is too much.
        """
        if isinstance(part, CommentText):
            with located(f"line {part.line}"):
                self._note(part.text)
        else:
            with located(f"line {part.line}, move {self.number + 1}"):
                self.play(Move(MOVE_LETTERS.index(part.letter)), part.spawn)

    def _note(self, text: str) -> None:
        known = self.comments.get(self.number)
        text = text if known is None else f"{known}\n{text}"
        check_limit("the length of a comment", len(text), 0, MAX_COMMENT)
        self.comments[self.number] = text

    def play(self, move: Move, spawn: tuple[int, int] | None = None) -> None:
        """Make a move; without a seed its new tile must be given.

        Raises:
            InvalidInput: the move or the tile is impossible.
        """
        check_limit("a number of moves", len(self.moves) + 1, 1, MAX_RECORD_MOVES)
        if spawn is None and self.seed is None:
            raise InvalidRecord("expected the new tile as @cell:tile, as there is no Seed")
        step = next_step(self.board, self.rules, self.seed or 0, self.number, move, spawn)
        self._before = (self.board, self.score)
        self.moves.append(move)
        if spawn is not None:
            self.spawns[self.number] = spawn
        self.board = step.board
        self.score += step.reward

    def forget_last(self) -> None:
        """Take the last move back, if there is one; can be done once after each move."""
        if self.moves:
            self.spawns.pop(self.number, None)
            self.comments.pop(self.number, None)
            self.moves.pop()
            self.board, self.score = self._before
