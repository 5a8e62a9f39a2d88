"""Averaging networks: each weight is the mean of those of several networks."""

from collections.abc import Sequence

import numpy as np

from twofold.errors import InvalidNetwork
from twofold.memory import check_memory, large_zeros
from twofold.networks.network import Network


def average(networks: Sequence[Network]) -> Network:
    """Average networks; the result often plays better than each of them.

    Their patterns and shapes must be equal; stages beyond those common to all are dropped.

    Raises:
        InvalidNetwork: no networks, or they differ in more than their weights.
        ResourceError: the result would take more than 80 % of the free memory.

    Source: Jaskowski 2018 (averaging of weights); Polyak and Juditsky 1992.
    """
    if not networks:
        raise InvalidNetwork("expected at least one network to average, got none")
    first = min(networks, key=lambda network: network.stage_count)
    for other in networks:
        common = other.stages[: len(first.stages)]
        if (other.patterns, other.shape, common) != (first.patterns, first.shape, first.stages):
            raise InvalidNetwork(
                f"expected networks that differ only in their weights, "
                f"got {first.describe()} and {other.describe()}"
            )
    check_memory(first.bytes, "the mean of the networks")
    weights = large_zeros(first.stage_count * first.stage_size, np.float32).reshape(
        first.weights.shape
    )
    share = np.float32(1 / len(networks))
    for network in networks:
        before = None
        for stage, some in enumerate(network.weights[: first.stage_count]):
            known = some if before is None else np.where(np.isnan(some), before, some)
            weights[stage] += known * share
            before = known
    return Network(first.patterns, first.shape, stages=first.stages, weights=weights)
