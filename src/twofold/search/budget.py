"""Budget: limits of one search."""

import math
import re
from dataclasses import dataclass
from typing import Final, Self

from twofold import notation
from twofold.errors import InvalidBudget, LimitExceeded
from twofold.limits import MAX_NODES, MAX_PLY, MAX_SECONDS
from twofold.notation import shown

_UNITS: Final = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6}
_NUMBER: Final = r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]{1,3})?"
_TIME: Final = re.compile("".join(rf"(?:({_NUMBER})\s*{unit}\s*)?" for unit in _UNITS), re.ASCII)


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one search, None for no limit; the first one reached ends it.

    `ply` is the depth in plies, `seconds` wall-clock time (never reproducible), `nodes` the number
    of positions.

    Raises:
        InvalidBudget: a value is not a positive number.
        LimitExceeded: a value exceeds `twofold.limits`.
    """

    ply: int | None = None
    seconds: float | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        _check("ply", self.ply, MAX_PLY)
        _check("time in seconds", self.seconds, MAX_SECONDS)
        _check("nodes", self.nodes, MAX_NODES)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `"ply=3"`, `"time=50ms"`, `"nodes=1e6"` or several, separated by commas.

        Raises:
            InvalidBudget: a syntax error.
            LimitExceeded: a value exceeds `twofold.limits`.
        """
        notation.check_length(text, "a budget", InvalidBudget)
        values: dict[str, float] = {}
        for part in text.split(","):
            key, equals, value = part.strip().partition("=")
            if not equals or key not in ("ply", "time", "nodes"):
                raise InvalidBudget(f"expected ply=, time= or nodes=, got {shown(part)}")
            if key in values:
                raise InvalidBudget(f"expected each part of a budget once, got {key!r} twice")
            values[key] = _seconds(value) if key == "time" else _whole(key, value)
        ply, nodes = values.get("ply"), values.get("nodes")
        return cls(
            ply=None if ply is None else int(ply),
            seconds=values.get("time"),
            nodes=None if nodes is None else int(nodes),
        )

    def __str__(self) -> str:
        parts = []
        if self.ply is not None:
            parts.append(f"ply={self.ply}")
        if self.seconds is not None:
            parts.append(f"time={notation.format_number(self.seconds)}s")
        if self.nodes is not None:
            parts.append(f"nodes={self.nodes}")
        return ",".join(parts)


def parse_seconds(text: str, name: str = "a time", most: float = MAX_SECONDS) -> float:
    """Parse a time such as `50ms`, `1.5` (seconds), `2m` or `1h30m`. Returns seconds.

    Args:
        text: the text; the units are us, ms, s, m, h and d.
        name: what errors call it, such as `--time`.
        most: largest time, in seconds.

    Raises:
        InvalidBudget: no time, or not above 0.
        LimitExceeded: a longer time.
    """
    seconds = _seconds(text, name)
    if not seconds > 0:
        raise InvalidBudget(f"expected {name} above 0, got {shown(text)}")
    if seconds > most:
        days = most / _UNITS["d"]
        raise LimitExceeded(f"expected {name} up to {days:g} d, got {shown(text)}")
    return seconds


def _seconds(text: str, name: str = "a time") -> float:
    text = text.strip()
    if re.fullmatch(_NUMBER, text, re.ASCII):
        return notation.parse_number(text, name, InvalidBudget)
    found = _TIME.fullmatch(text)
    if not found or not text:
        raise InvalidBudget(f"expected {name} such as 50ms, 0.5s, 2m or 1h30m, got {shown(text)}")
    parts = zip(found.groups(), _UNITS.values(), strict=True)
    return sum(
        notation.parse_number(number, name, InvalidBudget) * unit
        for number, unit in parts
        if number
    )


def _whole(key: str, text: str) -> float:
    value = notation.parse_number(text.strip(), key, InvalidBudget)
    if value != math.floor(value):
        raise InvalidBudget(f"expected {key} as a whole number, got {shown(text)}")
    return value


def _check(name: str, value: float | None, most: float) -> None:
    if value is None:
        return
    if not value > 0:
        raise InvalidBudget(f"expected {name} above 0, got {value}")
    if value > most:
        raise LimitExceeded(f"expected {name} up to {most}, got {value}")
