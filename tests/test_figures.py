"""Numbers as readable text."""

import pytest

from twofold.figures import (
    bytes_words,
    clock,
    counted,
    format_pace,
    format_rate,
    format_search_time,
    format_seconds,
    format_three_digits,
    format_time,
    percent,
    time_words,
)


def test_counts() -> None:
    assert (counted(1, "move"), counted(1_024, "move")) == ("1 move", "1,024 moves")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.1, "1 second"), (99, "99 seconds"), (300, "5 minutes"), (36_000, "10 hours")],
)
def test_estimated_times(seconds: float, text: str) -> None:
    assert time_words(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (2.5, "2.5 s"),
        (0.0123, "12.3 ms"),
        (7e-5, "70 µs"),
        (1.98e-7, "198 ns"),
        (3e-11, "0.03 ns"),
        (1234.0, "1,234 s"),
    ],
)
def test_times_have_three_digits_and_a_unit(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.000139, "0.139 ms"),
        (0.00978, "9.78 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.00 s"),
        (12.34, "12.3 s"),
        (1234.5, "1,234 s"),
    ],
)
def test_search_times(seconds: float, text: str) -> None:
    assert format_search_time(seconds) == text


def test_three_digits_of_a_whole_number() -> None:
    assert format_three_digits(80_123_456.7) == "80,100,000"
    assert format_three_digits(12.3) == "12"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "0.0 s"), (12, "0:12"), (61, "1:01"), (3723, "1:02:03")]
)
def test_time(seconds: float, text: str) -> None:
    assert format_time(seconds) == text


@pytest.mark.parametrize(
    ("chance", "text"),
    [
        (1.0, "100.00 %"),
        (1 - 1e-9, "100.00 %"),
        (1 - 1e-7, "> 99.99 %"),
        (0.8796, "87.96 %"),
        (0.0001, "0.01 %"),
        (0.00009, "0.009 %"),
        (2.3e-8, "0.000002 %"),
        (1e-9, "< 0.000001 %"),
        (0.0, "0.00 %"),
    ],
)
def test_chances_in_percent(chance: float, text: str) -> None:
    assert percent(chance) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [(1234567.0, "1,234,567"), (-1234.0, "-1,234"), (99.94, "99.9"), (0.01234, "0.0123")],
)
def test_rates_have_three_digits(rate: float, text: str) -> None:
    assert format_rate(rate) == text


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (1536, "1.5 kB"), (15_360, "15 kB"),
        (8_388_608, "8.4 MB"), (268_435_456, "268 MB"), (6_442_450_944, "6.4 GB"),
        (10**13, "10000 GB"),
    ],
)  # fmt: skip
def test_sizes_in_words(size: int, words: str) -> None:
    assert bytes_words(size) == words


def test_a_pace_in_words() -> None:
    assert format_pace(8.0) == "8 moves/s"
    assert format_pace(None) == "as fast as it can"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0:00"), (65.0, "1:05"), (3599.6, "1:00:00"), (7_265.0, "2:01:05")]
)
def test_a_length_of_time(seconds: float, words: str) -> None:
    assert clock(seconds) == words
