"""R64: sizes that a file states are checked before anything is allocated or looped over."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import twofold
from tests.attacks.sizes import ATTACKS, UNREADABLE, Attack, attempt, readers

pytestmark = [
    pytest.mark.promise("R64"),
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc"),
]
SECONDS = 1.0  # of the processor
BYTES = 64 * 2**20


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What came of each attack, all in one process of their own."""
    paths = [Path(__file__).parents[2], Path(twofold.__file__).parents[1]]
    result = subprocess.run(
        [sys.executable, "-m", "tests.attacks.sizes", tmp_path_factory.mktemp("sizes")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        check=True,
        capture_output=True,
        timeout=300,
    )
    told = json.loads(result.stdout)
    return {attack.name: one for attack, one in zip(ATTACKS, told, strict=True)}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_it_takes_little(attack: Attack, found: dict[str, dict[str, Any]]) -> None:
    told = found[attack.name]
    if attack.error:
        assert re.search(attack.error, told["said"])
        assert told["said"].isprintable()
    else:
        assert told["said"] == ""
    assert told["seconds"] < SECONDS
    assert told["bytes"] < BYTES


def test_the_table_is_of_distinct_attacks(
    found: dict[str, dict[str, Any]], figure: Callable[[str], None]
) -> None:
    assert len(found) == len(ATTACKS)
    most, longest = (max(one[key] for one in found.values()) for key in ("bytes", "seconds"))
    figure(f"{len(ATTACKS)} files: {longest:.1f} s and {most / 2**20:.0f} MB at most")


def test_a_file_that_cannot_be_read_is_an_error_of_ours() -> None:
    for name, reader in readers().items():
        assert "cannot read '/proc/" in attempt(reader, Path(UNREADABLE)), name
