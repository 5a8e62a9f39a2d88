"""Our pytest options do what they say, in one process and in several."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SUITE = """
import pytest

@pytest.mark.promise("R40")
def test_kept(figure):
    figure("3 of 3")

@pytest.mark.long
def test_slow(): pass

def test_skipped(): pytest.skip("no such thing here")

@pytest.mark.xfail
def test_known(): assert False
"""


def run_suite(folder: Path, *options: str, ci: bool) -> str:
    """Run SUITE under our conftest, with the plugins it needs, and return what pytest printed."""
    (folder / "tests").mkdir()
    (folder / "tests" / "support").mkdir()
    for name in ("__init__.py", "conftest.py", "support/__init__.py", "support/promises.py"):
        (folder / "tests" / name).write_bytes((ROOT / "tests" / name).read_bytes())
    (folder / "docs").mkdir()
    (folder / "docs" / "promises.md").write_text("| R40 | a | b | `c` |\n")
    (folder / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    (folder / "tests" / "test_suite.py").write_text(SUITE)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    clean["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # importing all that is installed takes a while
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-p",
            "xdist",
            "--color=no",
            *options,
        ],
        cwd=folder,
        env=clean | {"CI": "true" if ci else ""},
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout


@pytest.mark.parametrize("workers", ["0", "1"])
def test_ci_allows_no_skip(tmp_path: Path, workers: str) -> None:
    output = run_suite(tmp_path, "-n", workers, "--report", ci=True)
    assert "CI allows no skip and no expected failure: Skipped: no such thing here" in output
    assert "2 failed, 1 passed" in output
    assert "R40  kept (1)         3 of 3" in output


def test_elsewhere_a_skip_is_a_skip_and_long_tests_are_left_out(tmp_path: Path) -> None:
    output = run_suite(tmp_path, ci=False)
    assert "1 passed, 1 skipped, 1 deselected, 1 xfailed" in output


@pytest.mark.parametrize("option", ["--long", "-mlong"])
def test_long_tests_on_request(tmp_path: Path, option: str) -> None:
    output = run_suite(tmp_path, option, "-k", "slow", ci=False)
    assert "1 passed" in output
