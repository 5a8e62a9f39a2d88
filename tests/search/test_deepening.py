"""Searches under limits of time and nodes return the last ply; flags and timers end them."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.twins import positions, values_of
from twofold.errors import InvalidBudget
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.kernels.context import NEVER, NODE_LIMIT, NODES
from twofold.kernels.intrinsics import as_u64, f64_pointer, u64_at
from twofold.players import make_player
from twofold.search import base
from twofold.search.alphabeta import AlphaBeta
from twofold.search.base import HOPELESS, LEAST_GROWTH, DeepFound, Search, deepen
from twofold.search.budget import Budget, Stop, ringing, was_stopped
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax
from twofold.values import EVALUATORS, Evaluator, compiled

HANG_SECONDS = 60.0
"""Timeout of a test that hangs, in seconds."""

SECONDS = 0.1
LATEST = 0.12


PROGRAM = """
import sys
from twofold.game.board import Board
from twofold.kernels._jit import DECLARED
from twofold.players.registry import make_player
from twofold.game.rules import Rules

def loaded():
    return {one for one in DECLARED if one.overloads}

for spec in sys.argv[1:]:
    shape = (5, 5) if spec.startswith("5x5") else (4, 4)
    player = make_player(spec.removeprefix("5x5 "))
    player.start(Rules(*shape), 1)
    player.search.load()
    before = loaded()
    player.analyse(Board([1, 2, 3, 4] + [0] * (shape[0] * shape[1] - 4), shape))
    print(*sorted(one.__name__ for one in loaded() - before))
