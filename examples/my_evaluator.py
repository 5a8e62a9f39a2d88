"""An evaluator: a compiled function that values boards.

twofold watch "expectimax:eval=examples/my_evaluator.py:EMPTY_CELLS,ply=3"
twofold bench "expectimax:eval=examples/my_evaluator.py:EMPTY_CELLS,ply=2" greedy --games 100
"""

import numpy as np

from twofold.values import compiled, simple_evaluator


@compiled
def empty_and_order(bits, score, params):
    """`params[0]` points for each empty cell, `params[1]` for each step down along a row."""
    value = 0.0
    for cell in range(16):  # the top-left cell is the highest nibble
        exponent = (bits >> np.uint64(60 - 4 * cell)) & np.uint64(15)
        if exponent == 0:
            value += params[0]
        elif cell % 4 < 3 and exponent >= ((bits >> np.uint64(56 - 4 * cell)) & np.uint64(15)):
            value += params[1] * exponent
    return value


EMPTY_CELLS = simple_evaluator("empty and order", empty_and_order, [10.0, 2.0])
