"""The lowest layer for sums of lines equals the one for every evaluator."""

from dataclasses import replace

import numpy as np
import pytest

from tests.kernels.drivers import SMALL, Words, boards_of, layer_values, to_bits
from twofold.game.rules import Rules
from twofold.kernels import leaf_layer as layers
from twofold.kernels._jit import address_of
from twofold.kernels.expectimax import LOWEST
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax
from twofold.values import EVALUATORS, Evaluator

LINES = [name for name, evaluator in EVALUATORS.items() if evaluator.line_tables_for]
TINY = {"lost": 1e-9, "empty": -1e-9, "merges": 3e-8, "order": 1e-9, "sum": 1e-9}
HUGE = {"lost": -1e9, "empty": 1e9, "merges": -1e9, "order": 1e9, "sum": -1e9}
STEEP = {"lost": 0.0, "order": -1e9, "order_power": 6.0, "sum": 1e9, "sum_power": 6.0}
FLAT = {"lost": 0.0, "empty": 0.0, "merges": 0.0, "order": 0.0, "sum": 0.0}
EVALUATED = {
    **{name: EVALUATORS[name] for name in LINES},
    "tiny": EVALUATORS["rows"].reweighted(TINY),
    "huge": EVALUATORS["rows"].reweighted(HUGE),
    "steep": EVALUATORS["rows"].reweighted(STEEP),
    "flat": EVALUATORS["rows"].reweighted(FLAT),
    "dead": replace(EVALUATORS["rows"], dead_value=-1e12),
}
DISTRIBUTIONS = ["2:0.9,4:0.1", "2:1", "8:0.3,32768:0.7"]


def afterstates(rows: int, cols: int, count: int) -> Words:
    """Boards with an empty cell."""
    boards = boards_of(rows, cols, count)
    boards[np.arange(len(boards)), np.arange(len(boards)) % (rows * cols)] = 0
    return np.unique(to_bits(boards, rows, cols))


def both(evaluator: Evaluator, search: Expectimax, first: int, end: int, afters: Words) -> None:
    rules, words = search.rules, search.context.words
    assert words[LOWEST] == address_of(layers.lines)
    found, nodes = layer_values(address_of(layers.lines), afters, first, end, words)
    expected, all_nodes = layer_values(address_of(layers.after_move), afters, first, end, words)
    assert evaluator.line_tables_for is not None
    largest = max(float(np.abs(t).max()) for t in evaluator.line_tables_for(*rules.shape))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=8e-13 * largest)
    assert (nodes == all_nodes).all()
    assert len(np.unique(nodes)) > 1 or rules.rows * rules.cols < 4


@pytest.mark.parametrize("shape", SMALL)
def test_lines_equal_the_general_layer(shape: tuple[int, int]) -> None:
    afters = afterstates(*shape, 800)
    for name, evaluator in EVALUATED.items():
        for distribution in DISTRIBUTIONS if name == "rows" else DISTRIBUTIONS[:1]:
            rules = replace(
                Rules.parse(f"spawn={distribution}"), rows=shape[0], cols=shape[1], start_tiles=1
            )
            search = Expectimax(evaluator, rules, Depth.fixed(1), table_mb=0)
            for first, end in ((0, 1), (1, 2), (0, 2)):
                if end <= len(rules.spawn):
                    both(evaluator, search, first, end, afters)
