"""The critic of a policy network as an evaluator: what a state is worth."""

from typing import Any

import numpy as np

from twofold.errors import InvalidSpec
from twofold.evaluators.base import Evaluator, Params
from twofold.networks.policy import PolicyNetwork


def critic_evaluator(network: PolicyNetwork, *, name: str = "critic") -> Evaluator:
    """The critic of a network as an evaluator.

    Raises:
        InvalidSpec: its values are not in points, so that rewards cannot be added.
    """
    if network.unit != "points":
        raise InvalidSpec(
            "expected a network trained with --reward points for a search, "
            f"got values in {network.unit}"
        )
    params: Params = network.words.view(np.float32)
    kept = params, network  # the first holds addresses of the second

    def kernel_for(rows: int, cols: int) -> Any:
        from twofold.kernels.policy import forward  # loads kernels

        return forward.critic

    return Evaluator(
        name,
        network.describe(),
        kernel_for=kernel_for,
        params_for=lambda rows, cols: kept[0],
        unit="points",
        at="state",
        adds_reward=True,
        supports=lambda rows, cols: (rows, cols) == network.shape,
        shapes="{}x{}".format(*network.shape),
    )
