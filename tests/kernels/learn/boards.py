"""Boards with large tiles."""

from collections.abc import Iterator

import numpy as np

Cells = tuple[int, ...]


def some_boards(count: int, shape: tuple[int, int], seed: int = 3) -> Iterator[Cells]:
    """Boards of tiles up to 32768: some with holes, some with hardly any."""
    rng = np.random.default_rng([seed, *shape])
    cells = shape[0] * shape[1]
    for number in range(count):
        low = 1 if number % 2 else 6
        exponents = rng.integers(low, 16, cells)
        if number % 3 == 0:  # a chain with a few gaps
            exponents = rng.permutation(np.arange(15, 15 - cells, -1).clip(1))
        yield tuple((exponents * (rng.random(cells) < rng.uniform(0.5, 1.2))).tolist())
