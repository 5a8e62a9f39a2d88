"""Analysis: a player's values of the four moves of a position, also as a JSON document."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

import msgspec

from twofold.figures import format_table
from twofold.game.board import Board
from twofold.game.drawing import preformatted
from twofold.game.rules import Move

if TYPE_CHECKING:
    from twofold.tables.library import TableAnswer

_MOST_DECIMALS: Final = 6
_ROUNDING: Final = 1e-10
"""Values that differ by so small a share are equal: the rest is rounding."""

PROBABILITY: Final = "probability"
"""Unit of values that are the chances with which a policy network tries the moves."""

DISCOUNTED: Final = "discounted points"
"""Unit of the values of a policy network that counts points less the later they come."""

OWN_UNIT: Final = "own unit"
"""Unit of values that mean nothing outside their player."""


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A move's value, in the evaluator's unit, and the nodes visited for it."""

    value: float
    nodes: int


@dataclass(frozen=True, slots=True)
class MoveAnalysis:
    """Analysis of one move.

    Attributes:
        value: in the unit of the analysis; None for an illegal move or a player without values.
        reward: points that the move makes; 0 for an illegal move.
        depth: in the unit of `Analysis.depth`; 0 without a search.
        nodes: positions visited.
    """

    move: Move
    legal: bool
    value: float | None
    reward: int
    depth: int = 0
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class LineStep:
    """One move of a line, with the cell (row-major) and tile of the spawn; None at the end."""

    move: Move
    cell: int | None = None
    tile: int | None = None

    def __str__(self) -> str:
        """The step as in a record: `l@5:2`, or `l` without a spawn."""
        spawn = "" if self.cell is None else f"@{self.cell}:{self.tile}"
        return self.move.letter + spawn


@dataclass(frozen=True, slots=True)
class Analysis:
    """A player's analysis of a position.

    Attributes:
        moves: the four moves in the order up, right, down, left.
        best: the move that the player would make.
        player: canonical spec.
        unit: unit of the values, such as `points`.
        depth: search depth with its unit: `3 plies`, `7 half-moves`; empty without a search.
        nodes: positions visited at all depths so far.
        seconds: wall-clock time.
        hits: hits in the transposition table.
        line: the principal variation. Spawns are of the most probable tile, at the cell whose value
            is nearest the mean; in two-player searches the worst spawns. If tiles exceed the
            player's limit, the moves are those on the downgraded board.
        reproducible: True if the same request gives the same values: no time limit, no early stop,
            and no threads with a node limit or a cut. With threads the nodes may still differ.
        exact: True for values of optimal play.
        table: answer of the endgame table that chooses `best`, or None.
        critic: value of the board by the critic of a policy network, or None.
        critic_unit: unit of it.
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

    def __repr__(self) -> str:
        others = [one for one in self.moves if one.legal and one.move is not self.best]
        others.sort(key=lambda one: -math.inf if one.value is None else one.value, reverse=True)
        words = [
            one.move.name.lower() + ("" if one.value is None else f" {format_value(one.value)}")
            for one in (self.moves[self.best], *others)
        ]
        words += filter(None, (unit_words(self.unit), self.depth))
        return f"<Analysis of {self.board}: best {', '.join(words)}>"

    def __str__(self) -> str:
        """The board, and the table of the moves that `twofold analyse` prints."""
        unit = f"values {unit_words(self.unit)}" if self.unit else ""
        heading = ", ".join(filter(None, [str(self.board), self.depth, unit]))
        critic = "" if self.critic is None else f"\ncritic: {critic_words(self)}"
        return f"{heading}\n{format_moves(self)}{critic}"

    def _repr_html_(self) -> str:
        return preformatted(str(self))

    @property
    def value(self) -> float | None:
        """The value of the best move."""
        return self.moves[self.best].value

    def chance(self, move: Move) -> float | None:
        """The probability from the endgame table; None if no table knows it."""
        return None if self.table is None else self.table.chances.get(move)


def format_chance(chance: float) -> str:
    """A probability in percent, with enough digits to tell moves apart.

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
    """An endgame table's answer: `442-512: 97.2 % to make 512 (left), 96.8 % (up)`."""
    ordered = sorted(answer.chances.items(), key=lambda each: (each[0] != answer.best, -each[1]))
    (best, chance), *others = ((move.name.lower(), format_chance(one)) for move, one in ordered)
    rest = "".join(f", {chance} ({move})" for move, chance in others)
    return f"{answer.table}: {chance} to make {answer.target} ({best}){rest}"


