"""Planes of a release become the weights of their description, and no other weights change."""

import numpy as np
import pytest
from numpy.typing import NDArray

from twofold.kernels.ntuple import add_planes

GUARD = np.float32(-12345.5)


def add_plainly(
    filled: NDArray[np.uint16], low: bytes, high: bytes, unit: float, weights: list[float]
) -> list[float]:
    """The kernel in Python, from its description."""
    codes = [above << 8 | below for below, above in zip(low, high, strict=True)]
    added = list(weights)
    for place in range(len(weights)):
        if filled[place // 16] >> place % 16 & 1:
            code = codes.pop(0)
            units = code // 2 if code % 2 == 0 else -(code + 1) // 2
            added[place] = float(np.float32((round(weights[place] / unit) + units) * unit))
    assert not codes
    return added


@pytest.mark.parametrize("unit", [1.0, 0.3, 16.0])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.9, 1.0])
@pytest.mark.parametrize("rows", [1, 16, 257])
def test_planes_are_added_as_described(rows: int, share: float, unit: float) -> None:
    dice = np.random.default_rng(rows)
    bits = dice.random(16 * rows) < share
    filled = np.packbits(bits, bitorder="little").view("<u2")
    low, high = dice.bytes(int(bits.sum())), dice.bytes(int(bits.sum()))
    before = (dice.integers(-32768, 32768, 16 * rows) * unit).astype(np.float32)
    room = np.full(16 * rows + 32, GUARD)
    room[16:-16] = before
    filled.flags.writeable = False
    codes = np.frombuffer(low, dtype="u1"), np.frombuffer(high, dtype="u1")
    add_planes(filled, *codes, unit, room[16:-16])
    assert room[16:-16].tolist() == add_plainly(filled, low, high, unit, before.tolist())
    assert (room[:16] == GUARD).all()
    assert (room[-16:] == GUARD).all()
