"""Why: compares a bad move with the best one, as data that a page puts into words."""

import msgspec

from twofold.board import Board
from twofold.review.review import default_judge
from twofold.review.why import MOVES, Kind, why_worse
from twofold.rules import Move, Rules
from twofold.web.hub import Hub
from twofold.web.operations import Call, Operation
from twofold.web.protocol import Letter
from twofold.web.protocol import Text as Short
from twofold.web.searches import rules_for


class WhyBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Two moves on a board; no rules means standard rules on a board of that shape."""

    board: Short
    played: Letter
    best: Letter
    rules: Short = ""


class ReasonInfo(msgspec.Struct, frozen=True):
    """A difference between the boards after two moves, as means over games with the same dice.

    Attributes:
        kind: `over`, the share of games that are over; `corner`, the share with the largest tile in
            a corner; `empty` cells; `order`, rows and columns whose tiles ascend or descend;
            `points`; `pairs` of neighbours that can merge.
        played: after the move that was made.
        best: after the best move.
    """

    kind: Kind
    played: float
    best: float


class WhyReply(msgspec.Struct, frozen=True):
    """Why a move is worse: the most important reasons first, empty if there is no difference.

    The boards are compared after `moves` moves.
    """

    moves: int
    reasons: list[ReasonInfo]


def why_operations(hub: Hub) -> list[Operation]:
    """The operation that explains a bad move."""

    def why(call: Call) -> WhyReply:
        asked: WhyBody = call.body
        board = Board.parse(asked.board)
        rules = rules_for(board, asked.rules)
        moves = Move.parse(asked.played), Move.parse(asked.best)
        with hub.roster.make(hub.roster.spec(_quick(rules), rules)) as player:
            found = why_worse(board, rules, *moves, player, call.stop)
        return WhyReply(MOVES, [ReasonInfo(one.kind, one.played, one.best) for one in found])

    return [
        Operation(
            method="POST",
            path="/api/why",
            summary="Compare what follows a bad move with what follows the best one.",
            work=why,
            body=WhyBody,
            at_once=2,
            reply=WhyReply,
            examples=[{"board": "0000/0000/1001/89ab", "played": "u", "best": "l"}],
        )
    ]


def _quick(rules: Rules) -> str:
    return default_judge(rules).replace("ply=3", "ply=1")
