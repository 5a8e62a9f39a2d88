"""Learning on a graphics card, in Numba's simulator: equal to that of the package."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

SUBJECTS = """
import numpy as np
from benchmarks.cuda_learning import AFTER, Card
from benchmarks.ntuple_cuda import boards_apart, learning_apart
from tests.learn.naive import NaiveNetwork
from twofold.game.board import Board
from twofold.values.network import Network

# Rules and values are those of the package.
network = Network("012 1259")
network.weights[0] = np.random.default_rng(2).random(network.stage_size)
assert boards_apart(Card(network, "td:0.1", 8, 8, 1), network, 30) == 0

# A single game learns as on a thread of the CPU.
assert learning_apart("012 1259", "td:0.1", 1, 1) == 0
assert learning_apart("012 1259", "tc:0.125", 8, 1) == 0

# The holders of a weight are the games whose last afterstate has it.
network = Network("012 456")
card = Card(network, "tc", 8, 8, 1)
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


def test_the_card_plays_values_and_learns_as_the_package_does() -> None:
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    # NumPy warns of the overflows of the dice, which are meant.
    ignored = "ignore:overflow encountered:RuntimeWarning"
    command = [sys.executable, "-W", ignored, "-c", SHARED + SUBJECTS]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
