"""The kernels of policy networks against naive twins, for every shape and on both forms."""

import numpy as np
import pytest

from tests.kernels.drivers import boards_of
from tests.support.policies import make_policy
from twofold.game.board import Board
from twofold.kernels.policy import moves_back, turn_each
from twofold.values.policy_network import PolicyNetwork

SHAPES = [(4, 4), (2, 2), (3, 4), (1, 3), (5, 5)]


def naive(network: PolicyNetwork, board: Board) -> list[float]:
    """The outputs in float64, layer by layer."""
    found = network.bias.astype(np.float64)
    for cell, exponent in enumerate(board.exponents):
        found = found + network.table[cell, min(exponent, network.exponents - 1)]
    for layer in network.layers:
        found = np.maximum(found, 0) @ layer.weights.astype(np.float64) + layer.bias
    return list(found)


@pytest.mark.parametrize("widths", [(37, 18, 6), (1,), (2,), (5,), (16, 3)])
@pytest.mark.parametrize("shape", [*SHAPES, (8, 8)])
def test_outputs_equal_the_naive_twin(shape: tuple[int, int], widths: tuple[int, ...]) -> None:
    network = make_policy(shape, widths=widths)
    for cells in boards_of(*shape, 40, 20).tolist():
        board = Board(cells, shape)
        thought = network.think(board)
        found = [*thought.logits, thought.value]
        assert found == pytest.approx(naive(network, board), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("width", [1, 2, 5, 8, 24])
@pytest.mark.parametrize("shape", [*SHAPES, (4, 3), (8, 8)])
def test_a_symmetric_network_looks_at_the_form_of_a_board(
    shape: tuple[int, int], width: int
) -> None:
    network = make_policy(shape, widths=(width,), symmetric=True)
    plain = make_policy(shape, widths=(width,))
    for exponents in boards_of(*shape, 30, 8):
        board, cells = Board(exponents.tolist(), shape), exponents.reshape(1, *shape)
        form, legal = np.empty_like(cells), np.zeros((1, 4), dtype=np.int8)
        turn, back = np.empty((2, 1), dtype=np.int64)
        turn_each(cells, legal, form, legal.copy(), turn)
        here, there = network.think(board), plain.think(Board(form.ravel().tolist(), shape))
        assert here.value == there.value
        for move, logit in enumerate(there.logits):
            moves_back(np.array([move]), turn, back)
            assert here.logits[back[0]] == logit
