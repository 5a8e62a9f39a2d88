"""The pages for users: their Python runs, their commands exist, their links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest

from tests.support.commands import Cli
from tests.support.commands import cli as cli  # a fixture
from tests.support.pages import ROOT, blocks

PAGES = ["README.md", *sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "docs").rglob("*.md")
    if "_build" not in path.parts
)]  # fmt: skip
OF_OTHERS = {"curl", "docker", "duckdb", "pipx", "sqlite3", "uvx"}
"""Programs that pages use and that are not ours."""
NEEDS_A_FILE = {"docs/reference/tdl-files.md"}
"""Its Python reads weights of another program; `networks/test_tdl_format.py` calls the same."""
BEFORE = {"docs/reference/exact-tables.md": "solve --rules 2x3 --out 2x3.table"}
"""What is run before the Python of a page."""


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "python") and page not in NEEDS_A_FILE]
)
def test_the_python_on_a_page_runs(
    page: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if page in BEFORE:
        assert cli(*shlex.split(BEFORE[page])).code == 0
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks(page, "python"):
        # Numba reads the source of what it compiles, so it has to be in a file.
        path = tmp_path / f"block{len(names)}.py"
        path.write_text(block, encoding="utf-8")
        exec(compile(block, path, "exec"), names)  # noqa: S102


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")])
def test_the_commands_on_a_page_exist(page: str, cli: Cli) -> None:
    lines = [line for block in blocks(page, "console") for line in block.splitlines()]
    commands = [line[2:].partition(" #")[0] for line in lines if line.startswith("$ ")]
    for words in map(shlex.split, commands):
        if words[0] == "twofold":
            result = cli(*words[1:], "--help")
            assert result.code == 0, (words, result.err)
        elif words[0].startswith("scripts/"):
            assert (ROOT / words[0]).is_file()
        elif words[0] == "python":
            assert (ROOT / words[1]).is_file()
        else:
            assert words[0] in OF_OTHERS or words[:2] == ["pip", "install"]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = [target for target in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in target]
    missing = [target for target in targets if not ((ROOT / page).parent / target).exists()]
    assert missing == []
