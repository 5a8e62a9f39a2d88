"""Commands where a system lacks the functions of POSIX, as Windows does."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import Cli
from twofold.cli import COMMANDS

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOT_IN_POWERSHELL = {
    "reads a file by <": r" < ",
    "joins commands": r"&&|\|\|",
    "goes on in the next line": r"\\$",
    "has text of its own": r"<<",
    "sets a variable": r"^[A-Z_]+=",
    "has quotes inside a word": r"[^\s'\"=]+[=:]'[^']*'|[^\s'\"]=\"",
    "has a caret": r"\^",
}
"""What a line of an example may not do: PowerShell reads it otherwise than bash."""
SCRIPT = Path(__file__).parent.parent / "support" / "without_posix.py"


def test_commands_need_no_function_of_posix(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path)],
        capture_output=True,
        check=False,
        text=True,
        timeout=600,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def examples(text: str) -> Iterator[str]:
    """The lines of a page that run twofold or install it."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        lines = re.findall(r"^\$ (.*)", block, re.MULTILINE)
        yield from (line for line in lines if re.search(r"\b(twofold|pip)\b", line))


def faults(line: str) -> list[str]:
    return [fault for fault, pattern in NOT_IN_POWERSHELL.items() if re.search(pattern, line)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_of_pages_work_in_powershell(page: Path) -> None:
    found = {line: faults(line) for line in examples(page.read_text(encoding="utf-8"))}
    assert not {line: fault for line, fault in found.items() if fault}


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_of_the_help_work_in_powershell(cli: Cli, command: str) -> None:
    lines = cli(command, "--help").out.partition("Example:")[2].splitlines()
    assert not [line for line in lines if line.startswith("    twofold") and faults(line)]
