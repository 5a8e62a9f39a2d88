"""Budget: limits of one search."""

import math
import re
from dataclasses import dataclass
from typing import Final, Self

from twofold import notation
from twofold.errors import InvalidBudget, LimitExceeded
from twofold.limits import MAX_NODES, MAX_PLY, MAX_SECONDS
from twofold.notation import shown

_UNITS: Final = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "m": 60.0}


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


def parse_seconds(text: str) -> float:
    """Parse a time such as `50ms`, `1s`, `1.5` (seconds) or `2m`. Returns seconds."""
    seconds = _seconds(text)
    _check("time in seconds", seconds, MAX_SECONDS)
    return seconds


def _seconds(text: str) -> float:
    match = re.fullmatch(r"([0-9.eE+-]+)\s*([a-z]*)", text.strip(), re.ASCII)
    if not match or match[2] not in _UNITS:
        raise InvalidBudget(f"expected a time such as 50ms or 1s, got {shown(text)}")
    return notation.parse_number(match[1], "a time", InvalidBudget) * _UNITS[match[2]]


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
