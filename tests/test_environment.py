"""R32: the environment changes no result."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import twofold
from twofold.version import SIGNATURE

PRINT_DIGEST = "from twofold.cli.selftest import signature; print(signature())"


def run(code: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "PYTHONPATH": str(Path(twofold.__file__).parents[1]), **environment},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )


SETTINGS = {
    "PYTHONHASHSEED": "4242",
    "TZ": "Pacific/Kiritimati",
    "LC_ALL": "C",
    "LANG": "tr_TR.UTF-8",
    "PYTHONUTF8": "0",
}


@pytest.mark.promise("R32")
def test_settings_change_no_result(tmp_path: Path) -> None:
    """The signature on record is that of machines with other settings."""
    folder = tmp_path / "a folder with spaces"
    folder.mkdir()
    assert int(run(PRINT_DIGEST, cwd=folder, **SETTINGS).stdout) == SIGNATURE


@pytest.mark.promise("R32")
def test_without_a_writable_cache_kernels_are_kept_for_the_run(tmp_path: Path) -> None:
    """Root can write anywhere: a file in the folder's place stands for a read-only home."""
    blocked = tmp_path / "home"
    blocked.write_text("not a folder")
    code = (
        "import numpy as np\n"
        "from twofold.kernels.play import dice\n"
        "from twofold.kernels._jit import CACHE_FOLDER\n"
        "print(f'{dice(np.uint64(1234567), np.uint64(0)):x}', CACHE_FOLDER)"
    )
    result = run(code, TWOFOLD_CACHE_DIR=str(blocked))
    assert result.stdout.split() == ["599ed017fb08fc85", "None"]
    expected = f"twofold: {blocked} is not writable; compiled kernels are kept for this run only\n"
    assert result.stderr == expected
