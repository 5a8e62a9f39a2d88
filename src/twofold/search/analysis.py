"""Analysis: what a player thinks of each of the four moves."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from twofold.board import Board
from twofold.drawing import preformatted
from twofold.rules import Move

if TYPE_CHECKING:
    from twofold.endgame.table import TableAnswer


_MOST_DECIMALS: Final = 6

PROBABILITY: Final = "probability"
"""Unit of values that are the chances with which a policy network tries the moves."""


@dataclass(frozen=True, slots=True)
class MoveValue:
    """What a search found about one move.

    Attributes:
        value: its worth, in the evaluator's unit.
        nodes: positions visited for it.
    """

    value: float
    nodes: int


@dataclass(frozen=True, slots=True)
class MoveAnalysis:
    """What one move is worth.

    Attributes:
        move: the move.
        legal: whether it changes the board.
        value: its worth in the unit of the analysis; None for an illegal move, and where
            the player ranks moves without valuing them.
        reward: points the move itself makes; 0 for an illegal move.
        depth: how deep it was searched, in the count that the analysis names; 0 without.
        nodes: positions visited for it.
    """

    move: Move
    legal: bool
    value: float | None
    reward: int
    depth: int = 0
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class LineStep:
    """One move of a line, and the spawn that follows it.

    Attributes:
        move: the move.
        cell: cell of the spawn, row-major; None after the last move.
        tile: tile of the spawn; None after the last move.
    """

    move: Move
    cell: int | None = None
    tile: int | None = None

    def __str__(self) -> str:
        """As in a record: `l@5:2`, or `l` without a spawn."""
        spawn = "" if self.cell is None else f"@{self.cell}:{self.tile}"
        return self.move.letter + spawn


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
        nodes: positions visited, all depths up to this one together.
        seconds: time taken.
        hits: values that the transposition table answered.
        evaluator: name of the evaluator; empty without.
        line: the best move and how the game may go on. After each move comes, of the most
            probable spawns, the one whose value is nearest the mean, or against an adversary
            the one that hurts most. On a board whose tiles pass the player's limit these are
            moves on the downgraded board.
        reproducible: whether an equal request gives equal values; not so under a limit of time,
            nor where a flag ended the search, nor where threads share nodes or a cut-off. With
            several threads the nodes may differ all the same.
        exact: whether the values are those of optimal play, and no estimates.
        table: what the endgame table says that chooses `best`, beside the values of the search;
            None where no table does.
        critic: what the critic of a policy network says that the board is worth; None where
            there is none.
        critic_unit: its unit: `points`, or the network's own.
    """

    board: Board
    moves: tuple[MoveAnalysis, MoveAnalysis, MoveAnalysis, MoveAnalysis]
    best: Move
    player: str
    unit: str = ""
    depth: str = ""
    nodes: int = 0
    seconds: float = 0.0
    hits: int = 0
    evaluator: str = ""
    line: tuple[LineStep, ...] = ()
    reproducible: bool = True
    exact: bool = False
    table: "TableAnswer | None" = None
    critic: float | None = None
    critic_unit: str = ""

    def __getitem__(self, move: Move) -> MoveAnalysis:
        return self.moves[move]

    def __str__(self) -> str:
        """A line for each move: its value and the points it makes; the best one is marked."""
        unit = f"values in {self.unit}" if self.unit else ""
        lines = [", ".join(filter(None, [str(self.board), self.depth, unit]))]
        for one in self.moves:
            value = "" if one.value is None else format_value(one.value)
            word = "best" if one.move is self.best else "" if one.legal else "illegal"
            lines.append(f"{one.move.name.lower():<5} {value:>12} {one.reward:>7,} {word}".rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return preformatted(str(self))

    @property
    def value(self) -> float | None:
        """The value of the best move."""
        return self.moves[self.best].value

    def chance(self, move: Move) -> float | None:
        """What the endgame table gives a move; None where none speaks or it does not know it."""
        return None if self.table is None else self.table.chances.get(move)


def format_chance(chance: float) -> str:
    """A chance in percent, with enough digits to tell moves apart.

    >>> [format_chance(chance) for chance in (0.97213, 0.99953, 0.00042, 1)]
    ['97.2 %', '99.953 %', '0.042 %', '100 %']
    """
    percent = 100 * chance
    rest = min(percent, 100 - percent)
    if rest <= 0:
        return f"{percent:.0f} %"
    decimals = 1 if rest >= 1 else min(1 + math.ceil(-math.log10(rest)), _MOST_DECIMALS)
    return f"{percent:.{decimals}f} %"


def table_words(answer: "TableAnswer") -> str:
    """What an endgame table says: `442-512: 97.2 % to make 512 (left), 96.8 % (up)`."""
    ordered = sorted(answer.chances.items(), key=lambda each: (each[0] != answer.best, -each[1]))
    (best, chance), *others = ((move.name.lower(), format_chance(one)) for move, one in ordered)
    rest = "".join(f", {chance} ({move})" for move, chance in others)
    return f"{answer.table}: {chance} to make {answer.target} ({best}){rest}"


def format_value(value: float, like: float | None = None) -> str:
    """A value with enough digits to tell moves apart, thousands separated.

    Args:
        value: the value, or the distance of one from the best.
        like: a value whose size decides the decimals, so that a column has equal ones.
    """
    size = abs(value if like is None else like)
    if value == 0:
        return "0"
    if abs(value) >= 1e12 or size < 1e-3:
        return f"{value:.5g}"
    decimals = 0 if size >= 1e5 else 1 if size >= 1e4 else 2
    return f"{value:,.{decimals}f}" if round(value, decimals) else f"{value:.1g}"
