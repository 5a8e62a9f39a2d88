"""What a training game pays a policy network: a value for each merge, and one for the end."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidInput
from twofold.limits import MAX_EXPONENT
from twofold.notation import did_you_mean, shown

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Reward:
    """A reward: `values[k]` for each merge that makes 2^k, and `death` for the end of the game."""

    values: Values
    death: float
    unit: str
    source: str = ""


_EXPONENTS: Final = np.arange(MAX_EXPONENT + 2, dtype=np.float64)

REWARDS: Final = {
    "points": Reward(np.where(_EXPONENTS >= 1, 2.0**_EXPONENTS, 0.0), 0.0, "points"),
    "exponents": Reward(_EXPONENTS.copy(), 0.0, "exponents"),
    "large": Reward(
        0.05 + 0.03 * np.maximum(_EXPONENTS - 6, 0) ** 1.5,
        -1.0,
        "own unit",
        source="PufferLib, 2048, January 2026",
    ),
}
"""`points`: the score. `exponents`: k for a tile 2^k. `large`: 0.05, from 128 on more and more."""


def find_reward(name: str) -> Reward:
    """The reward of that name."""
    if name not in REWARDS:
        known = ", ".join(REWARDS)
        raise InvalidInput(
            f"expected a reward of {known}, got {shown(name)}{did_you_mean(name, REWARDS)}"
        )
    return REWARDS[name]
