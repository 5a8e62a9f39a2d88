"""Ranges of seeds, also beyond the largest one."""

import numpy as np
import pytest

from twofold.game.notation import ALL_SEEDS, SeedRange

LAST = 2**64 - 1
ROUND = SeedRange(LAST - 1, 5)


def seeds(*values: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(values, dtype=np.uint64)


def test_seeds_wrap_around_and_a_part_is_a_slice() -> None:
    assert list(ROUND) == [LAST - 1, LAST, 0, 1, 2]
    for start, end in ((0, 5), (1, 3), (2, None), (4, 9), (5, None), (0, 0)):
        assert list(ROUND.part(start, end)) == list(ROUND)[start:end]


def test_places() -> None:
    assert [ROUND.place(seed) for seed in ROUND] == [0, 1, 2, 3, 4]
    assert ROUND.place(3) == 5
    assert ROUND.places(seeds(LAST, 2)).tolist() == [1, 4]
    assert ROUND.holds(seeds(LAST - 2, LAST - 1, 0, 2, 3)).tolist() == [0, 1, 1, 1, 0]
    assert ALL_SEEDS.holds(seeds(0, 2**63, LAST)).all()
    assert not SeedRange(0, 0).holds(seeds(0, 1)).any()


@pytest.mark.parametrize(
    ("some", "count"), [((), 0), ((LAST - 1,), 1), ((LAST,), 0), ((LAST - 1, LAST, 0, 2), 3)]
)
def test_seeds_before_the_first_gap(some: tuple[int, ...], count: int) -> None:
    assert ROUND.begun(seeds(*some)) == count
