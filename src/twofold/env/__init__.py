"""2048 for reinforcement learning: environments of Gymnasium, one game or many at once.

Importing this module registers `twofold/2048-v1`; so does importing both `twofold` and Gymnasium,
in any order. See `docs/howto/train-with-gymnasium.md`.
"""

import importlib
from typing import TYPE_CHECKING, Any, Final

from twofold.errors import MissingExtra

try:
    import gymnasium
except ImportError:
    raise MissingExtra.of("env", "twofold.env") from None

if TYPE_CHECKING:
    from twofold.env.games import Afterstates
    from twofold.env.single import Env2048
    from twofold.env.vector import VectorEnv2048

ENV_ID: Final = "twofold/2048-v1"
"""The registered name of the environments."""

_HOMES: Final = {
    "Afterstates": "twofold.env.games",
    "Env2048": "twofold.env.single",
    "VectorEnv2048": "twofold.env.vector",
}

__all__ = ["ENV_ID", "Afterstates", "Env2048", "VectorEnv2048"]


def __getattr__(name: str) -> Any:
    try:
        home = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module 'twofold.env' has no attribute {name!r}") from None
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)


if ENV_ID not in gymnasium.registry:
    gymnasium.register(
        id=ENV_ID,
        entry_point="twofold.env.single:Env2048",
        vector_entry_point="twofold.env.vector:VectorEnv2048",
    )
