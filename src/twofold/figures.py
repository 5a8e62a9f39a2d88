"""Numbers as readable text: counts, rates, durations, percentages, sizes and tables."""

import csv
import io
from collections.abc import Collection, Iterable, Sequence
from math import ceil, floor, log10
from typing import Final

_UNITS: Final = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_LEAST_PERCENT: Final = 1e-6

DASH: Final = "–"
"""Shown for an unknown number."""


def counted(number: int, noun: str) -> str:
    """`1 move`, `1,024 moves`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and `...` if it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def minus(number: str) -> str:
    """A number with the minus sign of print in place of a hyphen: `−3.0`."""
    return number.replace("-", "\N{MINUS SIGN}")


def format_rate(value: float) -> str:
    """A rate or a difference: three digits below 100, else whole with thousands separated."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def format_three_digits(value: float) -> str:
    """A number rounded to three significant digits: `80,100,000`."""
    return f"{float(f'{value:.3g}'):,.0f}"


def format_pace(pace: float | None) -> str:
    """A pace: `8 moves/s`, or `as fast as it can` for None."""
    return "as fast as it can" if pace is None else f"{format_rate(pace)} moves/s"


# ---- durations


def format_seconds(seconds: float | None) -> str:
    """A duration with three digits and a fitting unit; a dash for None.

    >>> format_seconds(0.00123)
    '1.23 ms'
    """
    if seconds is None:
        return DASH
    size, unit = next((one for one in _UNITS if seconds >= one[0]), _UNITS[-1])
    return f"{format_rate(seconds / size)} {unit}"


def format_search_time(seconds: float) -> str:
    """A search time in milliseconds or seconds: `0.139 ms`, `1.02 s`, `125 s`."""
    if seconds < 0.9995:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:,.{2 if seconds < 10 else 1 if seconds < 100 else 0}f} s"


def kept_words(ratio: float) -> str:
    """The share of a value that a move keeps.

    >>> kept_words(0.952), kept_words(0.9999), kept_words(1.0)
    ('95.2 %', 'over 99.9 %', '100 %')
    """
    words = f"{100 * ratio:.3g} %"
    return "over 99.9 %" if words == "100 %" and ratio < 1 else words


def clock(seconds: float) -> str:
    """`1:05` for 65 seconds, `2:01:05` for 7,265; rounded to whole seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def format_time(seconds: float) -> str:
    """`1.5 s` below ten seconds, then `0:12` or `1:02:03`, rounded down."""
    return f"{seconds:.1f} s" if seconds < 10 else clock(int(seconds))


def duration_words(seconds: float) -> str:
    """A length of time in two units: `1 h 05 m`, `3 m 07 s`, `12 s`."""
    whole = ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} m {whole % 60:02} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60:02} m"


def time_words(seconds: float) -> str:
    """An estimated time: `20 seconds`, `5 minutes`."""
    if seconds < 100:
        return counted(max(round(seconds), 1), "second")
    return f"{seconds / 60:.0f} minutes" if seconds < 6000 else f"{seconds / 3600:.0f} hours"


# ---- chances and sizes


def percent(chance: float) -> str:
    """A probability in percent: two decimals; small ones to their first nonzero digit."""
    share = 100 * chance
    if 99.995 <= share < 100 - _LEAST_PERCENT:
        return "> 99.99 %"
    if share >= 0.01 or share <= 0:
        return f"{share:.2f} %"
    if share < _LEAST_PERCENT:
        return f"< {_LEAST_PERCENT:.6f} %"
    return f"{share:.{-floor(log10(share))}f} %"


def bytes_words(size: float) -> str:
    """A size in decimal units: `537 MB`."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.0f} {unit}" if size >= 10 or unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    raise AssertionError


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A file of CSV: a header, and a line for each row; None makes an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def format_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = (0,)
) -> str:
    """Align columns; those in `left` to the left, the others to the right."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            f"{cell:<{width}}" if column in left else f"{cell:>{width}}"
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
