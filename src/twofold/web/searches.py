"""Searches: analyses in threads, a limited number at a time, as the page shows them.

Outcomes follow the analysis in the same thread, for a player that has solved the game: how games
end from a position. A pass over all states takes milliseconds on 2x3 and a minute or more on 3x3.

Evaluation: an analysis as the page shows it, with the evaluation bar from 0 to 1.

* If the values are chances, the bar is the chance of the best move.
* If the values are expected points v, from a network or a game solved for its score, the bar is v /
  (v + w). Here w = (k - 1) 2^k are the points that it takes to make the next largest tile 2^k, so
  that the bar is 1/2 if about as many points are expected.
* Other heuristics have no common scale, and no bar.

Each depth of an analysis is sent. An analysis ends with its budget, or within 20 ms when its page
disconnects, cancels it or requests another.
"""

import dataclasses
import math
import os
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from msgspec.structs import replace

from twofold.errors import InvalidBoard, ResourceError
from twofold.game.board import Board
from twofold.game.rules import STANDARD, Move, Rules
from twofold.games.judge import CHANCE, POINTS, Label, analysis_ratios, label_of
from twofold.games.reasons import reason_of
from twofold.games.threads import JobThreads
from twofold.limits import MAX_PLY, MAX_SCORE, check_limit
from twofold.players import Player, PlayerSpec
from twofold.players.base import as_fault, check_going
from twofold.search.analysis import DISCOUNTED, Analysis, MoveAnalysis
from twofold.search.budget import Budget, Stop, ringing
from twofold.values import Evaluator
from twofold.web import protocol
from twofold.web.protocol import SendReply
from twofold.web.roster import Roster

if TYPE_CHECKING:
    from twofold.tables.exact import ExactTable
    from twofold.tables.library import TableAnswer


def reply_of(
    analysis: Analysis,
    player: Player,
    rules: Rules = STANDARD,
    *,
    spec: str,
    outcomes: bool = False,
    final: Stop | None = None,
    hints: int | None = None,
) -> protocol.AnalysisReply:
    """An analysis as a reply; `outcomes` announces that outcomes follow.

    The final one has a `Stop`: it measures what the grades of some players need.
    """
    bar = bar_of(analysis, player)
    return protocol.AnalysisReply(
        board=str(analysis.board),
        rules=str(rules),
        final=final is not None,
        player=spec,
        best=analysis.best.letter,  # type: ignore[arg-type]
        moves=_moves(analysis, rules, analysis_ratios(analysis, player, rules, final)),
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
        hints=hints,
    )


def table_info(answer: "TableAnswer") -> protocol.TableAnswerInfo:
    """The answer of an endgame table, for a reply."""
    return protocol.TableAnswerInfo(
        answer.table, answer.target, [answer.chances.get(move) for move in Move]
    )


def _moves(
    analysis: Analysis, rules: Rules, ratios: Mapping[Move, float]
) -> list[protocol.MoveValueInfo]:
    values = [one.value for one in analysis.moves if one.value is not None]
    guided = analysis.critic is not None and analysis.table is None
    best = analysis.value if guided and analysis.value is not None else max(values, default=0.0)

    def info(one: MoveAnalysis) -> protocol.MoveValueInfo:
        tried = not guided or one.value is None or one.value <= best
        known = ratios.get(one.move) if tried else None
        ratio = known
        if not one.legal or not tried:
            ratio = None
        elif (answer := analysis.table) is not None:
            ratio = ratio_of(answer.chances.get(one.move, 0.0), answer.chance)
        elif known is None and one.value is not None:
            ratio = ratio_of(one.value, best)
        label: Label | Literal[""] = ""
        reason = None
        if known is not None:
            label = label_of(known)
            reason = reason_of(analysis.board, rules, one.move, analysis.best, ratios)
        own = dataclasses.asdict(one) | {"move": one.move.letter}
        return protocol.MoveValueInfo(**own, ratio=ratio, tried=tried, label=label, reason=reason)

    return [info(one) for one in analysis.moves]


def ratio_of(value: float, best: float) -> float:
    """`value` relative to `best`, 0 to 1; for negative values the inverse ratio."""
    if value == best:
        return 1.0
    share = value / best if best > 0 else best / value
    return min(max(share, 0.0), 1.0) if math.isfinite(share) else 0.0


