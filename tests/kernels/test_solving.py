"""The parts of a solution: sets, the boards that follow, their values."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from twofold.tables.solver import Slots


def test_a_set_that_is_full_says_so_and_grows() -> None:
    slots = Slots(0)
    words = np.arange(1, 3 * len(slots.words), dtype=np.uint64)
    assert not slots.insert(words)
    while not slots.insert(words):
        slots.grow()
    assert sorted(slots.words[slots.words != 0].tolist()) == words.tolist()
    slots.clear()
    assert not slots.words.any()


def test_threads_put_each_word_into_a_set_once() -> None:
    slots = Slots(40_000)
    words = np.random.default_rng(2).integers(1, 2**63, 40_000, dtype=np.uint64)
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda _: slots.insert(words), range(4)))
    assert sorted(slots.words[slots.words != 0].tolist()) == sorted(set(words.tolist()))
