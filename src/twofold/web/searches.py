"""Searches: analyses in threads, so many at a time, each ended when nobody waits for it.

An analysis deepens ply by ply and every ply is sent. It ends with its budget, or when its page
asks for another one, wants no more, or is gone: the flag that ends it is seen within 20 ms.
"""

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

from twofold.board import Board
from twofold.errors import InvalidBoard, ResourceError
from twofold.limits import MAX_PLY, MAX_SCORE, check_limit
from twofold.play.threads import JobThreads
from twofold.players import Player
from twofold.players.base import check_going
from twofold.rules import Rules
from twofold.search.analysis import Analysis
from twofold.search.budget import Budget
from twofold.search.stop import Stop
from twofold.web.roster import Roster

Result = TypeVar("Result")

DEFAULT_SECONDS: Final = 2.0
"""How long an analysis lasts where no limit is given."""

MAX_SECONDS: Final = 60.0
"""How long it lasts at most, whatever limits are given."""

MAX_NODES: Final = 10**10
"""Most positions that it visits."""

AT_ONCE: Final = max(2, os.cpu_count() or 1)
"""Most analyses at a time, over all pages; the others wait."""

IDLE_PLAYERS: Final = 8
"""Most players that are kept for the next analysis."""


@dataclass(frozen=True, slots=True)
class AnalysisOrder:
    """What is to be analysed, and by whom.

    Attributes:
        spec: who analyses.
        board: the position.
        rules: its rules.
        score: points so far; None where they are not known.
        budget: how much it may take; see `clamped`.
        outcomes: whether it is also asked how games end, of a player that knows.
        at_home: whether a player that knows one set of rules alone answers for these instead.
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
    """The limits of an analysis, within those of the server; there always is one of time.

    Args:
        seconds: longest time; the default one where no other limit is given.
        nodes: most positions.
        ply: depth.
    """
    if seconds is None:
        seconds = DEFAULT_SECONDS if nodes is None and ply is None else MAX_SECONDS
    return Budget(
        ply=None if ply is None else min(ply, MAX_PLY),
        seconds=min(seconds, MAX_SECONDS),
        nodes=None if nodes is None else min(nodes, MAX_NODES),
    )


def rules_for(board: Board, text: str) -> Rules:
    """The rules meant for a board: the original ones on its shape where nothing is said.

    Raises:
        InvalidInput: the text names no rules, or rules of another shape.
    """
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
    """What a page or a script asks for, read and checked.

    Args:
        roster: which players may be asked.
        board: exponents or tiles.
        rules: the rules; empty for the original ones on a board of that shape.
        player: spec of the player; empty for the default one.
        score: points so far; None or empty where they are not known.
        budget: see `clamped`.
        outcomes: see `AnalysisOrder`.

    Raises:
        InvalidInput: something of it cannot be read, or may not be asked for.
        GameOver: the board has no legal move.
    """
    position = Board.parse(board)
    check_going(position)
    meant = rules_for(position, rules)
    points = None if score in (None, "") else check_limit("a score", int(score), 0, MAX_SCORE)
    spec = roster.spec(player, meant)
    roster.check(spec)
    return AnalysisOrder(spec, position, meant, points, budget, outcomes, at_home=not rules)


class Searches:
    """The analyses of all pages.

    Args:
        make: makes the player of a spec that was checked.
        at_once: most analyses at a time.
    """

    def __init__(self, make: Callable[[str], Player], at_once: int = AT_ONCE) -> None:
        self._workers = JobThreads(at_once, "twofold-search", polite=True)
        self._idle = _IdlePlayers(make)
        self._stops: set[Stop] = set()
        self._lock = threading.Lock()

    def start(self, search: Callable[[], None], stop: Stop) -> None:
        """Do a search as soon as there is room.

        Args:
            search: does it, and never raises.
            stop: ends it.

        Raises:
            ResourceError: the server is closing.
        """
        with self._lock:
            self._stops.add(stop)

        def run() -> None:
            try:
                search()
            finally:
                with self._lock:
                    self._stops.discard(stop)

        if not self._workers.submit(run):
            raise ResourceError("expected a server that goes on, got one that is closing")

    def wait_for(self, search: Callable[[], Result], stop: Stop) -> Result:
        """Do a search among the others and wait for what it returns; raise what it raises.

        Raises:
            ResourceError: the server is closing.
        """
        done = threading.Event()
        found: list[Result] = []
        faults: list[BaseException] = []

        def run() -> None:
            try:
                found.append(search())
            except BaseException as error:  # raised again by the thread that waits
                faults.append(error)
            finally:
                done.set()

        self.start(run, stop)
        done.wait()  # `close` ends it too
        for fault in faults:
            raise fault
        return found[0]

    @contextmanager
    def player(self, spec: str, rules: Rules, *, at_home: bool = False) -> Iterator[Player]:
        """A player for as long as this lasts, started for the rules; it may have served before.

        Args:
            spec: names the player.
            rules: what is played.
            at_home: whether a player that knows one set of rules alone is started for these.

        Raises:
            InvalidSpec: there is no such player.
            UnsupportedRules: it cannot play under these rules.
        """
        with self._idle.borrowed(_Kind(spec, rules, at_home)) as player:
            yield player

    def stream(self, order: AnalysisOrder, stop: Stop) -> Iterator[tuple[Analysis, Player]]:
        """Analyses that improve, and the player that makes them."""
        with self.player(order.spec, order.rules, at_home=order.at_home) as player:
            found = player.stream(order.board, order.budget, score=order.score, stop=stop)
            try:
                for analysis in found:
                    yield analysis, player
            finally:
                if isinstance(found, Generator):  # its search ends where it is left early
                    found.close()

    def analyse(self, order: AnalysisOrder, stop: Stop) -> Analysis:
        """The last of the analyses that improve; waits for it.

        Args:
            order: what is analysed.
            stop: ends it with the best answer so far.

        Raises:
            InvalidInput: the player cannot analyse this.
            ResourceError: the server is closing.
        """

        def last() -> Analysis:
            *_, (analysis, _) = self.stream(order, stop)
            return analysis

        return self.wait_for(last, stop)

    def close(self) -> None:
        """End all searches and their threads."""
        with self._lock:
            stops = list(self._stops)
        for stop in stops:
            stop.raise_flag()
        self._workers.close()
        self._idle.close()


@dataclass(frozen=True, slots=True)
class _Kind:
    """Players that may stand in for each other; see `Searches.player`."""

    spec: str
    rules: Rules
    at_home: bool


class _IdlePlayers:
    """Players that wait for the next analysis: making one takes as long as a short analysis."""

    def __init__(self, make: Callable[[str], Player]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._idle: OrderedDict[int, tuple[_Kind, Player]] = OrderedDict()
        self._closed = False

    @contextmanager
    def borrowed(self, kind: _Kind) -> Iterator[Player]:
        """A player that nobody else uses meanwhile."""
        player = self._take(kind) or self._new(kind)
        try:
            yield player
        except Exception:  # who knows what state it is in
            player.close()
            raise
        except BaseException:  # nobody wants to hear the rest
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
        player = self._make(kind.spec)
        try:
            player.start(player.home or kind.rules if kind.at_home else kind.rules, 0)
        except BaseException:
            player.close()
            raise
        return player

    def _give_back(self, kind: _Kind, player: Player) -> None:
        with self._lock:
            self._idle[id(player)] = (kind, player)
            surplus = [] if not self._closed else list(self._idle)
            surplus = surplus or list(self._idle)[: max(0, len(self._idle) - IDLE_PLAYERS)]
            closing_now = [self._idle.pop(number)[1] for number in surplus]
        for one in closing_now:
            one.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            players = [player for _, player in self._idle.values()]
            self._idle.clear()
        for player in players:
            player.close()
