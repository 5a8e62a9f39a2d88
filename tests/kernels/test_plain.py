"""Without the processor's special instructions the kernels compute the same."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.kernels import digest
from twofold.kernels import COMPILING, _jit

ROOT = Path(__file__).parents[2]


def run_python(*arguments: str, **variables: str) -> str:
    """The output of a new interpreter, with warnings as errors."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | variables
    command = [sys.executable, "-W", "error", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr in ("", f"twofold: {COMPILING}\n")
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
    assert plain["instructions"] == {"pdep": False, "bmi2": False}
    assert _jit.CACHE_FOLDER is not None
    assert Path(plain["folder"]).name != _jit.CACHE_FOLDER.name
    expected = list(lines())
    assert len(expected) > 50
    assert plain["lines"] == expected
    figure(f"plain path: {len(expected)} games and parts{' and the signature' * len(words)} equal")


def test_a_setting_of_zero_is_none() -> None:
    program = "from twofold.kernels import _jit; print(_jit.CACHE_FOLDER)"
    same = run_python("-c", program, TWOFOLD_PLAIN="0").strip()
    assert _jit.PLAIN or Path(same) == _jit.CACHE_FOLDER
