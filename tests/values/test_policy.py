"""Policy networks: what is refused, how they describe themselves, probabilities."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.policies import make_policy
from twofold.errors import InvalidBoard, InvalidNetwork, LimitExceeded
from twofold.game.board import Board
from twofold.values.policy_network import Dense, PolicyNetwork, probabilities


def test_a_network_describes_itself() -> None:
    network = make_policy((2, 3), widths=(24, 9), exponents=8)
    weights = 6 * 8 * 24 + 24 + 24 * 9 + 9 + 9 * 5 + 5
    assert (network.widths, network.parameters, network.exponents) == ((24, 9), weights, 8)
    assert network.describe() == f"policy network 2x3, 24-9, {weights:,} weights"
    symmetric = make_policy((2, 3), widths=(24, 9), exponents=8, symmetric=True)
    assert symmetric.describe() == f"policy network 2x3, 24-9, symmetric, {weights:,} weights"
    assert network.operations == 6 * 24 + 2 * (24 * 9 + 9 * 5)


@pytest.mark.parametrize("wrong", ["cells", "inputs", "bias", "head", "nan", "type"])
def test_arrays_that_do_not_go_together_are_refused(wrong: str) -> None:
    network = make_policy()
    shape, table, bias, layers = network.shape, network.table, network.bias, [*network.layers]
    if wrong == "cells":
        shape = (3, 4)
    elif wrong == "inputs":
        layers[0] = replace(layers[0], weights=layers[0].weights[1:].copy())
    elif wrong == "bias":
        bias = bias[1:].copy()
    elif wrong == "head":
        layers = layers[:-1]
    elif wrong == "nan":
        bias = bias.copy()
        bias[3] = np.nan
    else:
        layers[0] = Dense(layers[0].weights.astype(np.float64), layers[0].bias)
    with pytest.raises(InvalidNetwork, match="expected"):
        PolicyNetwork(shape, table, bias, layers, reward="points")


def test_no_layers_are_refused() -> None:
    network = make_policy()
    with pytest.raises(LimitExceeded, match="layers"):
        PolicyNetwork(network.shape, network.table, network.bias, [], reward="points")


def test_a_board_of_another_shape_is_refused() -> None:
    with pytest.raises(InvalidBoard, match="expected a board of 4x4"):
        make_policy().think(Board.parse("2x2:1200"))
    with pytest.raises(InvalidBoard, match="expected boards of 16 cells"):
        make_policy().outputs(np.zeros((3, 4), dtype=np.uint8))


def test_probabilities_are_a_softmax_over_legal_moves() -> None:
    found = probabilities([1.0, 2.0, 3.0, 900.0], [True, True, False, False])
    assert found == pytest.approx([1 / (1 + np.e), np.e / (1 + np.e), 0, 0])
    assert sum(probabilities([1e30, -1e30, 0, 0], [True] * 4)) == 1
