"""Boards whose worth is known: endgame tables, and small games solved exactly.

>>> from twofold.tables import Problem, solve
>>> round(solve(Problem.parse("2x2")).start_value, 2)
66.96
"""

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from twofold.tables.exact import ExactTable, outcomes, solve
    from twofold.tables.library import EndgameTable, EndgameTables, open_tables
    from twofold.tables.problem import ExactObjective, Problem

_HOMES: Final = {
    "EndgameTable": "library",
    "EndgameTables": "library",
    "ExactObjective": "problem",
    "ExactTable": "exact",
    "Problem": "problem",
    "open_tables": "library",
    "outcomes": "exact",
    "solve": "exact",
}
"""The module of each public name, imported when it is first used: most need kernels."""

__all__ = [
    "EndgameTable",
    "EndgameTables",
    "ExactObjective",
    "ExactTable",
    "Problem",
    "open_tables",
    "outcomes",
    "solve",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
