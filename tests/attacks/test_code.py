"""No file and no request runs code: every reader, every kind of player that runs code."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.attacks.code_readers import READERS, kinds

PROCESSES = [sorted(READERS.keys() - {"the owner"}), ["the owner"]]
"""Which readers share a fresh process: its start takes longer than they do."""


def runs(folder: Path, readers: list[str]) -> dict[str, int]:
    """Have readers read hostile files in a fresh process; how often each ran their code."""
    words = [sys.executable, "-m", "tests.attacks.code_readers", str(folder), *readers]
    environment = os.environ | {"TWOFOLD_STATE_DIR": str(folder / "state")}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout)
    return found


@pytest.mark.promise("R60")
@pytest.mark.parametrize("readers", PROCESSES, ids=["others", "the owner"])
def test_only_the_owner_runs_code(
    readers: list[str], tmp_path: Path, figure: Callable[[str], None]
) -> None:
    known = len(kinds(tmp_path))
    expected = {reader: known if reader == "the owner" else 0 for reader in readers}
    assert runs(tmp_path, readers) == expected
    figure(f"{', '.join(readers)}: {known} kinds of code, {sum(expected.values())} executions")


def test_every_reader_is_tried() -> None:
    assert sorted(reader for readers in PROCESSES for reader in readers) == sorted(READERS)
