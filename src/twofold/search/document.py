"""Analyses as JSON documents, for the command line and the web."""

import math
from typing import TYPE_CHECKING, Self

import msgspec

from twofold.search.analysis import Analysis, LineStep, MoveAnalysis

if TYPE_CHECKING:
    from twofold.endgame.table import TableAnswer


class MoveDocument(msgspec.Struct, frozen=True):
    """Analysis of one move, see `MoveAnalysis`.

    `move` is `up`, `right`, `down` or `left`. An illegal move has None in all later fields.
    Infinite values and NaN are text, since JSON has neither.
    """

    move: str
    legal: bool
    value: float | str | None
    reward: int | None
    depth: int | None
    nodes: int | None

    @classmethod
    def of(cls, one: MoveAnalysis) -> Self:
        """The document of a move."""
        return cls(
            one.move.name.lower(),
            one.legal,
            None if one.value is None else finite(one.value),
            one.reward if one.legal else None,
            one.depth if one.legal else None,
            one.nodes if one.legal else None,
        )


class LineDocument(msgspec.Struct, frozen=True):
    """One move of the line and its spawn, see `LineStep`."""

    move: str
    cell: int | None
    tile: int | None

    @classmethod
    def of(cls, step: LineStep) -> Self:
        """The document of one step."""
        return cls(step.move.name.lower(), step.cell, step.tile)


class TableDocument(msgspec.Struct, frozen=True):
    """Answer of the endgame table that chooses the move.

    `hash` is that of the table's content. `chances` holds the probability of making the tile
    `target`, by the moves that the table knows.
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
    """An analysis, see `Analysis`; `Timing` holds the fields that depend on time.

    `critic` and `critic_unit` are left out for players without a critic.
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
    """The fields of an analysis that depend on time."""

    seconds: float
    nodes_per_second: float | None

    @classmethod
    def of(cls, analysis: Analysis) -> Self:
        """The time of an analysis."""
        rate = analysis.nodes / analysis.seconds if analysis.seconds else None
        return cls(analysis.seconds, rate)


def finite(value: float) -> float | str:
    """A number, as text if JSON cannot represent it."""
    return value if math.isfinite(value) else str(value)
