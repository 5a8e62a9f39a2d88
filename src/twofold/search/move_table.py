"""The four moves of an analysis as a table, for the terminal and for `print`."""

import math
from typing import Final

from twofold.figures import format_table
from twofold.search.analysis import Analysis, MoveAnalysis, format_chance, format_in_unit

ROUNDING: Final = 1e-10
"""Values that differ by so small a share are equal: the rest is rounding."""


def format_moves(analysis: Analysis) -> str:
    """The four moves, a line each below a heading; the best one is named."""
    valued = analysis.value is not None
    searched = any(one.depth for one in analysis.moves)
    by_table = analysis.table is not None
    value = "points" if analysis.unit == "points" else "value"
    header = ["move", *["chance", "to best"] * by_table, *[value] * valued]
    header += [*["to best"] * (valued and not by_table), "reward"]
    header += [*["depth", "nodes"] * searched, ""]
    rows = []
    for one in analysis.moves:
        cells = [*_chance_cells(analysis, one)] if by_table else []
        values = _value_cells(analysis, one) if valued else ()
        cells += values[:1] if by_table else values
        cells.append(f"{one.reward:,}" if one.legal else "" if valued else "illegal")
        if searched:
            cells += [str(one.depth), f"{one.nodes:,}"] if one.legal else ["", ""]
        best = "best" if one.move == analysis.best else ""
        rows.append([one.move.name.lower(), *cells, best])
    return format_table(header, rows)


def _chance_cells(analysis: Analysis, one: MoveAnalysis) -> tuple[str, str]:
    """What the endgame table gives a move, and its distance from the best."""
    chance, best = analysis.chance(one.move), analysis.chance(analysis.best)
    if chance is None or best is None:
        return ("-", "-") if one.legal else ("", "")
    return format_chance(chance), f"-{format_chance(best - chance)}" if chance < best else "0"


def _value_cells(analysis: Analysis, one: MoveAnalysis) -> tuple[str, str]:
    """The value of a move, and its distance from the best."""
    best = analysis.value
    if not one.legal:
        return "illegal", ""
    if one.value is None or best is None:
        return "-", "-"
    distance = 0.0 if math.isclose(one.value, best, rel_tol=ROUNDING) else one.value - best
    if analysis.exact and analysis.unit != "points":
        return f"{one.value:.6f}", f"{distance:.2g}" if distance else "0"
    unit = analysis.unit
    behind = format_in_unit(distance, unit, best) if distance else "0"
    return format_in_unit(one.value, unit, best), behind
