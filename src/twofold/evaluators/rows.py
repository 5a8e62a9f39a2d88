"""Evaluators that look at each row and each column alone.

The value of each of the 65,536 rows is computed once; a value of a board takes eight look-ups.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.evaluators.base import Weight
from twofold.evaluators.lines import Lines, line_evaluator
from twofold.limits import MAX_EXPONENT

MAX_POWER: Final = 6.0
"""Largest power: beyond it float rounding loses the other parts of a line."""

ROWS_WEIGHTS: Final = {
    "lost": Weight(200_000.0, "base value of each row and column"),
    "empty": Weight(270.0, "each empty cell"),
    "merges": Weight(700.0, "each tile in a run of equals"),
    "order": Weight(47.0, "loss for lines that are not monotone"),
    "order_power": Weight(4.0, "power of exponents in the order term", 0.0, MAX_POWER),
    "sum": Weight(11.0, "loss for each tile"),
    "sum_power": Weight(3.5, "power of exponents in the sum term", 0.0, MAX_POWER),
}
"""The constants of nneonneo/2048-ai: 2048.cpp, init_tables."""

BAELDUNG_WEIGHTS: Final = {
    "base": Weight(1000.0, "base value of each row and column"),
    "empty": Weight(250.0, "each empty cell"),
    "pairs": Weight(750.0, "each pair of equal neighbours"),
    "sum": Weight(10.0, "loss for each point of a tile"),
    "order": Weight(50.0, "loss for each point by which a line is not monotone"),
}
"""The constants of Baeldung's article "An Algorithm to solve 2048"."""


def rows_line(lines: Lines, weights: Mapping[str, float]) -> dict[str, Lines]:
    """The row heuristic of nneonneo/2048-ai: empty cells, merges, order, and the sum of tiles."""
    left, right = lines[:, :-1], lines[:, 1:]
    powers = lines ** weights["order_power"]
    falls = np.where(left > right, powers[:, :-1] - powers[:, 1:], 0.0).sum(axis=1)
    rises = np.where(left < right, powers[:, 1:] - powers[:, :-1], 0.0).sum(axis=1)
    sums = np.where(lines > 0, lines ** weights["sum_power"], 0.0).sum(axis=1)
    return {
        "base": np.full(len(lines), weights["lost"]),
        "empty cells": weights["empty"] * (lines == 0).sum(axis=1),
        "merges": weights["merges"] * _merges(lines),
        "order": -weights["order"] * np.minimum(falls, rises),
        "sum": -weights["sum"] * sums,
    }


def _merges(lines: Lines) -> Lines:
    """Tiles in runs of equals, without empty cells: a run of n >= 2 counts n."""
    count = np.zeros(len(lines))
    previous = np.zeros(len(lines))
    run = np.zeros(len(lines))  # length of the present run, less one
    for column in range(lines.shape[1]):
        tile = lines[:, column]
        present = tile != 0
        equal = present & (tile == previous)
        count += np.where(equal & (run == 0), 2.0, np.where(equal, 1.0, 0.0))
        run = np.where(equal, run + 1, np.where(present, 0.0, run))
        previous = np.where(present, tile, previous)
    return count


def baeldung_line(lines: Lines, weights: Mapping[str, float]) -> dict[str, Lines]:
    """The line value of Baeldung's solver; whole numbers if the weights are."""
    values = np.where(lines > 0, 2.0**lines, 0.0)
    pairs = np.zeros(len(lines))
    falls = np.zeros(len(lines))
    rises = np.zeros(len(lines))
    previous = np.zeros(len(lines))
    for column in range(values.shape[1]):
        tile = values[:, column]
        follows = (tile != 0) & (previous != 0)  # without empty cells
        pairs += follows & (tile == previous)
        falls += np.where(follows, np.maximum(previous - tile, 0.0), 0.0)
        rises += np.where(follows, np.maximum(tile - previous, 0.0), 0.0)
        previous = np.where(tile != 0, tile, previous)
    return {
        "base": np.full(len(lines), weights["base"]),
        "empty cells": weights["empty"] * (values == 0).sum(axis=1),
        "pairs": weights["pairs"] * pairs,
        "sum": -weights["sum"] * values.sum(axis=1),
        "order": -weights["order"] * np.minimum(falls, rises),
    }


def ordered_line(lines: Lines, weights: Mapping[str, float]) -> dict[str, Lines]:
    """The line value of macroxue/2048-ai: tiles fall from the first cell on, or it loses.

    A tile 2^k is worth k 2^k. Two neighbours that do not rise count both, equal ones one more;
    neighbours that rise lose `rise` times their difference.
    """
    worth = np.where(lines > 0, lines * 2.0**lines, 0.0)
    left, right = worth[:, :-1], worth[:, 1:]
    falls = left >= right
    return {
        "first": worth[:, 0],
        "falls": np.where(falls, left + right, 0.0).sum(axis=1),
        "pairs": np.where(left == right, left, 0.0).sum(axis=1),
        "rises": -weights["rise"] * np.where(falls, 0.0, right - left).sum(axis=1),
    }


def ordered_stakes(rows: int, cols: int) -> NDArray[np.float64]:
    """`Evaluator.stakes_for` of `ordered`: twice the worth of the largest tile, lost or to keep."""
    twice = 2 * np.arange(16.0) * 2.0 ** np.arange(16)
    return np.stack([-np.maximum(twice, 2.0**17), twice], axis=1).ravel()


def _rows_numbers(weights: Mapping[str, float]) -> NDArray[np.float64]:
    head = [weights[name] for name in ("lost", "empty", "merges", "order", "sum")]
    exponents = np.arange(MAX_EXPONENT + 1.0)
    order = exponents ** weights["order_power"]
    sums = np.where(exponents > 0, exponents ** weights["sum_power"], 0.0)
    return np.concatenate([[0.0, *head], order, sums])


def _baeldung_numbers(weights: Mapping[str, float]) -> NDArray[np.float64]:
    return np.array([0.0, *(weights[name] for name in ("base", "empty", "pairs", "sum", "order"))])


QUICK_WEIGHTS: Final = {
    "lost": 90_000.0, "empty": 400.0, "merges": 440.0, "order": 17.5, "order_power": 3.07,
    "sum": 12.0, "sum_power": 2.75,
}  # fmt: skip
"""Weights of `rows` for searches of 2 or 3 plies, from 395 trials of `twofold tune
expectimax:eval=rows,ply=2 --games 200 --seed 1000000`; see `docs/benchmarks.md`."""

ROWS: Final = line_evaluator(
    "rows",
    "empty cells, merges, order and sum of every row and column",
    rows_line,
    ROWS_WEIGHTS,
    on_cells=("rows_sum", _rows_numbers),
    source="nneonneo/2048-ai, MIT licence",
)

ORDERED: Final = line_evaluator(
    "ordered",
    "tiles that fall from the first corner along every row and column",
    ordered_line,
    {"rise": Weight(12.0, "loss for each point of worth by which a line rises")},
    stakes_for=ordered_stakes,
    source="macroxue/2048-ai",
)

BAELDUNG: Final = line_evaluator(
    "baeldung",
    "empty cells, equal neighbours, sum and order of every row and column",
    baeldung_line,
    BAELDUNG_WEIGHTS,
    on_cells=("baeldung_sum", _baeldung_numbers),
    source="Baeldung, An Algorithm to solve 2048",
)
