"""Searches under limits of time and nodes return the last finished ply."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from tests.support.twins import positions, values_of
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.players import make_player
from twofold.search import base
from twofold.search.alphabeta import AlphaBeta
from twofold.search.base import HOPELESS, LEAST_GROWTH, DeepFound, Search, deepen
from twofold.search.budget import Budget, Stop
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax
from twofold.values import EVALUATORS

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
    specs = ["ntuple:net=tiny,ply=2", "ntuple:net=tiny,ply=4,threads=2,downgrade=512", "alphabeta",
             "expectimax:ply=2", "baeldung:threads=2", "it3105-snake",
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
