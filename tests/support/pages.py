"""The pages for users."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
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


def blocks(page: str, language: str) -> list[str]:
    """The contents of the code blocks of a language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def powershell_faults(line: str) -> list[str]:
    """Why a command line does something else in PowerShell."""
    return [fault for fault, pattern in NOT_IN_POWERSHELL.items() if re.search(pattern, line)]