"""


def test_no_kernel_is_loaded_while_the_clock_runs() -> None:
    """Where the first search compiled one, it could return nothing in time."""
    specs = ["ntuple:net=tiny,ply=4,threads=2,downgrade=512", "alphabeta", "baeldung:threads=2",
             "5x5 expectimax:eval=snake,ply=2"]  # fmt: skip
    done = subprocess.run([sys.executable, "-c", PROGRAM, *specs], capture_output=True, text=True)
    assert done.stdout == "\n" * len(specs), done.stderr


def expectimax(name: str = "rows", **more: Any) -> Expectimax:
    return Expectimax(EVALUATORS[name], Rules(), Depth.fixed(3), **more)


def ask(
    search: Search,
    board: Board,
    budget: Budget,
    stop: Stop | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> list[DeepFound]:
    """All results of a deepening search."""
    return list(deepen(search, board, 0, board.legal_moves(), budget, stop, clock))


def boards(count: int, most_empty: int = 8, seed: int = 61) -> list[Board]:
    return [board for board, _ in positions(count, most_empty, seed=seed)]


def values(found: DeepFound) -> dict[Any, float]:
    return {move: one.value for move, one in found.values.items()}


# What is answered.


@pytest.mark.parametrize("limits", [{"ply": 2.5}, {"ply": "3"}, {"nodes": True}, {"seconds": "1"}])
def test_a_limit_that_is_no_number_is_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(InvalidBudget, match=r"expected .* number, got"):
        Budget(**limits)


@pytest.mark.parametrize("budget", ["nodes=1", "time=0.000001ms", "nodes=1,time=1us", "ply=1"])
@pytest.mark.parametrize("kind", ["expectimax", "alphabeta", "threads"])
def test_the_least_budget_has_an_answer_of_one_ply(kind: str, budget: str) -> None:
    search: Search = expectimax(threads=2 if kind == "threads" else 1)
    if kind == "alphabeta":
        search = AlphaBeta(EVALUATORS["rows"], Rules(), 3)
    for board in boards(3):
        found = ask(search, board, Budget.parse(budget))
        assert [one.depth for one in found] == [1]
        assert set(found[0].values) == set(board.legal_moves())
    search.close()


@pytest.mark.parametrize("nodes", [100, 3000, 40_000, 500_000])
@pytest.mark.parametrize("name", ["rows", "it3105-snake", "clustering"])
def test_each_ply_is_complete_and_the_last_one_within_the_limit(name: str, nodes: int) -> None:
    search, fixed = expectimax(name), expectimax(name)
    for board in boards(3):
        found = ask(search, board, Budget(nodes=nodes))
        assert [one.depth for one in found] == list(range(1, len(found) + 1))
        for one in found:
            fixed.forget()
            assert values(one) == values_of(fixed, board, 0, one.depth)
            assert one.nodes <= nodes or one.depth == 1
        assert [one.nodes for one in found] == sorted({one.nodes for one in found})


@pytest.mark.parametrize("nodes", [40_000, 100_000])
def test_all_plies_together_stay_within_the_limit(nodes: int) -> None:
    """With the one that is not finished, which ends after its lowest layer."""
    search = expectimax()
    for board in boards(8):
        before = search.nodes
        ask(search, board, Budget(nodes=nodes))
        assert search.nodes - before <= 1.01 * nodes


@pytest.mark.promise("R6")
@pytest.mark.parametrize("nodes", [500, 20_000, 100_000])
@pytest.mark.parametrize("name", ["rows", "it3105-gradient"])
def test_a_limit_of_nodes_finds_the_same_each_time(name: str, nodes: int) -> None:
    """More searches than the table has generations, all with one table."""
    kept, some = expectimax(name, table_mb=1), boards(3)
    first = [
        [(one.values, one.nodes, one.hits) for one in ask(expectimax(name, table_mb=1), board,
                                                          Budget(nodes=nodes))]
        for board in some
    ]  # fmt: skip
    for _ in range(12 if nodes < 100_000 else 4):
        for board, expected in zip(some, first, strict=True):
            found = ask(kept, board, Budget(nodes=nodes))
            assert [(one.values, one.nodes, one.hits) for one in found] == expected


# The clock.


@contextmanager
def never(seconds: float, ring: Callable[[], None]) -> Iterator[None]:
    """A timer that does not ring."""
    yield


@pytest.mark.promise("R20")
def test_without_time_the_first_ply_is_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[float] = []

    @contextmanager
    def at_once(seconds: float, ring: Callable[[], None]) -> Iterator[None]:
        times.append(seconds)
        ring()
        yield

    monkeypatch.setattr(base, "ringing", at_once)
    search = expectimax()
    for board in boards(3):
        found = ask(search, board, Budget(seconds=60.0), clock=lambda: 1000.0)
        assert [one.depth for one in found] == [1]
    assert times == [60.0] * 3


def test_a_hopeless_ply_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that counts positions: a microsecond each."""
    monkeypatch.setattr(base, "ringing", never)
    search = expectimax()

    def clock() -> float:
        return search.nodes * 1e-6

    for board in boards(5):
        found = ask(search, board, Budget(seconds=0.01), clock=clock)
        *before, last = [0.0, *(one.seconds for one in found)]
        cost, left = last - before[-1], 0.01 - last
        assert cost * LEAST_GROWTH <= HOPELESS * 0.01
        assert len(found) == 12 or cost * LEAST_GROWTH * 50 > left
        assert last < 0.5  # nothing else ends this search: its timer never rings


