"""R5: behaviour has a signature, the same on every path through the code."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import twofold
from twofold import selftest
from twofold.board import Board

SIGNATURE = 16409594298629586700
"""Changes with behaviour only: rewrite it in the commit that changes behaviour, and say so."""

PRINT_SIGNATURE = "from twofold.selftest import signature; print(signature())"


def signature_in_a_process(**environment: str) -> int:
    result = subprocess.run(
        [sys.executable, "-c", PRINT_SIGNATURE],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return int(result.stdout)


@pytest.mark.promise("R5")
def test_the_signature_is_the_one_on_record(figure: Callable[[str], None]) -> None:
    assert selftest.signature() == SIGNATURE
    figure(str(SIGNATURE))


@pytest.mark.promise("R5")
def test_kernels_and_reference_have_the_same_digest_of_games() -> None:
    assert selftest.games_digest() == selftest.games_digest(selftest.play_by_reference)


@pytest.mark.promise("R5")
def test_two_threads_have_the_signature_of_one() -> None:
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(selftest.signature())) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [SIGNATURE, SIGNATURE]


@pytest.mark.promise("R5")
def test_the_plain_path_and_a_cold_cache_have_the_same_signature(tmp_path: Path) -> None:
    assert signature_in_a_process(TWOFOLD_PLAIN="1", TWOFOLD_CACHE_DIR=str(tmp_path)) == SIGNATURE


@pytest.mark.promise("R5")
def test_an_edited_callee_changes_its_callers(tmp_path: Path) -> None:
    """Numba's own cache would serve the old code of `play`: it looks at one file only."""
    package = tmp_path / "src" / "twofold"
    shutil.copytree(Path(twofold.__file__).parent, package)
    show = (
        "import numpy as np\n"
        "from twofold.kernels.policies import random_legal\n"
        "print(random_legal(15, np.uint64(0)))"
    )

    def run() -> str:
        environment = {
            **os.environ,
            "PYTHONPATH": str(package.parent),
            "TWOFOLD_CACHE_DIR": str(tmp_path / "cache"),
        }
        command = [sys.executable, "-c", show]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=300
        ).stdout.strip()

    assert run() == "0"
    callee = package / "kernels" / "intrinsics.py"
    text = callee.read_text()
    for line in ("return _pdep(np.uint64(1) << np.uint64(n), mask)", "for _ in range(n):"):
        assert line in text
    text = text.replace("np.uint64(1) << np.uint64(n), mask", "np.uint64(2) << np.uint64(n), mask")
    callee.write_text(text.replace("for _ in range(n):", "for _ in range(n + 1):"))
    assert run() == "1"


def test_every_check_of_the_selftest_passes() -> None:
    result = selftest.run_selftest()
    assert [check for check in result.checks if not check.ok] == []
    assert result.signature == SIGNATURE


def test_the_digest_depends_on_values_and_order() -> None:
    assert selftest.digest([1, 2]) != selftest.digest([2, 1])
    assert selftest.digest([0]) != selftest.digest([0, 0])


def test_another_move_would_change_the_signature() -> None:
    def last_legal(_spec: str, board: Board) -> twofold.Move:
        return board.legal_moves()[-1]

    assert selftest.searches_digest(last_legal) != selftest.searches_digest()
