"""Evaluation: an analysis as the page shows it, with the evaluation bar from 0 to 1.

* If the values are chances, the bar is the chance of the best move.
* If the values are expected points v, from a network or a game solved for its score, the bar is v /
  (v + w). Here w = (k - 1) 2^k are the points that it takes to make the next largest tile 2^k, so
  that the bar is 1/2 if about as many points are expected.
* Other heuristics have no common scale, and no bar.
"""

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from twofold.board import Board
from twofold.evaluators import Evaluator
from twofold.players.base import Player
from twofold.rules import Move
from twofold.search.analysis import DISCOUNTED, Analysis, MoveAnalysis
from twofold.web.protocol import AnalysisReply, BarKind, MoveValueInfo, TableAnswerInfo

if TYPE_CHECKING:
    from twofold.endgame.table import TableAnswer

CHANCE: Final = "chance"
"""Unit of evaluators whose values are probabilities."""

POINTS: Final = "points"


def reply_of(
    analysis: Analysis, player: Player, *, spec: str, ref: int = 0, outcomes: bool = False
) -> AnalysisReply:
    """An analysis as a reply that is not final; `outcomes` announces that outcomes follow."""
    bar = bar_of(analysis, player)
    return AnalysisReply(
        ref=ref,
        board=str(analysis.board),
        final=False,
        player=spec,
        best=analysis.best.letter,  # type: ignore[arg-type]
        moves=_moves(analysis),
        unit=analysis.unit,
        depth=analysis.depth,
        nodes=analysis.nodes,
        seconds=analysis.seconds,
        source=analysis.evaluator,
        line=[str(step) for step in analysis.line],
        bar=bar.share,
        bar_kind=bar.kind,
        bar_amount=bar.amount,
        outcomes=outcomes,
        table=None if analysis.table is None else table_info(analysis.table),
    )


def table_info(answer: "TableAnswer") -> TableAnswerInfo:
    """The answer of an endgame table, for a reply."""
    return TableAnswerInfo(answer.table, answer.target, [answer.chances.get(move) for move in Move])


def _moves(analysis: Analysis) -> list[MoveValueInfo]:
    values = [one.value for one in analysis.moves if one.value is not None]
    guided = analysis.critic is not None and analysis.table is None
    best = analysis.value if guided and analysis.value is not None else max(values, default=0.0)

    def tried(one: MoveAnalysis) -> bool:
        return not guided or one.value is None or one.value <= best

    def ratio(one: MoveAnalysis) -> float | None:
        if (answer := analysis.table) is not None:
            return ratio_of(answer.chances.get(one.move, 0.0), answer.chance)
        return None if one.value is None or not tried(one) else ratio_of(one.value, best)

    return [
        MoveValueInfo(
            move=one.move.letter,  # type: ignore[arg-type]
            legal=one.legal,
            value=one.value,
            ratio=ratio(one) if one.legal else None,
            reward=one.reward,
            depth=one.depth,
            nodes=one.nodes,
            tried=tried(one),
        )
        for one in analysis.moves
    ]


def ratio_of(value: float, best: float) -> float:
    """`value` relative to `best`, 0 to 1; for negative values the inverse ratio."""
    if value == best:
        return 1.0
    share = value / best if best > 0 else best / value
    return min(max(share, 0.0), 1.0) if math.isfinite(share) else 0.0


class Bar(NamedTuple):
    """The evaluation bar, 0 to 1 or None, and its meaning; see `AnalysisReply`."""

    share: float | None
    kind: BarKind
    amount: float = 0.0


def bar_of(analysis: Analysis, player: Player) -> Bar:
    """The bar of an analysis; see the module."""
    value = analysis.value
    evaluator = getattr(player.part_for(analysis.board), "evaluator", None)
    if value is None:
        return Bar(None, "none")
    if analysis.unit == CHANCE:
        return Bar(min(max(value, 0.0), 1.0), "tile", next_tile(analysis.board))
    if analysis.exact and analysis.unit != POINTS:  # `chance of 2048`
        return Bar(value, "tile", float(analysis.unit.rpartition(" ")[2]))
    if analysis.critic is not None and analysis.critic_unit == POINTS:
        return _bar_of_points(analysis.critic, analysis)
    if analysis.critic is not None and analysis.critic_unit == DISCOUNTED:
        return Bar(None, "discounted", _rounded(max(analysis.critic, 0.0)))
    expected = analysis.exact or (isinstance(evaluator, Evaluator) and evaluator.adds_reward)
    if not expected or analysis.unit != POINTS:
        return Bar(None, "scale")
    return _bar_of_points(value, analysis)


def _bar_of_points(value: float, analysis: Analysis) -> Bar:
    points = max(value, 0.0)
    share = points / (points + points_for(analysis.board))
    return Bar(share, "points", points) if analysis.exact else Bar(share, "about", _rounded(points))


def next_tile(board: Board) -> int:
    """The tile after the largest one."""
    return 2 << board.max_exponent


def points_for(board: Board) -> int:
    """The points that it takes to make the next largest tile from nothing."""
    return board.max_exponent * next_tile(board)


def _rounded(points: float) -> int:
    return int(float(f"{points:.3g}"))
