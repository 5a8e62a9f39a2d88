"""No file and no request runs code: every reader, every kind of player that runs code."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.attacks.code_readers import READERS, kinds


@pytest.mark.promise("R60")
def test_only_the_owner_runs_code(tmp_path: Path, figure: Callable[[str], None]) -> None:
    """In one fresh process, as its imports take longer than all readers; the owner comes last."""
    known = len(kinds(tmp_path))
    done = subprocess.run(
        [sys.executable, "-m", "tests.attacks.code_readers", str(tmp_path)],
        env=os.environ | {"TWOFOLD_STATE_DIR": str(tmp_path / "state")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    others = dict.fromkeys([*READERS][:-1], 0)
    assert json.loads(done.stdout) == others | {"the owner": known}
    figure(f"{known} kinds of code, run {known} times by the owner and never by {len(others)} more")
