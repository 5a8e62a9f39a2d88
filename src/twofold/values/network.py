"""N-tuple networks: a board's value is a sum of weights, one per pattern and symmetry.

    patterns of 4x6                                value of an afterstate

    0 1 2 3    . . . .    0 1 2 .    . . . .       V = sum over patterns p and symmetries s of
    4 5 . .    4 5 6 7    4 5 6 .    4 5 6 .           weights of p at the exponents
    . . . .    8 9 . .    . . . .    8 9 a .           that p covers on the board turned by s
    . . . .    . . . .    . . . .    . . . .

Sources: Szubert and Jaskowski 2014 (n-tuple networks for 2048); Yeh et al. 2017 (stages).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidNetwork, UnsupportedRules
from twofold.figures import bytes_words
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.limits import (
    BITS_MAX_EXPONENT,
    BITS_MAX_SIDE,
    MAX_PATTERN_CELLS,
    MAX_PATTERNS,
    MAX_STAGES,
    MAX_WEIGHTS,
    MIN_CELLS,
    check_limit,
)
from twofold.storage.arrays import lies_flat
from twofold.storage.memory import check_memory, large_zeros
from twofold.values.evaluator import Evaluator, Params, kernel_in

NAMED: Final = {
    "4x6": "012345 456789 012456 45689a",
    "5x6": "012345 456789 89abcd 012456 45689a",
    "6x6": "012456 456789 012345 234569 01259a 345678",
    "7x6": "012456 456789 012345 234569 01259a 345678 134567",
    "8x6": "012456 456789 012345 234569 01259a 345678 134567 01489a",
    "2x7": "0123456 456789a",
    "3x7": "0123456 456789a 89abcde",
    "1x8": "01234567",
    "2x8": "01234567 456789ab",
    "3x8": "01234567 456789ab 0123458c",
    "4x8": "01234567 456789ab 01245689 0123458c",
    "4x5": "01234 45678 01245 45689",
    "5x4": "0123 4567 0145 1256 569a",
    "2x4": "0123 4567",
}
"""Lists of patterns for 4x4, as papers name them: `4x6` is 4 patterns of 6 cells.

Source: TDL2048+, where `4x6` is `4x6patt`.
"""

_DIGITS: Final = "0123456789abcdef"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A set of cells, ascending; cells are numbered row by row."""

    cells: tuple[int, ...]

    def __str__(self) -> str:
        return "".join(_DIGITS[cell] for cell in self.cells)

    @property
    def size(self) -> int:
        """Number of weights per stage: 16 to the power of the number of cells."""
        return 1 << 4 * len(self.cells)

    def mask(self, cols: int) -> int:
        """The cells as nibbles of a 64-bit board with `cols` columns."""
        places = (divmod(cell, cols) for cell in self.cells)
        return sum(15 << (60 - 4 * (4 * row + col)) for row, col in places)


def parse_patterns(text: str, shape: tuple[int, int] = (4, 4)) -> tuple[Pattern, ...]:
    """Parse a name of `NAMED`, or patterns such as `012345 456789`: a hexadecimal digit per cell.

    Patterns are separated by spaces or commas; names stand for patterns of 4x4.
    """
    if not isinstance(text, str):
        raise InvalidNetwork(f"expected patterns as text, got {shown(text)}")
    if text in NAMED:
        if shape != (4, 4):
            rows, cols = shape
            raise InvalidNetwork(
                f"expected patterns such as '0123 2345' for {rows}x{cols}, got {text} (for 4x4)"
            )
        text = NAMED[text]
    words = text.replace(",", " ").split()
    if not words or any(set(word.lower()) - set(_DIGITS) for word in words):
        raise InvalidNetwork(
            f"expected one of {', '.join(NAMED)}, or patterns such as '012345 456789', "
            f"got {shown(text)}"
        )
    return check_patterns(
        [[_DIGITS.index(digit) for digit in word.lower()] for word in words], shape
    )


