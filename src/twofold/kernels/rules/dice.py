"""The dice as kernels; the documentation's page on dice has the rule and worked examples."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.kernels._jit import kernel

GAMMA: Final = np.uint64(0x9E3779B97F4A7C15)
PLAYER_SALT: Final = np.uint64(0x74776F666F6C6431)
_M1: Final = np.uint64(0xBF58476D1CE4E5B9)
_M2: Final = np.uint64(0x94D049BB133111EB)
_ONE: Final = np.uint64(1)
_30: Final = np.uint64(30)
_27: Final = np.uint64(27)
_31: Final = np.uint64(31)


@kernel("uint64(uint64)")
def mix(z):
    """The finaliser of splitmix64."""
    z = (z ^ (z >> _30)) * _M1
    z = (z ^ (z >> _27)) * _M2
    return z ^ (z >> _31)


@kernel("uint64(uint64, uint64)")
def dice(seed, spawn_number):
    """The 64 random bits of a spawn."""
    return mix(seed + (spawn_number + _ONE) * GAMMA)


@kernel("uint64(uint64, uint64)")
def player_dice(seed, draw_number):
    """The 64 random bits of a player's own draw."""
    return mix(mix(seed ^ PLAYER_SALT) + (draw_number + _ONE) * GAMMA)


def spawn_distribution(exponents: Sequence[int], weights: Sequence[float]) -> NDArray[np.uint64]:
    """The spawn tiles as kernels read them, from ascending exponents and positive weights.

    uint64, shape (1 + 3 n,): the number of tiles n, then for each tile its exponent, the threshold
    that the low 32 bits of the dice must be below, and its probability as the bits of a float64.
    """
    total = sum(weights)
    words = [len(exponents)]
    cumulative = 0.0
    for number, (exponent, weight) in enumerate(zip(exponents, weights, strict=True), 1):
        cumulative += weight / total
        last = number == len(exponents)
        threshold = 2**32 if last else int(cumulative * 2**32 + 0.5)
        probability = np.float64(weight / total).view(np.uint64)
        words += [exponent, threshold, int(probability)]
    return np.array(words, dtype=np.uint64)


SPAWN_EXPONENT: Final = 1
SPAWN_PROBABILITY: Final = 3
SPAWN_STRIDE: Final = 3
