"""Analysis: what a player thinks of each of the four moves."""

from dataclasses import dataclass

from twofold.board import Board
from twofold.rules import Move


@dataclass(frozen=True, slots=True)
class MoveAnalysis:
    """What one move is worth.

    Attributes:
        move: the move.
        legal: whether it changes the board.
        value: its worth in the unit of the analysis; None for an illegal move, and where
            the player ranks moves without valuing them.
        reward: points the move itself makes; 0 for an illegal move.
    """

    move: Move
    legal: bool
    value: float | None
    reward: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a player thinks of a position.

    Attributes:
        board: the position.
        moves: the four moves in the order up, right, down, left, illegal ones marked.
        best: the move the player would make.
        player: canonical spec of the player.
        unit: unit of the values: `points`, or the evaluator's own.
        depth: depth of the search, with its unit: `3 plies`, `7 half-moves`; empty without.
        nodes: positions visited.
        seconds: time taken.
    """

    board: Board
    moves: tuple[MoveAnalysis, MoveAnalysis, MoveAnalysis, MoveAnalysis]
    best: Move
    player: str
    unit: str = ""
    depth: str = ""
    nodes: int = 0
    seconds: float = 0.0

    def __getitem__(self, move: Move) -> MoveAnalysis:
        return self.moves[move]

    @property
    def value(self) -> float | None:
        """The value of the best move."""
        return self.moves[self.best].value
