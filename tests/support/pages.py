"""The pages for users."""

import re
from pathlib import Path

from tests.support.commands import cli as cli

ROOT = Path(__file__).parent.parent.parent


def blocks(page: str, language: str) -> list[str]:
    """The contents of the code blocks of a language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
