"""Without the processor's special instructions the kernels compute the same."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

from tests.kernels import digest
from twofold.kernels import _jit, intrinsics

ROOT = Path(__file__).parents[2]


def run_python(*arguments: str, **variables: str) -> str:
    """The output of a new interpreter, with warnings as errors."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | variables
    command = [sys.executable, "-W", "error", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.promise("R5")
@pytest.mark.parametrize(
    ("words", "lines"),
    [
        pytest.param([], digest.few_lines, id="ci"),
        pytest.param(["all"], digest.all_lines, id="long", marks=pytest.mark.long),
    ],
)
def test_the_plain_path_computes_the_same(
    words: list[str], lines: Callable[[], Iterable[str]], figure: Callable[[str], None]
) -> None:
    plain = json.loads(run_python("-m", "tests.kernels.digest", *words, TWOFOLD_PLAIN="1"))
    assert plain["plain"]
    expected = list(lines())
    assert len(expected) > (120 if words else 50)
    assert plain["lines"] == expected
    figure(f"plain path: {len(expected)} games and parts{' and the signature' * len(words)} equal")


WORDS = [0x1, 0x8000_0000_0000_0001, 0x1111_0101_1010_1111, 2**64 - 1]


@pytest.fixture(scope="module")
def plain() -> list[str]:
    """The results of a process on the plain path: instructions, its folder, the nth set bits."""
    return run_python("-c", SHOWN, TWOFOLD_PLAIN="1").splitlines()


SHOWN = f"""
import numpy as np
from twofold.kernels import _jit, intrinsics as i
print(i._PDEP, _jit.has_feature("bmi2"))
print(_jit.CACHE_FOLDER)
print(*(int(i.nth_set_bit(np.uint64(w), n)) for w in {WORDS} for n in range(w.bit_count())))
"""


def test_the_plain_path_has_no_special_instructions(plain: list[str]) -> None:
    instructions, folder, _ = plain
    assert instructions == "False False"
    assert _jit.CACHE_FOLDER is not None
    assert Path(folder).name != _jit.CACHE_FOLDER.name
    program = "from twofold.kernels import _jit; print(_jit.CACHE_FOLDER)"
    same = run_python("-c", program, TWOFOLD_PLAIN="0").strip()
    assert _jit.PLAIN or Path(same) == _jit.CACHE_FOLDER


def test_the_nth_set_bit_of_the_plain_path(plain: list[str]) -> None:
    assert [int(part) for part in plain[2].split()] == [
        int(intrinsics.nth_set_bit(np.uint64(word), n))
        for word in WORDS
        for n in range(word.bit_count())
    ]
