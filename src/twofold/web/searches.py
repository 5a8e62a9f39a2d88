"""Searches: analyses in threads, a limited number at a time.

Each depth of an analysis is sent. An analysis ends with its budget, or within 20 ms when its page
disconnects, cancels it or requests another.
"""

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

from twofold.board import Board
from twofold.errors import InvalidBoard
from twofold.limits import MAX_PLY, MAX_SCORE, check_limit
from twofold.play.threads import EndableJobs
from twofold.players import Player
from twofold.players.base import check_going
from twofold.rules import Rules
from twofold.search.analysis import Analysis
from twofold.search.budget import Budget
from twofold.search.stop import ALARMS, Stop
from twofold.web.roster import Roster

Result = TypeVar("Result")

MAX_SECONDS: Final = 60.0
"""Maximum time limit of an analysis."""

MAX_NODES: Final = 10**10
"""Maximum number of positions in an analysis."""

AT_ONCE: Final = max(2, os.cpu_count() or 1)
"""Maximum number of simultaneous analyses over all pages; others are queued."""

IDLE_PLAYERS: Final = 8
"""Maximum number of players kept for later analyses."""


@dataclass(frozen=True, slots=True)
class AnalysisOrder:
    """A position to analyse within a budget; `score` is in points, None if unknown.

    Attributes:
        outcomes: True to compute how games end, too, if the player has solved the game.
        at_home: True if a player of one set of rules may replace `rules` by its own.
    """

    spec: str
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


def order_of(
    roster: Roster,
    *,
    board: str,
    rules: str,
    player: str,
    score: int | str | None,
    budget: Budget,
    outcomes: bool = False,
) -> AnalysisOrder:
    """Parse and check a request; raises InvalidInput, or GameOver if no move is legal.

    Empty texts mean standard rules, the default player and an unknown score.
    """
    position = Board.parse(board)
    check_going(position)
    meant = rules_for(position, rules)
    points = None if score in (None, "") else check_limit("a score", int(score), 0, MAX_SCORE)
    spec = roster.spec(player, meant)
    roster.check(spec)
    return AnalysisOrder(spec, position, meant, points, budget, outcomes, at_home=not rules)


_Kind = tuple[str, Rules, bool]
"""Spec and rules of a player, and whether it is started with its own rules."""


class Searches:
    """The analyses of all pages; `make` makes the player of a checked spec."""

    def __init__(self, make: Callable[[str], Player], at_once: int = AT_ONCE) -> None:
        self._workers = EndableJobs(at_once, "twofold-search")
        self._make = make
        self._lock = threading.Lock()
        self._idle: OrderedDict[int, tuple[_Kind, Player]] = OrderedDict()
        self._closed = False

    def start(self, search: Callable[[], None], stop: Stop) -> None:
        """Queue a search that does not raise; raises ResourceError if the server is closing."""
        self._workers.start(search, stop.raise_flag)

    def wait_for(self, search: Callable[[], Result], stop: Stop) -> Result:
        """Queue a search and wait for its result; raises its error, or as `start`."""
        found: Future[Result] = Future()

        def run() -> None:
            try:
                found.set_result(search())
            except BaseException as error:  # raised again in the caller's thread
                found.set_exception(error)

        self.start(run, stop)
        return found.result()  # `close` ends the search, too

    def stream(self, order: AnalysisOrder, stop: Stop) -> Iterator[tuple[Analysis, Player]]:
        """Analyses of increasing depth, with their player; `stop` is raised after MAX_SECONDS."""
        home = order.at_home
        with (
            self.player(order.spec, order.rules, at_home=home) as player,
            ALARMS.at(time.perf_counter() + MAX_SECONDS, stop.raise_flag),
        ):
            found = player.stream(order.board, order.budget, score=order.score, stop=stop)
            try:
                for analysis in found:
                    yield analysis, player
            finally:
                if isinstance(found, Generator):  # ends its search if the loop was left early
                    found.close()

    def analyse(self, order: AnalysisOrder, stop: Stop) -> Analysis:
        """Wait for the last analysis of a stream; raises InvalidInput, or as `start`."""

        def last() -> Analysis:
            *_, (analysis, _) = self.stream(order, stop)
            return analysis

        return self.wait_for(last, stop)

    # ---- players

    @contextmanager
    def player(self, spec: str, rules: Rules, *, at_home: bool = False) -> Iterator[Player]:
        """A started player for one context; raises InvalidSpec or UnsupportedRules.

        Players are reused. With `at_home`, a player of one set of rules is started with its own.
        """
        kind = (spec, rules, at_home)
        player = self._take(kind) or self._new(kind)
        try:
            yield player
        except Exception:  # the player may be in an invalid state
            player.close()
            raise
        except BaseException:  # the consumer stopped early
            self._give_back(kind, player)
            raise
        self._give_back(kind, player)

    def _take(self, kind: _Kind) -> Player | None:
        with self._lock:
            for number, (known, player) in self._idle.items():
                if known == kind:
                    del self._idle[number]
                    return player
        return None

    def _new(self, kind: _Kind) -> Player:
        spec, rules, at_home = kind
        player = self._make(spec)
        try:
            player.start(player.home or rules if at_home else rules, 0)
        except BaseException:
            player.close()
            raise
        return player

    def _give_back(self, kind: _Kind, player: Player) -> None:
        with self._lock:
            self._idle[id(player)] = (kind, player)
            kept = 0 if self._closed else IDLE_PLAYERS
            surplus = list(self._idle)[: max(0, len(self._idle) - kept)]
            closing_now = [self._idle.pop(number)[1] for number in surplus]
        for one in closing_now:
            one.close()

    def close(self) -> None:
        """End all searches and their threads."""
        self._workers.close()
        with self._lock:
            self._closed = True
            players = [player for _, player in self._idle.values()]
            self._idle.clear()
        for player in players:
            player.close()
