"""N-tuple networks: a board's value is a sum of weights, one per pattern and symmetry.

    patterns of 4x6                                value of an afterstate

    0 1 2 3    . . . .    0 1 2 .    . . . .       V = sum over patterns p and symmetries s of
    4 5 . .    4 5 6 7    4 5 6 .    4 5 6 .           weights of p at the exponents
    . . . .    8 9 . .    . . . .    8 9 a .           that p covers on the board turned by s
    . . . .    . . . .    . . . .    . . . .

Sources: Szubert and Jaskowski 2014 (n-tuple networks for 2048); Yeh et al. 2017 (stages).
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from twofold.arrays import lies_flat
from twofold.board import Board
from twofold.errors import InvalidNetwork, UnsupportedRules
from twofold.figures import bytes_words
from twofold.limits import BITS_MAX_EXPONENT, MAX_STAGES, MAX_WEIGHTS, check_limit
from twofold.memory import check_memory, large_zeros
from twofold.networks.patterns import Pattern, check_patterns, format_patterns, parse_patterns
from twofold.notation import shown

Weights = NDArray[np.float32]


class Network:
    """An n-tuple network: patterns, stages and their weights.

    Args:
        patterns: a name, a list as text, or patterns.
        shape: rows and columns, up to 4x4.
        stages: boundaries of the stages: lower bounds for the sum of a board's different tiles.
            `(16384, 32768)` makes three stages: below 16384, from 16384, from 32768.
        weights: float32 (stages, weights per stage), the patterns' tables one after the other; not
            copied. None for new ones: 0 and, in later stages, NaN. NaN means untouched: the weight
            of the stage before counts.

    Raises:
        InvalidNetwork: patterns, stages or weights do not match.
        LimitExceeded: too many patterns, cells, stages or weights.
        ResourceError: new weights would take more than 80 % of the free memory.
    """

    def __init__(
        self,
        patterns: str | Sequence[Pattern],
        shape: tuple[int, int] = (4, 4),
        *,
        stages: Sequence[int] = (),
        weights: Weights | None = None,
    ) -> None:
        if isinstance(patterns, str):
            self._patterns = parse_patterns(patterns, shape)
        else:
            self._patterns = check_patterns([pattern.cells for pattern in patterns], shape)
        self._shape = shape
        self._stages = check_stages(stages)
        check_limit("weights of a network", self.stage_size * self.stage_count, 1, MAX_WEIGHTS)
        self.weights = self._new_weights() if weights is None else weights

    def _new_weights(self) -> Weights:
        check_memory(self.bytes, f"the weights of {self.name}")
        weights: Weights = large_zeros(self.stage_count * self.stage_size, np.float32)
        weights = weights.reshape(self.stage_count, self.stage_size)
        weights[1:] = np.nan
        return weights

    # ---- properties: read-only, since kernels read the weights by address

    @property
    def weights(self) -> Weights:
        """The weights, which learning changes in place.

        Assigning another array does not affect evaluators and runs that exist already. It raises
        `InvalidNetwork` unless it is float32, contiguous and of the same shape.
        """
        return self._weights

    @weights.setter
    def weights(self, weights: Weights) -> None:
        expected = (self.stage_count, self.stage_size)
        if not isinstance(weights, np.ndarray):
            raise InvalidNetwork(f"expected an array of weights, got {shown(type(weights))}")
        if weights.shape != expected or weights.dtype != np.float32:
            raise InvalidNetwork(
                f"expected float32 weights of shape {expected}, "
                f"got {weights.dtype} of {weights.shape}"
            )
        if not lies_flat(weights, np.float32, 2):
            raise InvalidNetwork("expected contiguous weights, got a view with gaps")
        self._weights = weights

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The patterns, in the order of their tables."""
        return self._patterns

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the boards."""
        return self._shape

    @property
    def stages(self) -> tuple[int, ...]:
        """Boundaries of the stages."""
        return self._stages

    @property
    def name(self) -> str:
        """The name of the patterns, or their list."""
        return format_patterns(self.patterns)

    @property
    def stage_count(self) -> int:
        """Number of stages, at least 1."""
        return len(self.stages) + 1

    @property
    def stage_size(self) -> int:
        """Number of weights per stage."""
        return sum(pattern.size for pattern in self.patterns)

    @property
    def offsets(self) -> tuple[int, ...]:
        """Start of each pattern's table in a stage."""
        sizes = [pattern.size for pattern in self.patterns]
        return tuple(sum(sizes[:number]) for number in range(len(sizes)))

    @property
    def symmetries(self) -> int:
        """Symmetries of the board: 8 if it is square, else 4."""
        return 8 if self.shape[0] == self.shape[1] else 4

    @property
    def features(self) -> int:
        """Number of weights summed for a board."""
        return len(self.patterns) * self.symmetries

    @property
    def bytes(self) -> int:
        """Size of the weights in bytes."""
        return 4 * self.stage_count * self.stage_size

    def describe(self) -> str:
        """One line: patterns, shape, stages, size."""
        rows, cols = self.shape
        stages = f", {self.stage_count} stages" if self.stages else ""
        return f"{self.name} for {rows}x{cols}{stages}, {bytes_words(self.bytes)} of weights"

    def table(self, pattern: int, stage: int = 0) -> Weights:
        """A view of the weights of a pattern, 16 per cell, the last cell varying fastest."""
        check_limit("the number of a pattern", pattern, 0, len(self.patterns) - 1)
        check_limit("the number of a stage", stage, 0, self.stage_count - 1)
        start = self.offsets[pattern]
        part: Weights = self.weights[stage, start : start + self.patterns[pattern].size]
        return part

    # ---- values of boards

    def words(self) -> NDArray[np.uint64]:
        """The words for kernels, see `kernels.learn.ntuple`; the weights must outlive them."""
        from twofold.kernels.learn import ntuple  # loads kernels

        rows, cols = self.shape
        words = np.zeros(ntuple.OWN + 2 * len(self.patterns), dtype=np.uint64)
        words[ntuple.PATTERNS] = len(self.patterns)
        words[ntuple.WEIGHTS] = self.weights.ctypes.data
        words[ntuple.SYMMETRIES] = self.symmetries
        words[ntuple.MIRROR_SHIFT] = 4 * (4 - cols)
        words[ntuple.FLIP_SHIFT] = 16 * (4 - rows)
        words[ntuple.STAGES] = self.stage_count
        words[ntuple.STAGE_SIZE] = self.stage_size
        words[ntuple.THRESHOLDS : ntuple.THRESHOLDS + len(self.stages)] = self.stages
        words[ntuple.OWN :: 2] = [pattern.mask(cols) for pattern in self.patterns]
        words[ntuple.OWN + 1 :: 2] = self.offsets
        return words

    def value(self, after: Board) -> float:
        """The value of an afterstate, in points; `UnsupportedRules` for another shape."""
        return float(self.values([after])[0])

    def values(self, afters: Iterable[Board]) -> NDArray[np.float64]:
        """The values of afterstates, in points, float64 (boards,)."""
        from twofold.kernels.learn import ntuple

        bits = np.array([self._bits(board) for board in afters], dtype=np.uint64)
        values = np.zeros(len(bits))
        ntuple.value_many(bits, self.words(), values)
        return values

    def _bits(self, board: Board) -> int:
        rows, cols = self.shape
        if board.shape != self.shape or board.max_exponent > BITS_MAX_EXPONENT:
            raise UnsupportedRules(
                f"expected {rows}x{cols} with tiles up to 32768 for this network, got {board}"
            )
        return board.to_bits()


def check_stages(stages: Sequence[int]) -> tuple[int, ...]:
    """Check boundaries of stages: ascending multiples of 2 below 65536, not too many."""
    check_limit("stages", len(stages) + 1, 1, MAX_STAGES)
    whole = all(isinstance(sum_of, int | np.integer) for sum_of in stages)
    ascending = whole and all(low < high for low, high in pairwise(stages))
    if not ascending or any(not 2 <= sum_of < 1 << 16 or sum_of % 2 for sum_of in stages):
        raise InvalidNetwork(
            "expected stages as ascending sums of tiles, such as 16384,32768,49152, "
            f"got {','.join(map(str, stages))}"
        )
    return tuple(stages)
