"""Evaluation: an analysis as the page shows it, with the evaluation bar.

The bar says how a position stands, from 0 to 1:

* Where the evaluator gives a chance (its unit is `chance`), the bar is that chance: of reaching the
  next tile. Where the game is solved for the chance of a tile, it is that.
* Where values are points to be expected, as with an n-tuple network and a game that is solved for
  its score, it is v / (v + w). Here v are
  the points that are expected from now on, and w those that it takes to make the next largest tile
  2^k out of nothing, (k - 1) 2^k. So it is 1/2 where about as many points are expected as the next
  tile takes, and falls towards 0 as the board gets hopeless.
* Heuristics have a unit and a zero of their own, so that nothing can be said: there is no bar.
"""

import math
from typing import TYPE_CHECKING, Final

from twofold.board import Board
from twofold.evaluators import Evaluator
from twofold.players.base import Player
from twofold.rules import Move
from twofold.search.analysis import Analysis, MoveAnalysis
from twofold.web.protocol import AnalysisReply, MoveValueInfo, TableAnswerInfo

if TYPE_CHECKING:
    from twofold.endgame.table import TableAnswer

CHANCE: Final = "chance"
"""Unit of evaluators that give a chance."""

POINTS: Final = "points"


def reply_of(
    analysis: Analysis, player: Player, *, spec: str, ref: int = 0, outcomes: bool = False
) -> AnalysisReply:
    """An analysis as it is sent; a better one may follow.

    Args:
        analysis: what the player thinks.
        player: the player.
        spec: the player as it was asked for.
        ref: of the request.
        outcomes: whether outcomes follow.
    """
    bar, text = evaluation_bar(analysis, player)
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
        bar=bar,
        bar_text=text,
        outcomes=outcomes,
        table=None if analysis.table is None else table_info(analysis.table),
    )


def table_info(answer: "TableAnswer") -> TableAnswerInfo:
    """What an endgame table says, as it is sent."""
    return TableAnswerInfo(answer.table, answer.target, [answer.chances.get(move) for move in Move])


def _moves(analysis: Analysis) -> list[MoveValueInfo]:
    values = [one.value for one in analysis.moves if one.value is not None]
    best = max(values, default=0.0)

    def ratio(one: MoveAnalysis) -> float | None:
        if (answer := analysis.table) is not None:
            return ratio_of(answer.chances.get(one.move, 0.0), answer.chance)
        return None if one.value is None else ratio_of(one.value, best)

    return [
        MoveValueInfo(
            move=one.move.letter,  # type: ignore[arg-type]
            legal=one.legal,
            value=one.value,
            ratio=ratio(one) if one.legal else None,
            reward=one.reward,
            depth=one.depth,
            nodes=one.nodes,
        )
        for one in analysis.moves
    ]


def ratio_of(value: float, best: float) -> float:
    """The share of the best value that a value has, 0 to 1; of losses, the other way round."""
    if value == best:
        return 1.0
    share = value / best if best > 0 else best / value
    return min(max(share, 0.0), 1.0) if math.isfinite(share) else 0.0


def evaluation_bar(analysis: Analysis, player: Player) -> tuple[float | None, str]:
    """How the position stands, 0 to 1, and what that means in words; see above."""
    value = analysis.value
    evaluator = getattr(player, "evaluator", None)
    if value is None:
        return None, "this player does not value moves"
    if analysis.unit == CHANCE:
        chance = min(max(value, 0.0), 1.0)
        return chance, f"{chance:.1%} chance of {next_tile(analysis.board):,}"
    if analysis.exact and analysis.unit != POINTS:
        return value, f"{value:.1%} {analysis.unit}"
    if analysis.critic is not None and analysis.critic_unit == POINTS:
        return _bar_of_points(analysis.critic, analysis)
    expected = analysis.exact or (isinstance(evaluator, Evaluator) and evaluator.adds_reward)
    if not expected or analysis.unit != POINTS:
        return None, "no scale: this player's values have a unit of their own"
    return _bar_of_points(value, analysis)


def _bar_of_points(value: float, analysis: Analysis) -> tuple[float, str]:
    """The bar of a number of points to come."""
    points = max(value, 0.0)
    return points / (points + points_for(analysis.board)), (
        f"{points:,.2f} more points"
        if analysis.exact
        else f"about {_rounded(points):,} more points"
    )


def next_tile(board: Board) -> int:
    """The tile after the largest one."""
    return 2 << board.max_exponent


def points_for(board: Board) -> int:
    """The points that it takes to make the next largest tile out of nothing."""
    return board.max_exponent * next_tile(board)


def _rounded(points: float) -> int:
    """Three digits of a number."""
    return int(float(f"{points:.3g}"))
