"""The cache of the laboratory."""

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from twofold.web.lab.memo import Memo


def test_one_computation_at_a_time_and_each_once() -> None:
    memo, made, running = Memo[int](2), [], []

    def slow() -> int:
        running.append(1)
        assert len(running) == 1
        time.sleep(0.02)  # so that the others come meanwhile
        running.pop()
        made.append(1)
        return 7

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda k: memo.get(k % 2, slow), range(8))) == [7] * 8
    assert len(made) == 2


def test_the_least_recently_used_result_is_dropped() -> None:
    memo, made = Memo[str](2), list[str]()

    def make(key: str) -> str:
        made.append(key)
        return key

    for key in "abacab":
        assert memo.get(key, partial(make, key)) == key
    assert made == ["a", "b", "c", "b"]


def test_errors_are_not_cached() -> None:
    memo = Memo[int](2)
    with pytest.raises(ZeroDivisionError):
        memo.get(1, lambda: 1 // 0)
    assert memo.get(1, lambda: 5) == 5
