"""Requests beyond a limit are refused at once, with the limit named, before any work."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.arena.benches import standings_of
from twofold import Board, Budget, Rules, make_player
from twofold.errors import InvalidInput, LimitExceeded
from twofold.game.notation import SeedRange
from twofold.limits import check_limit
from twofold.players.engine.lines import parse_command

SECONDS = 1.0  # of the processor
"""20 times the promised 50 ms."""

CALLS: dict[str, Callable[[], object]] = {
    "board 10^6 wide": lambda: Board((0,) * 16, (4, 10**6)),
    "rules 10^6 high": lambda: Rules(rows=10**6),
    "100 plies": lambda: Budget(ply=100),
    "player of 100 plies": lambda: make_player("expectimax:ply=100"),
    "player of 100 half-moves": lambda: make_player("alphabeta:depth=100"),
    "10^9 games": lambda: standings_of(["greedy"], SeedRange(0, 10**9), 1, Rules()),
    "10^6 workers": lambda: standings_of(["greedy"], SeedRange(0, 1), 10**6, Rules()),
    "NaN time": lambda: Budget(seconds=float("nan")),
    "a year of time": lambda: Budget.parse("time=31536000"),
    "10^18 nodes": lambda: Budget(nodes=10**18),
    "a text of 10^6 characters": lambda: Board.parse("0" * 10**6),
    "an engine's line of 10^6 characters": lambda: parse_command("x" * 10**6),
    "a terabyte of table": lambda: make_player("expectimax:table_mb=1048576"),
}


@pytest.mark.promise("R20")
@pytest.mark.parametrize("name", CALLS)
def test_values_past_a_limit_are_refused_at_once(name: str) -> None:
    make_player("greedy")
    began = time.thread_time()
    with pytest.raises(InvalidInput, match=r"expected .*\d|expected .* above 0"):
        CALLS[name]()
    assert time.thread_time() - began < SECONDS


@pytest.mark.promise("R20")
def test_nothing_is_played_before_a_limit_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(*_: object, **__: object) -> None:
        raise AssertionError("a game was begun")

    monkeypatch.setattr("twofold.players.loop.play_games", play)
    for name in ("10^9 games", "10^6 workers"):
        with pytest.raises(LimitExceeded):
            CALLS[name]()


@pytest.mark.parametrize("value", [0, 6, True, 1.0, "1", int, np.array([1, 2]), np.array(np.nan)])
def test_only_whole_numbers_up_to_the_ends_are_within_a_limit(value: Any) -> None:
    words = "" if type(value) is int else "as a whole number "
    with pytest.raises(LimitExceeded, match=f"expected a number {words}from 1 to 5, got"):
        check_limit("a number", value, 1, 5)
    assert [check_limit("a number", one, 1, 5) for one in (1, 5, np.int64(3))] == [1, 5, 3]  # type: ignore[arg-type]