def test_seconds_are_those_of_all_plies_and_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that counts positions, and a caller that takes nearly all the time after one ply."""
    monkeypatch.setattr(base, "ringing", never)
    search, asked = expectimax(), 0.0

    def clock() -> float:
        return search.nodes * 1e-6 + asked

    for board in boards(3):
        free = ask(search, board, Budget(seconds=1.0, ply=4), clock=clock)
        assert [one.seconds for one in free] == pytest.approx([one.nodes * 1e-6 for one in free])
        assert [one.depth for one in free] == [1, 2, 3, 4]
        depths = []
        for one in deepen(search, board, 0, board.legal_moves(), Budget(seconds=1.0), None, clock):
            depths.append(one.depth)
            asked += 0.9999 if one.depth == 1 else 0.0
        assert depths == [1, 2]


@pytest.mark.promise("R20")
@pytest.mark.parametrize(
    "spec", ["expectimax:eval=clustering", "expectimax:threads=2", "nneonneo", "alphabeta"]
)
def test_a_limit_of_time_is_kept(spec: str) -> None:
    with make_player(spec) as player:
        for board in boards(2):
            began = time.perf_counter()
            player.analyse(board, Budget(ply=12, seconds=0.03))
            assert time.perf_counter() - began < HANG_SECONDS


@pytest.mark.promise("R20")
@pytest.mark.long
@pytest.mark.parametrize("spec", ["expectimax", "expectimax:eval=snake,threads=2", "alphabeta"])
def test_an_answer_comes_in_time(spec: str, figure: Callable[[str], None]) -> None:
    """200 searches of up to 12 plies, each with 100 ms."""
    taken = []
    with make_player(spec) as player:
        for board in boards(200, 10, seed=62):
            began = time.perf_counter()
            player.analyse(board, Budget(ply=12, seconds=SECONDS))
            taken.append(time.perf_counter() - began)
    p50, p99 = (1000 * float(part) for part in np.quantile(taken, [0.5, 0.99]))
    figure(f"{spec} with {1000 * SECONDS:g} ms: p50 {p50:.0f} ms, p99 {p99:.0f} ms of 200 searches")
    assert p99 <= 1000 * LATEST


# The flag.


def test_a_search_goes_on_after_a_flag_and_a_limit() -> None:
    search, fresh = expectimax(), expectimax()
    for board in boards(3):
        stop = Stop()
        stop.raise_flag()
        ask(search, board, Budget(nodes=10**9), stop)
        assert values_of(search, board) == values_of(fresh, board)
        ask(search, board, Budget(nodes=2000))
        assert not search.gave_up()
        assert values_of(search, board) == values_of(fresh, board)


@pytest.mark.parametrize("spec", ["expectimax:ply=5", "expectimax:ply=3,cut=0.001"])
def test_a_player_can_choose_between_steps_of_a_stream(spec: str) -> None:
    with make_player(spec) as player, make_player(spec) as fresh:
        for board in boards(8, 6, seed=64):
            waiting = player.stream(board, Budget(nodes=30_000))
            some = [next(waiting)]
            assert player.choose(board) == fresh.choose(board)
            assert player.analyse(board).moves == fresh.analyse(board).moves
            some += waiting
            alone = list(fresh.stream(board, Budget(nodes=30_000)))
            assert [one.moves for one in some] == [one.moves for one in alone]
            assert player.choose(board) == fresh.choose(board)


# What players say of it.


@pytest.mark.parametrize(
    ("spec", "budget", "stops", "expected"),
    [
        ("expectimax:ply=2", "ply=3", False, True),
        ("expectimax:ply=2", "nodes=2000", False, True),
        ("expectimax:nodes=2000", None, False, True),
        ("expectimax:ply=2", "time=5ms", False, False),
        ("expectimax:time=5ms", "ply=2", False, False),
        ("expectimax:ply=2", "ply=3", True, True),
        ("expectimax:ply=2,threads=2", None, False, True),
        ("expectimax:ply=2,threads=2,cut=0.01", None, False, False),
        ("expectimax:ply=2,threads=2", "ply=3", False, True),
        ("expectimax:ply=2,threads=2", "nodes=2000", False, False),
        ("expectimax:nodes=2000,threads=2", None, False, False),
        ("baeldung:threads=2", "nodes=2000", False, False),
        ("alphabeta:depth=3", "time=5ms", False, False),
        ("alphabeta:depth=3", "nodes=2000", False, True),
    ],
)
def test_time_is_never_called_reproducible(
    spec: str, budget: str | None, stops: bool, expected: bool
) -> None:
    with make_player(spec) as player:
        (board,) = boards(1)
        limits = None if budget is None else Budget.parse(budget)
        for analysis in player.stream(board, limits, stop=Stop() if stops else None):
            assert analysis.reproducible == expected
        shared = "threads" in spec and ("cut" in spec or "nodes" in spec)
        assert player.reproducible == ("time" not in spec and not shared)


Words = NDArray[np.uint64]

LAYER = 15 * 2 * 4
"""Most positions below one afterstate: empty cells x spawn tiles x moves."""


def some_words() -> Words:
    words = np.zeros(NODE_LIMIT + 1, dtype=np.uint64)
    words[NODE_LIMIT] = NEVER
    return words


# Flags and what they end.


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


# Timers.


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
