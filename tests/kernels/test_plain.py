"""Without the processor's special instructions the kernels compute the same."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from twofold.kernels import _jit

ROOT = Path(__file__).parents[2]
TWINS = [
    "tests/kernels/test_words.py::test_instructions_on_one_word",
    "tests/kernels/test_dice.py::test_spawns_equal_the_reference",
    "tests/kernels/test_twins.py::test_moves_in_lanes",
]
"""Tests of all that have special instructions: single words, spawns, games in lanes."""
SIGNATURE = pytest.param(["tests/test_selftest.py"], id="long", marks=pytest.mark.long)
PATH = """
from twofold.kernels import _jit, intrinsics
print(_jit.PLAIN, intrinsics._PDEP, _jit.has_feature("avx2"), _jit.CACHE_FOLDER, sep="\\n")
"""


def run_python(*arguments: str, plain: str) -> str:
    """The output of a new interpreter."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TWOFOLD_PLAIN": plain}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.promise("R5")
@pytest.mark.parametrize("more", [pytest.param([], id="ci"), SIGNATURE])
def test_the_plain_path_computes_the_same(more: list[str], figure: Callable[[str], None]) -> None:
    options = ["-p", "no:cacheprovider", "-q", "-n0", "--no-cov"]
    said = run_python("-m", "pytest", *options, *TWINS, *more, plain="1")
    (passed,) = [line for line in said.splitlines() if " passed" in line]
    assert int(passed.split()[0]) > 25
    figure(f"plain path: {passed}")


def test_a_setting_of_zero_is_none() -> None:
    plain, pdep, avx2, folder = run_python("-c", PATH, plain="1").splitlines()
    assert (plain, pdep, avx2) == ("True", "False", "False")
    assert Path(folder) != _jit.CACHE_FOLDER
    assert _jit.PLAIN or run_python("-c", PATH, plain="0").splitlines()[3] == str(_jit.CACHE_FOLDER)
