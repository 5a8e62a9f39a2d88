"""Deepening: searches one ply deeper, again and again, as far as a budget allows."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from twofold.board import Board
from twofold.limits import MAX_PLY
from twofold.rules import Move
from twofold.search.analysis import MoveValue
from twofold.search.base import Search
from twofold.search.budget import Budget
from twofold.search.stop import ALARMS, Stop

HOPELESS: Final = 4.0
"""A depth that is expected to take this many times what is left of the budget is not begun."""

LEAST_GROWTH: Final = 2.0
"""A depth is expected to visit at least this many times the positions of the last one."""


@dataclass(frozen=True, slots=True)
class DeepFound:
    """What a search of one depth found.

    Attributes:
        depth: in the search's own count.
        values: of the legal moves, all searched to that depth.
        nodes: positions visited so far, all depths up to this one together.
        hits: values that the transposition table answered so far.
        seconds: time taken so far.
    """

    depth: int
    values: dict[Move, MoveValue]
    nodes: int
    hits: int
    seconds: float


def deepen(
    search: Search,
    board: Board,
    score: int,
    legal: Sequence[Move],
    budget: Budget,
    stop: Stop | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[DeepFound]:
    """Search ever deeper; each answer is complete, and one always comes.

    Without a limit of time or nodes and without a flag there is one answer: at the depth of
    the budget or of the search itself. Else depths count up from 1 ply; the first is always
    finished, and what a limit or the flag cuts short is thrown away. Positions that the caller
    visits between two answers, such as for a line, do not count and change no later answer.

    Args:
        search: what searches.
        board: the board as it is played.
        score: points so far.
        legal: the moves to value.
        budget: its limits; without a depth of its own and a limit, the search's depth counts.
        stop: a flag that ends the search when raised.
        clock: the time in seconds.
    """
    began, nodes, hits = clock(), 0, 0
    position = search.position(board)
    limited = bool(budget.seconds or budget.nodes)
    deepest = budget.ply and search.depth_of(budget.ply)
    if deepest is None:
        deepest = search.depth_of(MAX_PLY) if limited else search.own_depth(board)
    depths = _up_to(search, deepest) if limited or stop is not None else [deepest]
    deadline, flag = Stop(), stop or Stop()
    searches = [context.words for context in search.contexts]
    visited: list[int] = []
    pace = math.inf  # seconds for a position, at the fastest depth: others were held up
    try:
        with _deadline(budget, began, deadline):
            for number, depth in enumerate(depths):
                search.begin(afresh=True)  # what the caller did since the last depth is no help
                started, nodes_then, hits_then = clock(), search.nodes, search.hits
                values: dict[Move, MoveValue] = {}
                if number == 0:
                    search.limit_nodes(None)
                    values = search.values(position, score, legal, depth)
                else:
                    search.limit_nodes(budget.nodes and max(budget.nodes - nodes, 1))
                    with deadline.over(searches), flag.over(searches):
                        values = search.values(position, score, legal, depth)
                    if search.gave_up():
                        return
                visited.append(search.nodes - nodes_then)
                pace = min(pace, (clock() - started) / max(visited[-1], 1))
                nodes += visited[-1]
                hits += search.hits - hits_then
                yield DeepFound(depth, values, nodes, hits, clock() - began)
                cost = _expected(visited) * (pace if budget.seconds else 1)
                if cost > HOPELESS * _left(budget, clock() - began, nodes):
                    return
    finally:
        search.end()


def _up_to(search: Search, deepest: int) -> list[int]:
    """The depths of 1 ply, 2 plies, ..., and the deepest at last."""
    depths = [search.depth_of(ply) for ply in range(1, MAX_PLY + 1)]
    return [depth for depth in depths if depth < deepest] + [deepest]


@contextmanager
def _deadline(budget: Budget, began: float, deadline: Stop) -> Iterator[None]:
    """Raise the flag when the time of the budget is over."""
    if budget.seconds is None:
        yield
    else:
        with ALARMS.at(began + budget.seconds, deadline.raise_flag):
            yield


def _left(budget: Budget, seconds: float, nodes: int) -> float:
    """What is left of the budget, in seconds if it has a limit of time, else in nodes."""
    if budget.seconds is not None:
        return budget.seconds - seconds
    return math.inf if budget.nodes is None else float(budget.nodes - nodes)


def _expected(visited: Sequence[int]) -> float:
    """How many positions the next depth will visit, going by what the last ones did."""
    growth = visited[-1] / visited[-2] if len(visited) > 1 and visited[-2] > 0 else LEAST_GROWTH
    return visited[-1] * max(growth, LEAST_GROWTH)