def critic_words(analysis: Analysis) -> str:
    """What the critic of a policy network expects of the board; empty without a critic."""
    if analysis.critic is None:
        return ""
    points = analysis.critic_unit == "points"
    unit = "points" if points else unit_words(analysis.critic_unit)
    return f"the board is worth {format_value(analysis.critic)} {unit}"


def unit_words(unit: str) -> str:
    """How values are measured: `in points`, `on the player's own scale`; empty for no unit."""
    return "on the player's own scale" if unit == OWN_UNIT else unit and f"in {unit}"


def format_in_unit(value: float, unit: str, like: float | None = None) -> str:
    """A value as text: a probability of a policy in percent, others as `format_value` has them.

    >>> format_in_unit(0.62103, PROBABILITY), format_in_unit(1234.5, "points")
    ('62.1 %', '1,234.50')
    """
    return f"{100 * value:.1f} %" if unit == PROBABILITY else format_value(value, like)


def format_value(value: float, like: float | None = None) -> str:
    """A value with thousands separators and enough decimals to tell moves apart.

    The size of `like`, if given, decides the number of decimals: so columns align.
    """
    size = abs(value if like is None else like)
    if value == 0:
        return "0"
    if abs(value) >= 1e12 or size < 1e-3:
        return f"{value:.5g}"
    decimals = 0 if size >= 1e5 else 1 if size >= 1e4 else 2
    return f"{value:,.{decimals}f}" if round(value, decimals) else f"{value:.1g}"


# ---- the table of the moves


def format_moves(analysis: Analysis) -> str:
    """The four moves, a line each below a heading; the best one is named."""
    valued = analysis.value is not None
    searched = any(one.depth for one in analysis.moves)
    by_table = analysis.table is not None
    value = "points" if analysis.unit == "points" else "value"
    header = ["move", *["chance", "to best"] * by_table, *[value] * valued]
    header += [*["to best"] * (valued and not by_table), "reward"]
    header += [*["depth", "nodes"] * searched, ""]
    rows = []
    for one in analysis.moves:
        cells = [*_chance_cells(analysis, one)] if by_table else []
        values = _value_cells(analysis, one) if valued else ()
        cells += values[:1] if by_table else values
        cells.append(f"{one.reward:,}" if one.legal else "" if valued else "illegal")
        if searched:
            cells += [str(one.depth), f"{one.nodes:,}"] if one.legal else ["", ""]
        best = "best" if one.move == analysis.best else ""
        rows.append([one.move.name.lower(), *cells, best])
    return format_table(header, rows)


def _chance_cells(analysis: Analysis, one: MoveAnalysis) -> tuple[str, str]:
    """What the endgame table gives a move, and its distance from the best."""
    chance, best = analysis.chance(one.move), analysis.chance(analysis.best)
    if chance is None or best is None:
        return ("-", "-") if one.legal else ("", "")
    behind = f"-{_as_points(format_chance(best - chance))}" if chance < best else "0"
    return format_chance(chance), behind


def _as_points(difference: str) -> str:
    """A difference of percentages is in percentage points."""
    return difference.replace("%", "pp")


