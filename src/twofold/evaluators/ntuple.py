"""N-tuple networks as evaluators of a search, and the share of each pattern in a value."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from twofold.board import Board
from twofold.evaluators.base import Evaluator, Params
from twofold.networks.network import Network, Weights


def network_evaluator(network: Network, *, name: str = "ntuple") -> Evaluator:
    """The evaluator of a network, which is not copied.

    A search caches values: make another evaluator after a change of the weights.
    """
    params: Params = network.words().view(np.float32)
    kept = params, network.weights  # the first holds the address of the second
    size = "boards of {}x{}".format(*network.shape)

    def kernel_for(rows: int, cols: int) -> Any:
        from twofold.kernels.learn import ntuple  # loads kernels

        return ntuple.network_value

    def layer_for(rows: int, cols: int) -> Any:
        from twofold.kernels.learn import ntuple

        return ntuple.after_move

    def policy_for(rows: int, cols: int) -> Any:
        from twofold.kernels.learn import ntuple

        return ntuple.choose

    def terms_of(board: Board, score: int) -> Mapping[str, float]:
        return pattern_values(network, board)

    return Evaluator(
        name,
        f"n-tuple network {network.name}",
        kernel_for=kernel_for,
        params_for=lambda rows, cols: kept[0],
        unit="points",
        at="afterstate",
        adds_reward=True,
        supports=lambda rows, cols: (rows, cols) == network.shape,
        shapes=size,
        terms_of=terms_of,
        layer_for=layer_for,
        policy_for=policy_for,
    )


def pattern_values(network: Network, board: Board) -> dict[str, float]:
    """The share of each pattern in the value of a board, over all symmetries, in points."""
    whole = {}
    for number, pattern in enumerate(network.patterns):
        alone = Network(
            [pattern], network.shape, stages=network.stages, weights=_table_of(network, number)
        )
        whole[str(pattern)] = alone.value(board)
    return whole


def _table_of(network: Network, number: int) -> Weights:
    return np.stack([network.table(number, stage) for stage in range(network.stage_count)])
