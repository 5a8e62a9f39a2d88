"""N-tuple networks as evaluators of a search, and the share of each pattern in a value."""

from collections.abc import Mapping

import numpy as np

from twofold.board import Board
from twofold.evaluators.base import Evaluator, Params, kernel_in
from twofold.networks.network import Network


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
        kernel_for=kernel_in("learn.ntuple", "network_value"),
        params_for=lambda rows, cols: kept[0],
        unit="points",
        at="afterstate",
        adds_reward=True,
        supports=lambda rows, cols: (rows, cols) == network.shape,
        shapes=size,
        terms_of=terms_of,
        layer_for=kernel_in("learn.ntuple", "after_move"),
        policy_for=kernel_in("learn.ntuple", "choose"),
    )


def pattern_values(network: Network, board: Board) -> dict[str, float]:
    """The share of each pattern in the value of a board, over all symmetries, in points."""
    whole = {}
    for number, pattern in enumerate(network.patterns):
        table = np.stack([network.table(number, stage) for stage in range(network.stage_count)])
        alone = Network([pattern], network.shape, stages=network.stages, weights=table)
        whole[str(pattern)] = alone.value(board)
    return whole
