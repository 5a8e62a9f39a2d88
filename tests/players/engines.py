"""Engines for tests: the example, and one with a chosen fault; as commands and as specs."""

import json
import os
import sys
import time
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "engine.py"
ROGUE = Path(__file__).with_name("rogue_engine.py")
ALONE = [sys.executable, "-I", "-S"]
"""Python without packages, which starts in a tenth of the time."""
EXAMPLE_WORDS = [*ALONE, str(EXAMPLE)]
EXAMPLE_SPEC = f"engine:cmd={json.dumps(' '.join(EXAMPLE_WORDS))}"


def rogue(mode: str, file: Path | None = None) -> list[str]:
    """The command of an engine that does one thing wrong."""
    return [*ALONE, str(ROGUE), mode, *([] if file is None else [str(file)])]


def is_alive(process: int) -> bool:
    """True if a process exists and has not ended."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def wait_until_gone(processes: list[int]) -> None:
    """Wait for the end of processes."""
    until = time.monotonic() + 60.0
    while alive := [one for one in processes if is_alive(one)]:
        assert time.monotonic() < until, f"still there: {alive}"
        time.sleep(0.02)