class Bar(NamedTuple):
    """The evaluation bar, 0 to 1 or None, and its meaning; see `AnalysisReply`."""

    share: float | None
    kind: protocol.BarKind
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


MAX_SECONDS: Final = 60.0
"""Maximum time limit of an analysis."""

MAX_NODES: Final = 10**10
"""Maximum number of positions in an analysis."""

AT_ONCE: Final = max(16, os.cpu_count() or 1)
"""Maximum number of simultaneous analyses over all pages, and of reviews; others are queued.

More than there are cores, which the system divides among them: a short one does not wait for long
ones.
"""

IDLE_PLAYERS: Final = 8
"""Maximum number of players kept for later analyses."""

SAY_EVERY: Final = 0.25
"""Seconds between two replies with the progress of outcomes."""


@dataclass(frozen=True, slots=True)
class AnalysisOrder:
    """A position to analyse within a budget; `score` is in points, None if unknown.

    Attributes:
        outcomes: True to compute how games end, too, if the player has solved the game.
        at_home: True if a player of one set of rules may replace `rules` by its own.
    """

    spec: PlayerSpec
    board: Board
    rules: Rules
    score: int | None
    budget: Budget
    outcomes: bool = False
    at_home: bool = False


def clamped(
    seconds: float | None = None, nodes: int | None = None, ply: int | None = None
) -> Budget:
    """A budget within the limits of the server; without any, the player's own limits."""
    if seconds is None and nodes is None and ply is None:
        return Budget()
    return Budget(
        ply=None if ply is None else min(ply, MAX_PLY),
        seconds=MAX_SECONDS if seconds is None else min(seconds, MAX_SECONDS),
        nodes=None if nodes is None else min(nodes, MAX_NODES),
    )


def rules_for(board: Board, text: str) -> Rules:
    """Parse the rules for a board, by default the standard ones; raises InvalidInput."""
    rules = Rules.parse(text) if text else Rules(rows=board.rows, cols=board.cols)
    if rules.shape != board.shape:
        raise InvalidBoard(
            f"expected a {rules.rows}x{rules.cols} board as in the rules, got {board}"
        )
    return rules


def order_of(roster: Roster, asked: protocol.AnalyseBody) -> AnalysisOrder:
    """Check a request; raises InvalidInput, or GameOver if no move is legal."""
    board, score = Board.parse(asked.board), asked.score
    check_going(board)
    rules = rules_for(board, asked.rules)
    points = None if score in (None, "") else check_limit("a score", int(score), 0, MAX_SCORE)
    spec = roster.spec(asked.player, rules)
    budget = clamped(asked.seconds, asked.nodes, asked.ply)
    outcomes = isinstance(asked, protocol.AnalyseRequest) and asked.outcomes
    return AnalysisOrder(spec, board, rules, points, budget, outcomes, at_home=not asked.rules)


_Kind = tuple[object, Rules, bool]
"""What a player is made of, its rules, and whether it is started with its own rules."""


