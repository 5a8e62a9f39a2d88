"""Flags and timers end searches; the positions visited afterwards are counted."""

import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.twins import positions, values_of
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.kernels.context import NEVER, NODE_LIMIT, NODES
from twofold.kernels.intrinsics import as_u64, f64_pointer, u64_at
from twofold.search.budget import Stop, ringing, was_stopped
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax
from twofold.values import EVALUATORS, Evaluator, compiled

Words = NDArray[np.uint64]

HANG_SECONDS = 60.0
"""Timeout of a test that hangs, in seconds."""

LAYER = 15 * 2 * 4
"""Most positions below one afterstate: empty cells x spawn tiles x moves."""


def some_words() -> Words:
    words = np.zeros(NODE_LIMIT + 1, dtype=np.uint64)
    words[NODE_LIMIT] = NEVER
    return words


# The flag.


def test_a_flag_ends_the_searches_under_it() -> None:
    """Those that run and those that begin; not those that have ended, whose words are equal."""
    stop, searches, early, other = (
        Stop(),
        [some_words() for _ in range(3)],
        some_words(),
        some_words(),
    )
    with stop.over(searches[:2]), stop.over(searches[2:]):
        with pytest.raises(ZeroDivisionError), stop.over([early]):
            _ = 1 / 0
        assert not any(map(was_stopped, searches))
        stop.raise_flag()
        stop.raise_flag()
        assert stop.is_raised
        assert all(map(was_stopped, searches))
    assert not was_stopped(early)
    assert not was_stopped(other)
    with stop.over([other]):
        assert was_stopped(other)


@pytest.mark.parametrize("threads", [1, 2])
def test_another_thread_ends_a_search(threads: int) -> None:
    search = Expectimax(EVALUATORS["snake"], Rules(), Depth.fixed(12), threads=threads)
    board = Board.parse("0000/0012/0000/0100")
    stop = Stop()
    timer = threading.Timer(0.05, stop.raise_flag)
    began = time.perf_counter()
    with stop.over([context.words for context in search.contexts]):
        timer.start()
        values_of(search, board)
    assert search.gave_up()
    assert 0.04 < time.perf_counter() - began < HANG_SECONDS
    timer.join()
    search.close()


# How soon a search ends: an evaluator lowers the limit itself, as a flag or a clock would.


@cache
def tripwire() -> Any:
    @compiled
    def value(bits: Any, score: Any, params: Any) -> Any:
        wire = u64_at(as_u64(f64_pointer(params)[0]))  # calls, when it trips, context, nodes
        wire[0] += np.uint64(1)
        if wire[0] == wire[1]:
            context = u64_at(wire[2])
            wire[3] = context[NODES]
            context[NODE_LIMIT] = np.uint64(0)
        return np.float64(bits & np.uint64(0xFFF))

    return value


class Tripping:
    """A search whose evaluator raises a flag at a given call."""

    def __init__(self, ply: int, *, cut: float, table_mb: int, at: Any) -> None:
        self.wire = np.zeros(4, dtype=np.uint64)
        address = np.array([self.wire.ctypes.data], dtype=np.uint64)
        evaluator = Evaluator(
            "tripwire", "", lambda *_: tripwire(), lambda *_: address.view(np.float32), at=at
        )
        self.search = Expectimax(evaluator, Rules(), Depth.fixed(ply), cut=cut, table_mb=table_mb)
        self.wire[2] = self.search.context.words.ctypes.data

    def nodes_after(self, board: Board, call: int) -> int:
        """How many positions the search visits after the flag is raised at a call."""
        self.search.limit_nodes(None)
        self.wire[:2] = 0, call
        values_of(self.search, board)
        assert self.search.gave_up() == (self.wire[0] >= call)
        return self.search.nodes - int(self.wire[3]) if self.search.gave_up() else 0


@pytest.mark.promise("R20")
@pytest.mark.parametrize("at", ["afterstate", "state"])
@pytest.mark.parametrize(("cut", "table_mb"), [(0.0, 1), (0.0, 0), (0.001, 1)])
@pytest.mark.parametrize("ply", [2, 4, 7])
def test_a_search_ends_soon_after_its_flag(
    ply: int, cut: float, table_mb: int, at: Any, figure: Callable[[str], None]
) -> None:
    """The current lowest layer is finished; above it every call returns at once."""
    tripping, most = Tripping(ply, cut=cut, table_mb=table_mb, at=at), 0
    for board in (Board.parse("0000/0012/0000/0100"), positions(1, 3, seed=2)[0][0]):
        for call in (1, 2, 100, 1001, 20_002):
            most = max(most, tripping.nodes_after(board, call))
    assert 0 < most <= LAYER * (ply + 1)
    figure(f"at most {LAYER} positions for each ply after a flag, a limit or the clock")


# The clock.


def test_a_timer_rings_in_its_time_unless_the_work_is_done_before() -> None:
    rung, done = list[int](), threading.Event()
    with ringing(0.02, lambda: rung.append(1)):
        pass
    with pytest.raises(ZeroDivisionError), ringing(0.02, lambda: rung.append(2)):
        _ = 1 / 0
    began = time.perf_counter()
    with ringing(600.0, lambda: rung.append(3)), ringing(0.05, done.set):
        assert done.wait(HANG_SECONDS)
    assert time.perf_counter() - began >= 0.05
    with ringing(-1.0, done.clear):  # its time is over
        until = time.perf_counter() + HANG_SECONDS
        while done.is_set():
            assert time.perf_counter() < until
    assert rung == []
