"""Numbers as readable text."""

from collections.abc import Callable
from typing import Any

import pytest

from twofold import figures

TEXTS: dict[Callable[..., str], dict[Any, str]] = {
    figures.time_words: {0.1: "1 second", 99: "99 seconds", 300: "5 minutes", 36_000: "10 hours"},
    figures.format_seconds: {
        2.5: "2.5 s",
        0.0123: "12.3 ms",
        7e-5: "70 µs",
        1.98e-7: "198 ns",
        3e-11: "0.03 ns",
        1234.0: "1,234 s",
    },
    figures.format_search_time: {
        0.000139: "0.139 ms",
        0.00978: "9.78 ms",
        0.9994: "999 ms",
        0.9996: "1.00 s",
        12.34: "12.3 s",
        1234.5: "1,234 s",
    },
    figures.format_time: {0.04: "0.0 s", 12: "0:12", 61: "1:01", 3723: "1:02:03"},
    figures.clock: {0.4: "0:00", 65.0: "1:05", 3599.6: "1:00:00", 7_265.0: "2:01:05"},
    figures.percent: {
        1.0: "100.00 %",
        1 - 1e-9: "100.00 %",
        1 - 1e-7: "> 99.99 %",
        0.8796: "87.96 %",
        0.0001: "0.01 %",
        0.00009: "0.009 %",
        2.3e-8: "0.000002 %",
        1e-9: "< 0.000001 %",
        0.0: "0.00 %",
    },
    figures.format_rate: {
        1234567.0: "1,234,567",
        -1234.0: "-1,234",
        99.94: "99.9",
        0.01234: "0.0123",
    },
    figures.bytes_words: {
        0: "0 bytes",
        999: "999 bytes",
        1000: "1.0 kB",
        1536: "1.5 kB",
        15_360: "15 kB",
        8_388_608: "8.4 MB",
        268_435_456: "268 MB",
        6_442_450_944: "6.4 GB",
        10**13: "10000 GB",
    },
    figures.format_three_digits: {80_123_456.7: "80,100,000", 12.3: "12"},
    figures.format_pace: {8.0: "8 moves/s", None: "as fast as it can"},
}


@pytest.mark.parametrize("form", TEXTS, ids=lambda form: form.__name__)
def test_texts(form: Callable[..., str]) -> None:
    assert {value: form(value) for value in TEXTS[form]} == TEXTS[form]


def test_counts() -> None:
    assert (figures.counted(1, "move"), figures.counted(1_024, "move")) == ("1 move", "1,024 moves")
