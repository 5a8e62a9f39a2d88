"""An analysis as JSON has it, for the command and for the web."""

import math
from typing import TYPE_CHECKING, Self

import msgspec

from twofold.search.analysis import Analysis, LineStep, MoveAnalysis

if TYPE_CHECKING:
    from twofold.endgame.table import TableAnswer


class MoveDocument(msgspec.Struct, frozen=True):
    """What one move is worth.

    Attributes:
        move: `up`, `right`, `down` or `left`.
        legal: whether it changes the board.
        value: in the unit of the analysis; None for an illegal move, and where moves are not
            valued. JSON has no infinity and no NaN: they are text.
        reward: points of the move itself; None for an illegal move, like all below.
        depth: how deep it was searched.
        nodes: positions visited for it.
    """

    move: str
    legal: bool
    value: float | str | None
    reward: int | None
    depth: int | None
    nodes: int | None

    @classmethod
    def of(cls, one: MoveAnalysis) -> Self:
        """The document of one move."""
        return cls(
            one.move.name.lower(),
            one.legal,
            None if one.value is None else finite(one.value),
            one.reward if one.legal else None,
            one.depth if one.legal else None,
            one.nodes if one.legal else None,
        )


class LineDocument(msgspec.Struct, frozen=True):
    """One move of the line, and the spawn after it; None after the last move."""

    move: str
    cell: int | None
    tile: int | None

    @classmethod
    def of(cls, step: LineStep) -> Self:
        """The document of one step."""
        return cls(step.move.name.lower(), step.cell, step.tile)


class TableDocument(msgspec.Struct, frozen=True):
    """What the endgame table says that chooses the move.

    Attributes:
        name: of the table, such as `442-512`.
        hash: of its content.
        target: the tile whose chance it tells.
        chances: of making that tile after each move that it knows, by `up`, `right`, `down` and
            `left`.
    """

    name: str
    hash: str
    target: int
    chances: dict[str, float]

    @classmethod
    def of(cls, answer: "TableAnswer") -> Self:
        """The document of an answer."""
        chances = {move.name.lower(): chance for move, chance in answer.chances.items()}
        return cls(answer.table, answer.hash, answer.target, chances)


class AnalysisDocument(msgspec.Struct, frozen=True):
    """What a player thinks of a position, without what depends on time by its nature.

    Attributes:
        board: the position.
        player: canonical spec of the player.
        best: the move that it would make.
        unit: of the values: `points`, or the evaluator's own.
        evaluator: its name; empty without.
        depth: of the search, with its unit; empty without.
        nodes: positions visited.
        hits: values that the transposition table answered.
        moves: up, right, down, left.
        line: how the game may go on.
        exact: whether the values are those of optimal play, and no estimates.
        table: the endgame table that chooses `best`; None where none does.
        critic: what the critic of a policy network says that the board is worth; missing where
            there is none, like its unit.
        critic_unit: unit of it.
    """

    board: str
    player: str
    best: str
    unit: str
    evaluator: str
    depth: str
    nodes: int
    hits: int
    moves: list[MoveDocument]
    line: list[LineDocument]
    exact: bool = False
    table: TableDocument | None = None
    critic: float | str | msgspec.UnsetType = msgspec.UNSET
    critic_unit: str | msgspec.UnsetType = msgspec.UNSET

    @classmethod
    def of(cls, analysis: Analysis) -> Self:
        """The document of an analysis."""
        return cls(
            board=str(analysis.board),
            player=analysis.player,
            best=analysis.best.name.lower(),
            unit=analysis.unit,
            evaluator=analysis.evaluator,
            depth=analysis.depth,
            nodes=analysis.nodes,
            hits=analysis.hits,
            moves=[MoveDocument.of(one) for one in analysis.moves],
            line=[LineDocument.of(step) for step in analysis.line],
            exact=analysis.exact,
            table=None if analysis.table is None else TableDocument.of(analysis.table),
            critic=msgspec.UNSET if analysis.critic is None else finite(analysis.critic),
            critic_unit=analysis.critic_unit or msgspec.UNSET,
        )


class Timing(msgspec.Struct, frozen=True):
    """What depends on time by its nature."""

    seconds: float
    nodes_per_second: float | None

    @classmethod
    def of(cls, analysis: Analysis) -> Self:
        """The time that an analysis took."""
        rate = analysis.nodes / analysis.seconds if analysis.seconds else None
        return cls(analysis.seconds, rate)


def finite(value: float) -> float | str:
    """A number as JSON can have it."""
    return value if math.isfinite(value) else str(value)
