"""Hostile network files are refused, each with its own error, and take hardly any memory."""

import importlib
import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import twofold
from tests.attacks.weights import FILES, POSIX, WEIGHTS, Attack, network, release, weights
from twofold.errors import InvalidNetwork
from twofold.networks.file import read_network

pytestmark = pytest.mark.promise("R23")
ATTACKS = FILES + (POSIX if os.name == "posix" else [])
SECONDS = 1.0  # of the processor
BYTES = 64 * 2**20

READS_ALL = """
import json, sys
from pathlib import Path
from twofold.errors import InvalidNetwork
from twofold.networks.file import read_network

def peak(anew):
    if anew:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])

read_network(Path(sys.argv[1]) / "good")
grown = {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    before = peak(True)
    try:
        read_network(path)
    except InvalidNetwork:
        grown[path.name] = peak(False) - before
print(json.dumps(grown))
"""


@pytest.fixture(scope="module", autouse=True)
def _kernels() -> None:
    """Loading them takes longer than any attack may."""
    importlib.import_module("twofold.kernels.learn.network_planes")


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_refused(attack: Attack, tmp_path: Path) -> None:
    path = tmp_path / "net"
    attack.put(path)
    began = time.process_time()
    with pytest.raises(InvalidNetwork, match=attack.error) as caught:
        read_network(path)
    assert time.process_time() - began < SECONDS
    said = str(caught.value)
    assert str(path) in said
    assert said.isprintable()
    assert len(said) < 500 + len(str(path))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_little_is_allocated(attack: Attack, tmp_path: Path) -> None:
    path = tmp_path / "net"
    attack.put(path)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidNetwork):
            read_network(path)
        assert tracemalloc.get_traced_memory()[1] < BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="it reads the memory of a process from /proc")
def test_little_memory_is_used_outside_of_python(
    tmp_path: Path, figure: Callable[[str], None]
) -> None:
    """All of them in a fresh process, whose memory is measured by the system."""
    (tmp_path / "good").write_bytes(release()())
    for number, attack in enumerate(ATTACKS):
        attack.put(tmp_path / f"{number:03}")
    present = sum(path.is_symlink() or path.exists() for path in tmp_path.iterdir())
    done = subprocess.run(
        [sys.executable, "-c", READS_ALL, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(Path(twofold.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    grown = json.loads(done.stdout)
    assert len(grown) == present - 1
    assert max(grown.values()) < BYTES
    figure(f"up to {max(grown.values()) / 2**20:.0f} MB in a process")


def test_the_table_is_of_distinct_attacks(tmp_path: Path, figure: Callable[[str], None]) -> None:
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS) >= 25
    figure(f"{len(ATTACKS)} files refused")


def test_what_the_attacks_are_changes_of_is_read(tmp_path: Path) -> None:
    path = tmp_path / "net"
    path.write_bytes(weights(lambda _: None)())
    assert np.array_equal(read_network(path)[0].weights[0], WEIGHTS)
    path.write_bytes(release()())
    found = read_network(path)[0].weights[0]
    assert np.flatnonzero(found).tolist() == [0, 1, 256, 257]
    assert found[found != 0].tolist() == [1, 2, 1, 2]


def test_a_file_named_by_an_attacker(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[2J\u202e"
    path.write_bytes(network({}))
    for wrong in (path, tmp_path / "\x1b", "zero\0byte"):
        with pytest.raises(InvalidNetwork) as caught:
            read_network(wrong)
        assert str(caught.value).isprintable()
