"""Our pytest options do what they say, in one process and in several."""

import os
import subprocess
import sys
from pathlib import Path

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
    for name in ("tests/support", "docs"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name in ("__init__.py", "conftest.py", "support/__init__.py", "support/promises.py"):
        (folder / "tests" / name).write_bytes((ROOT / "tests" / name).read_bytes())
    (folder / "docs" / "promises.md").write_text("| R40 | a | b | `c` |\n")
    (folder / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    (folder / "tests" / "test_suite.py").write_text(SUITE)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    clean["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # importing all that is installed takes a while
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "xdist", "--color=no"]
    done = subprocess.run(
        [*words, *options],
        cwd=folder,
        env=clean | {"CI": "true" if ci else ""},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout


def test_ci_allows_no_skip_and_a_worker_reports_as_one_process_does(tmp_path: Path) -> None:
    output = run_suite(tmp_path, "-n", "1", "--report", ci=True)
    assert "CI allows no skip and no expected failure: Skipped: no such thing here" in output
    assert "2 failed, 1 passed" in output  # the long one is left out
    assert "R40  kept (1)         3 of 3" in output


def test_elsewhere_a_skip_is_a_skip_and_long_tests_run_on_request(tmp_path: Path) -> None:
    output = run_suite(tmp_path, "--long", ci=False)
    assert "2 passed, 1 skipped, 1 xfailed" in output
