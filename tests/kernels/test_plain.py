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
    """What a new interpreter prints; its warnings are errors."""
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
    assert len(expected) > (120 if words else 10)
    assert plain["lines"] == expected
    figure(f"plain path: the signature and {len(expected) - 1} parts equal")


def test_the_plain_path_has_no_special_instructions() -> None:
    program = (
        "from twofold.kernels import _jit, intrinsics as i;"
        "print(i._PDEP, _jit.has_feature('bmi2'), _jit.CACHE_FOLDER)"
    )
    *found, folder = run_python("-c", program, TWOFOLD_PLAIN="1").split()
    assert found == ["False", "False"]
    assert _jit.CACHE_FOLDER is not None
    assert Path(folder).name != _jit.CACHE_FOLDER.name
    *_, same = run_python("-c", program, TWOFOLD_PLAIN="0").split()
    assert _jit.PLAIN or Path(same) == _jit.CACHE_FOLDER


def test_the_nth_set_bit_of_the_plain_path() -> None:
    words = [0x1, 0x8000_0000_0000_0001, 0x1111_0101_1010_1111, 2**64 - 1]
    program = (
        "import numpy as np; from twofold.kernels.intrinsics import nth_set_bit as f;"
        f"print(*(int(f(np.uint64(w), n)) for w in {words} for n in range(w.bit_count())))"
    )
    found = [int(part) for part in run_python("-c", program, TWOFOLD_PLAIN="1").split()]
    assert found == [
        int(intrinsics.nth_set_bit(np.uint64(word), n))
        for word in words
        for n in range(word.bit_count())
    ]
