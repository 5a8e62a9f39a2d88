"""Iterative deepening within a budget."""

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
"""A depth expected to take this many times the rest of the budget is not begun."""

LEAST_GROWTH: Final = 2.0
"""Smallest expected ratio between the nodes of a depth and of the one before."""


@dataclass(frozen=True, slots=True)
class DeepFound:
    """The result of one depth: `nodes`, `hits` and `seconds` include all depths so far."""

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
    """Search with increasing depth; yields at least one complete result.

    Without a limit of time or nodes and without `stop` there is one depth: that of the budget, or
    that of the search. Otherwise depths go up from 1 ply; the first is always finished, and an
    interrupted one is dropped. The caller may use the search between two results. `board` must not
    be downgraded; `clock` returns seconds.
    """
    search.load()
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
    pace = math.inf  # seconds per position, the minimum over depths: others were delayed
    try:
        with _deadline(budget, began, deadline):
            for number, depth in enumerate(depths):
                search.begin(afresh=True)  # ignores what the caller stored since the last depth
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
    """The depths of 1 ply, 2 plies, ..., and `deepest` as the last."""
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
    """The rest of the budget, in seconds if time is limited, else in nodes."""
    if budget.seconds is not None:
        return budget.seconds - seconds
    return math.inf if budget.nodes is None else float(budget.nodes - nodes)


def _expected(visited: Sequence[int]) -> float:
    """Expected positions of the next depth, from the growth of the last ones."""
    growth = visited[-1] / visited[-2] if len(visited) > 1 and visited[-2] > 0 else LEAST_GROWTH
    return visited[-1] * max(growth, LEAST_GROWTH)