class Searches:
    """The analyses of all pages; `make` makes the player of a checked spec.

    `placed` differs if the network of a spec has changed.

    Attributes:
        threads: run the analyses; the others are queued.
    """

    def __init__(
        self,
        make: Callable[[PlayerSpec], Player],
        placed: Callable[[PlayerSpec], object] = lambda spec: spec,
        at_once: int = AT_ONCE,
    ) -> None:
        self.threads: Final = JobThreads(at_once, "twofold-search", polite=True)
        self._make, self._placed = make, placed
        self._lock = threading.Lock()
        self._idle: list[tuple[_Kind, Player]] = []  # the oldest first
        self._closed = False

    def stream(self, order: AnalysisOrder, stop: Stop) -> Iterator[tuple[Analysis, Player, bool]]:
        """Analyses of increasing depth, with their player, the last one again with True.

        `stop` is raised after MAX_SECONDS.
        """
        with (
            self.player(order.spec, order.rules, at_home=order.at_home) as player,
            ringing(MAX_SECONDS, stop.raise_flag),
        ):
            found = player.stream(order.board, order.budget, score=order.score, stop=stop)
            analysis = None
            try:
                for analysis in found:
                    yield analysis, player, False
            finally:
                if isinstance(found, Generator):  # ends its search if the loop was left early
                    found.close()
            if analysis is not None:
                yield analysis, player, True

    def send(
        self, order: AnalysisOrder, stop: Stop, send: SendReply, hints: int | None = None
    ) -> None:
        """Send each analysis, then outcomes if requested; `hints` are those of the game so far."""
        table = None
        for analysis, player, is_last in self.stream(order, stop):
            table = solution_of(player) if order.outcomes else None
            rules = player.home if order.at_home and player.home else order.rules
            send(
                reply_of(
                    analysis,
                    player,
                    rules,
                    spec=order.spec.text,
                    outcomes=table is not None,
                    final=stop if is_last else None,
                    hints=hints,
                )
            )
        if table is not None:
            send_outcomes(table, order.board, stop, send)

    # ---- players

    @contextmanager
    def player(self, spec: PlayerSpec, rules: Rules, *, at_home: bool = False) -> Iterator[Player]:
        """A started player for one context; raises InvalidSpec or UnsupportedRules.

        Players are reused. With `at_home`, a player of one set of rules is started with its own.
        """
        kind = (self._placed(spec), rules, at_home)
        with self._lock:
            idle = next((one for one in self._idle if one[0] == kind), None)
            if idle is not None:
                self._idle.remove(idle)
        player: Player | None = None
        try:
            player = idle[1] if idle else self._make(spec)
            if idle is None:
                player.start(player.home or rules if at_home else rules, 0)
            yield player
        except BaseException as error:  # a player may call sys.exit()
            if player is not None:
                player.close()  # it may be in an invalid state
            if isinstance(error, Exception):
                raise
            raise as_fault(error) from error
        with self._lock:
            self._idle.append((kind, player))
            surplus = max(0, len(self._idle) - (0 if self._closed else IDLE_PLAYERS))
            closing_now, self._idle = self._idle[:surplus], self._idle[surplus:]
        for _, one in closing_now:
            one.close()

    def close(self) -> None:
        """End all searches and their threads."""
        self.threads.close()
        with self._lock:
            self._closed = True
            players, self._idle = self._idle, []
        for _, player in players:
            player.close()


# ---- outcomes


class _Ended(Exception):
    """Cancelled, or out of time."""


def solution_of(player: Player) -> "ExactTable | None":
    """The table of a player that has solved its game; None for others."""
    if not player.compiled or player.home is None:
        return None
    from twofold.players.exact import ExactPlayer  # loads kernels

    return player.table if isinstance(player, ExactPlayer) else None


def send_outcomes(
    table: "ExactTable",
    board: Board,
    stop: Stop,
    send: Callable[[protocol.OutcomesReply], object],
    seconds: float = MAX_SECONDS,
) -> None:
    """Compute how games end from a board; send progress and the result.

    Ends early when `stop` is raised or after `seconds`.
    """
    from twofold.tables.exact import outcomes

    began = said = time.monotonic()
    first: int | None = None
    now = protocol.OutcomesReply(board=str(board), final=False, done=0.0)

    def pass_by(_layer: int, states: int) -> None:
        nonlocal first, now, said
        first = states if first is None else first
        now = replace(now, done=(states - first) / max(len(table) - first, 1))
        when = time.monotonic()
        if stop.is_raised or when - began > seconds:
            raise _Ended
        if when - said >= SAY_EVERY:
            said = when
            send(now)

    try:
        found = outcomes(table, board, on_progress=pass_by)
    except _Ended:
        late = (
            f"not all games could be followed to their end in {seconds:g} s; "
            "a later board takes less"
        )
        why = {"note": late, "reason": "late", "seconds": seconds}
        if stop.is_raised:
            why = {"note": "stopped before the end", "reason": "stopped"}
        send(replace(now, final=True, **why))
    except (InvalidBoard, ResourceError) as error:
        send(replace(now, final=True, note=str(error)))
    else:
        of_goal, rules = found.problem.unit != POINTS, found.problem.rules
        tiles = [
            protocol.TileChance(tile, one, found.reach[tile]) for tile, one in found.tiles.items()
        ]
        send(
            protocol.OutcomesReply(
                board=str(board),
                final=True,
                done=1.0,
                tiles=tiles,
                moves=found.moves,
                setting=found.problem.setting,
                goal=rules.goal if of_goal or rules.stop_at_goal else 0,
                of_goal=of_goal,
                value=found.value,
            )
        )
