"""Policy networks with random weights, and files of them."""

from itertools import pairwise
from pathlib import Path

import numpy as np

import twofold
from twofold.values.policy_network import REWARDS, Dense, PolicyCard, PolicyNetwork, write_policy


def make_policy(
    shape: tuple[int, int] = (4, 4),
    *,
    widths: tuple[int, ...] = (24, 9),
    exponents: int = 18,
    seed: int = 1,
    reward: str = "points",
    symmetric: bool = False,
    discount: float = 1.0,
) -> PolicyNetwork:
    """A network with random weights of about the size that training begins with."""
    dice = np.random.default_rng(seed)

    def some(*size: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return dice.normal(0, 1 / np.sqrt(size[0]), size).astype(np.float32)

    table = some(shape[0] * shape[1], exponents, widths[0])
    sizes = [*widths, 5]
    layers = [Dense(some(a, b), some(b)) for a, b in pairwise(sizes)]
    bias = some(widths[0])
    return PolicyNetwork(
        shape, table, bias, layers, reward=reward, symmetric=symmetric, discount=discount
    )


def card_of(network: PolicyNetwork) -> PolicyCard:
    rows, cols = network.shape
    name = next(name for name, one in REWARDS.items() if one is network.reward)
    return PolicyCard(
        rules=f"{rows}x{cols}",
        unit=network.reward.unit,
        layers=len(network.layers),
        twofold=twofold.__version__,
        symmetric=network.symmetric,
        settings={"reward": name, "gamma": network.discount},
    )


def write(path: Path, network: PolicyNetwork | None = None, *, half: bool = False) -> Path:
    """Write a network, random unless one is given."""
    network = network or make_policy()
    write_policy(path, network, card_of(network), half=half)
    return path
