"""Learning on a graphics card, in Numba's simulator: equal to that of the package."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

BOARDS = """
import numpy as np
from benchmarks.cuda_learning import Card
from benchmarks.ntuple_cuda import boards_apart
from twofold.values.network import Network
network = Network("012 1259")
network.weights[0] = np.random.default_rng(2).random(network.stage_size)
assert boards_apart(Card(network, "td:0.1", 8, 8, 1), network, 30) == 0
"""

LEARNING = """
from benchmarks.ntuple_cuda import learning_apart
assert learning_apart("012 1259", "{}", {}, 1) == 0
"""

HOLDERS = """
import numpy as np
from benchmarks.cuda_learning import AFTER, Card
from tests.learn.naive import NaiveNetwork
from twofold.game.board import Board
from twofold.values.network import Network
network = Network("012 456")
card = Card(network, "tc", {lanes}, 8, 1)
card.play(12)
naive = NaiveNetwork([pattern.cells for pattern in network.patterns], (4, 4))
holders = np.zeros(network.stage_size)
for after in card.state.copy_to_host()[AFTER]:
    for pattern, cells in naive.features(Board.from_bits(int(after)).exponents):
        holders[network.offsets[pattern] + cells[0] * 256 + cells[1] * 16 + cells[2]] += 1
assert holders.sum() == 8 * network.features
assert (card.records.copy_to_host()[:, 1] == holders).all()
"""


# The simulator looks for a shared array and makes it where there is none, without a lock: two
# threads of a block could get one each. `setdefault` is one step.
SHARED = """
import sys
import numpy as np
from numba.cuda.simulator.kernelapi import FakeCUDAShared
from numba.np.numpy_support import as_dtype
def array(self, shape, dtype):
    return self._allocations.setdefault(sys._getframe(1).f_lineno, np.empty(shape, as_dtype(dtype)))
FakeCUDAShared.array = array
"""


def simulated(code: str) -> None:
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    # NumPy warns of the overflows of the dice, which are meant.
    command = [
        sys.executable,
        "-W",
        "ignore:overflow encountered:RuntimeWarning",
        "-c",
        SHARED + code,
    ]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_rules_and_values_are_those_of_the_package() -> None:
    simulated(BOARDS)


@pytest.mark.parametrize(("lanes", "method"), [(1, "td:0.1"), (8, "tc:0.125")])
def test_a_single_game_learns_as_on_a_cpu_thread(method: str, lanes: int) -> None:
    simulated(LEARNING.format(method, lanes))


def test_holders_are_the_games_whose_last_afterstate_has_a_weight() -> None:
    simulated(HOLDERS.format(lanes=8))


def test_without_a_card_the_subject_says_so() -> None:
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "ntuple_cuda"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "expected a graphics card that Numba's CUDA target can use, got none" in done.stderr
