"""Chances that another program has published, with its own goal.

The snake of 8 cells of macroxue/2048-ai, `analysis/snake8.cc`: two rows of large tiles, below them
the board `2 2 2 4 / . . 2 2`. Its goal is not the tile but two tiles of half of it, one at the
right end of the third row, the other to the left of it or below it; a move that makes the tile
itself, or any larger one, counts as lost, and no sum of tiles is too large.
"""

import numpy as np
import pytest

from twofold.kernels import table_layers as endgame
from twofold.tables.build import Builder
from twofold.tables.layers import Halves
from twofold.tables.pattern import EndgamePattern

PUBLISHED = {64: 0.976849, 128: 0.782384, 256: 0.124619}
THIRD, FOURTH = (1, 1, 1, 2), (0, 0, 1, 1)


def code(exponents: tuple[int, ...], base: int) -> int:
    return sum(exponent * base**cell for cell, exponent in enumerate(exponents))


def number_of(halves: Halves, layer: int) -> int:
    """The number of the board in its layer."""
    low = code(FOURTH, halves.pattern.target)
    high = code(THIRD, halves.pattern.target)
    low_sum, high_sum = int(halves.low.sums[low]), int(halves.high.sums[high])
    assert low_sum + high_sum == layer
    count = int(halves.high.counts[high_sum])
    first = int(halves.offsets(layer)[low_sum])
    return first + int(halves.low.ranks[low]) * count + int(halves.high.ranks[high])


def losing(words: np.ndarray) -> np.ndarray:
    """Results of moves if the target is not a win but exceeds a cap."""
    wins = (words & endgame.WINS) != 0
    changed = words & ~(endgame.WINS | endgame.RANK)
    return np.where(wins, changed | endgame.OVER, words).astype(np.uint32)


class Snake(Builder):
    """Chances with the goal of macroxue."""

    def __init__(self, target: int) -> None:
        super().__init__(EndgamePattern.parse(f"44-{target}"))
        self.low, self.high = (
            half._replace(left=losing(half.left), right=losing(half.right))
            for half in (self.low, self.high)
        )
        self.pairs = [pair._replace(high=losing(pair.high)) for pair in self.pairs]

    def chance(self) -> float:
        """Of the board, before a move."""
        halves = self.halves
        highest = len(halves.low.counts) + len(halves.high.counts) - 2
        above = [np.zeros(0, np.float32)] * 2
        wanted = sum(1 << one for one in (*THIRD, *FOURTH) if one) // 2
        for layer in range(highest, wanted - 1, -1):
            offsets = [halves.offsets(layer + more) for more in range(3)]
            after, before = (np.empty(int(offsets[0][-1]), np.float32) for _ in range(2))
            part = (0, halves.low.size, layer, self.low, self.high)
            endgame.spread(*part, *offsets, *above, after)
            self.mark(after, layer)
            endgame.choose(*part, *self.pairs, offsets[0], after, before)
            above = [before, above[0]]
        return float(above[0][number_of(halves, wanted)])

    def mark(self, after: np.ndarray, layer: int) -> None:
        """Give boards that have the goal a chance of 1."""
        low, high = self.halves.low, self.halves.high
        half = self.halves.pattern.target - 1
        offsets = self.halves.offsets(layer)
        for low_sum in range(min(layer + 1, len(low.counts))):
            high_sum = layer - low_sum
            if high_sum >= len(high.counts):
                continue
            lows = low.order[low.firsts[low_sum] : low.firsts[low_sum + 1]]
            highs = high.order[high.firsts[high_sum] : high.firsts[high_sum + 1]]
            below = low.digits[3][lows] == half
            beside = high.digits[2][highs] == half
            corner = high.digits[3][highs] == half
            goal = corner[None, :] & (beside[None, :] | below[:, None])
            first = int(offsets[low_sum])
            after[first : first + goal.size][goal.ravel()] = 1


@pytest.mark.promise("R70")
@pytest.mark.parametrize("target", PUBLISHED)
def test_chances_equal_those_of_macroxue_with_the_same_goal(target: int) -> None:
    assert Snake(target).chance() == pytest.approx(
        PUBLISHED[target], abs=2e-6
    )  # both are sums of float32
