"""Progress on stderr."""

import pytest

from twofold.cli._progress import clock


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0:00"), (65.0, "1:05"), (3599.6, "1:00:00"), (7_265.0, "2:01:05")],
)
def test_a_length_of_time(seconds: float, words: str) -> None:
    assert clock(seconds) == words