def _value_cells(analysis: Analysis, one: MoveAnalysis) -> tuple[str, str]:
    """The value of a move, and its distance from the best."""
    best = analysis.value
    if not one.legal:
        return "illegal", ""
    if one.value is None or best is None:
        return "-", "-"
    distance = 0.0 if math.isclose(one.value, best, rel_tol=_ROUNDING) else one.value - best
    if analysis.exact and analysis.unit != "points":
        return f"{one.value:.6f}", f"{distance:.2g}" if distance else "0"
    unit = analysis.unit
    like = min(abs(best), 1e4 * abs(distance))  # not -1 between values that look equal
    behind = _as_points(format_in_unit(distance, unit, like)) if distance else "0"
    return format_in_unit(one.value, unit, best), behind


class MoveDocument(msgspec.Struct, frozen=True):
    """Analysis of one move, see `MoveAnalysis`; the figures of an illegal move are null.

    Attributes:
        move: `up`, `right`, `down` or `left`.
        legal: true if it is legal.
        value: in the unit of the analysis; null without values, text for `inf` and `nan`.
        reward: points that the move makes.
        depth: search depth, in the unit of the analysis; 0 without a search.
        nodes: number of positions visited.
    """

    move: str
    legal: bool
    value: float | str | None
    reward: int | None
    depth: int | None
    nodes: int | None


class LineDocument(msgspec.Struct, frozen=True):
    """One move of the line and its spawn, see `LineStep`.

    Attributes:
        move: `up`, `right`, `down` or `left`.
        cell: cell of the new tile, row by row from 0; null for the last move.
        tile: the new tile; null for the last move.
    """

    move: str
    cell: int | None
    tile: int | None


class TableDocument(msgspec.Struct, frozen=True):
    """Answer of the endgame table that chooses the move.

    Attributes:
        name: name of the table.
        hash: hash of its content.
        target: the tile that it makes.
        chances: probability of making it, by the moves that the table knows.
    """

    name: str
    hash: str
    target: int
    chances: dict[str, float]

    @classmethod
    def of(cls, answer: "TableAnswer", **more: str) -> Self:
        """The document of an answer; `more` are further fields."""
        chances = {move.name.lower(): chance for move, chance in answer.chances.items()}
        return cls(answer.table, answer.hash, answer.target, chances, **more)


class AnalysisDocument(msgspec.Struct, frozen=True):
    """An analysis, see `Analysis`; `Timing` holds the fields that depend on time.

    Attributes:
        board: the board.
        player: the player's spec, with all defaults and file hashes.
        best: the move that the player would make.
        unit: unit of the values; empty without values.
        evaluator: name of the evaluator; empty without one.
        depth: search depth with its unit, such as `3 plies`; empty without a search.
        nodes: number of positions visited at all depths.
        hits: number of hits in the transposition table.
        moves: up, right, down and left.
        line: the principal variation, whose first move is `best`.
        exact: true for values of optimal play.
        table: answer of the endgame table that chooses `best`; null without.
        critic: value of the board by the critic of a policy network; missing without a critic.
        critic_unit: unit of it; missing without a critic.
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
        moves = []
        for one in analysis.moves:
            value = None if one.value is None else finite(one.value)
            more = (one.reward, one.depth, one.nodes) if one.legal else (None, None, None)
            moves.append(MoveDocument(one.move.name.lower(), one.legal, value, *more))
        return cls(
            board=str(analysis.board),
            player=analysis.player,
            best=analysis.best.name.lower(),
            unit=analysis.unit,
            evaluator=analysis.evaluator,
            depth=analysis.depth,
            nodes=analysis.nodes,
            hits=analysis.hits,
            moves=moves,
            line=[
                LineDocument(step.move.name.lower(), step.cell, step.tile) for step in analysis.line
            ],
            exact=analysis.exact,
            table=None if analysis.table is None else TableDocument.of(analysis.table),
            critic=msgspec.UNSET if analysis.critic is None else finite(analysis.critic),
            critic_unit=analysis.critic_unit or msgspec.UNSET,
        )


class Timing(msgspec.Struct, frozen=True):
    """The fields of an analysis that depend on time.

    Attributes:
        seconds: wall-clock time.
        nodes_per_second: mean speed; null if no time was measured.
    """

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