def check_patterns(
    patterns: Sequence[Sequence[int]], shape: tuple[int, int]
) -> tuple[Pattern, ...]:
    """Make patterns from lists of cells, in any order; cells and patterns must not repeat."""
    rows, cols = shape
    if not (1 <= rows <= BITS_MAX_SIDE and 1 <= cols <= BITS_MAX_SIDE and rows * cols >= MIN_CELLS):
        raise InvalidNetwork(f"expected a network for shapes up to 4x4, got {rows}x{cols}")
    check_limit("patterns of a network", len(patterns), 1, MAX_PATTERNS)
    found: list[Pattern] = []
    for cells in patterns:
        check_limit("cells of a pattern", len(cells), 1, MAX_PATTERN_CELLS)
        pattern = Pattern(tuple(sorted(cells)))
        text = "".join(_DIGITS[cell] if cell in range(16) else f"({cell})" for cell in cells)
        if len(set(cells)) < len(cells):
            raise InvalidNetwork(f"expected different cells in a pattern, got {text}")
        if not set(cells) <= set(range(rows * cols)):
            raise InvalidNetwork(
                f"expected cells below {rows * cols} in a pattern for {rows}x{cols}, got {text}"
            )
        if pattern in found:
            raise InvalidNetwork(f"expected different patterns, got {pattern} twice")
        found.append(pattern)
    return tuple(found)


def format_patterns(patterns: Sequence[Pattern], shape: tuple[int, int] = (4, 4)) -> str:
    """The name of a list of patterns on 4x4, or its text; the inverse of `parse_patterns`."""
    text = " ".join(str(pattern) for pattern in patterns)
    names = NAMED if shape == (4, 4) else {}
    return next((name for name, known in names.items() if known == text), text)


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
        later: True to set the weights later.

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
        later: bool = False,
    ) -> None:
        if isinstance(patterns, str):
            self._patterns = parse_patterns(patterns, shape)
        else:
            self._patterns = check_patterns([pattern.cells for pattern in patterns], shape)
        self._shape = shape
        self._stages = check_stages(stages)
        check_limit("weights of a network", self.stage_size * self.stage_count, 1, MAX_WEIGHTS)
        if not later:
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
        return format_patterns(self.patterns, self.shape)

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
        """The words for kernels, see `kernels.ntuple`; the weights must outlive them."""
        from twofold.kernels import ntuple  # loads kernels

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
        from twofold.kernels import ntuple

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


def network_evaluator(network: Network, *, name: str = "ntuple") -> Evaluator:
    """The evaluator of a network, which is not copied.

    A search caches values: make another evaluator after a change of the weights.
    """
    params: Params = network.words().view(np.float32)
    kept = params, network.weights  # the first holds the address of the second
    size = "boards of {}x{}".format(*network.shape)

    def terms_of(board: Board, score: int) -> Mapping[str, float]:
        return pattern_values(network, board)

    return Evaluator(
        name,
        f"n-tuple network {network.name}",
        kernel_for=kernel_in("ntuple", "network_value"),
        params_for=lambda rows, cols: kept[0],
        unit="points",
        at="afterstate",
        adds_reward=True,
        supports=lambda rows, cols: (rows, cols) == network.shape,
        shapes=size,
        terms_of=terms_of,
        layer_for=kernel_in("ntuple", "after_move"),
        policy_for=kernel_in("ntuple", "choose"),
    )


def pattern_values(network: Network, board: Board) -> dict[str, float]:
    """The share of each pattern in the value of a board, over all symmetries, in points."""
    whole = {}
    for number, pattern in enumerate(network.patterns):
        table = np.stack([network.table(number, stage) for stage in range(network.stage_count)])
        alone = Network([pattern], network.shape, stages=network.stages, weights=table)
        whole[str(pattern)] = alone.value(board)
    return whole
