"""The whole suite on a machine that has other things to do."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Processes that take all the time they can get, while a block runs."""
    command = [sys.executable, "-I", "-S", "-c", "while True: pass"]
    processes = [subprocess.Popen(command) for _ in range(loops)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.promise("R42")
@pytest.mark.long
@pytest.mark.parametrize(("loops", "times"), [(2, 3), (4, 1)])
def test_the_suite_passes_beside_others(
    loops: int, times: int, figure: Callable[[str], None]
) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["--dist=worksteal", "--numprocesses", str((os.cpu_count() or 1) + 1)]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    for _ in range(times):
        with busy(loops):
            done = subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    figure(f"{loops} busy loops, {times} times: 0 failures")
