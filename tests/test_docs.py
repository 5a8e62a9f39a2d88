"""The pages for users: their Python runs, their commands exist, their links lead somewhere."""

import importlib.util
import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.commands import Cli
from tests.support.commands import cli as cli  # a fixture
from tests.support.pages import ROOT, blocks, powershell_faults
from twofold.version import __version__

PAGES = ["README.md", *sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "docs").rglob("*.md")
    if "_build" not in path.parts
)]  # fmt: skip
OF_OTHERS = {"cat", "curl", "docker", "duckdb", "jq", "pipx", "ray", "sqlite3", "uvx"}
"""Programs that pages use and that are not ours."""
NEEDS_A_FILE = {"docs/reference/tdl-files.md"}
"""Its Python reads weights of another program; `networks/test_tdl_format.py` calls the same."""
REFERENCE = sorted(page for page in PAGES if page.startswith("docs/reference/"))
AUTO = re.compile(
    r"^\.\. auto(module|class|function):: (\S+)\n(?:   :members: (.*))?", re.MULTILINE
)
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
def test_the_commands_on_a_page_exist_and_work_in_powershell_too(page: str, cli: Cli) -> None:
    lines = [line for block in blocks(page, "console") for line in block.splitlines()]
    typed = [line[2:].partition(" #")[0] for line in lines if line.startswith("$ ")]
    commands = [command for line in typed for command in line.split(" | ")]
    ours = [line[2:] for line in lines if re.match(r"\$ .*\b(twofold|pip)\b", line)]
    assert not {line: faults for line in ours if (faults := powershell_faults(line))}
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


@pytest.mark.parametrize("page", [*PAGES, "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = [target for target in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in target]
    missing = [target for target in targets if not ((ROOT / page).parent / target).exists()]
    assert missing == []


def documented(page: str) -> list[tuple[str, str, list[str]]]:
    """Each directive of a page: its kind, what it documents, the members it names."""
    found = AUTO.findall((ROOT / page).read_text(encoding="utf-8"))
    return [(kind, name, re.findall(r"\w+", members)) for kind, name, members in found]


@pytest.mark.parametrize("page", [page for page in REFERENCE if documented(page)])
def test_a_reference_page_names_what_there_is_and_has_an_example_that_is_run(page: str) -> None:
    modules = [name if kind == "module" else name.rpartition(".")[0]
               for kind, name, _ in documented(page)]  # fmt: skip
    for kind, name, members in documented(page):
        if kind == "module" and members:
            module = importlib.import_module(name)
            assert [member for member in members if not hasattr(module, member)] == []
    specs = map(importlib.util.find_spec, modules)  # an extra may not be installed
    paths = [Path(spec.origin) for spec in specs if spec is not None and spec.origin]
    shown = "{literalinclude} ../../examples/" in (ROOT / page).read_text(encoding="utf-8")
    assert (
        shown or blocks(page, "python") or any(">>> " in path.read_text("utf-8") for path in paths)
    )


def test_the_citation_agrees_with_the_project() -> None:
    """Source: the Citation File Format, version 1.2."""
    citation: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert citation["version"] == __version__
    for said, told in (("title", "name"), ("abstract", "description")):
        assert citation[said] == project[told]
    for same in ("license", "keywords", "authors"):
        assert citation[same] == project[same]


def test_the_tables_of_the_league_are_those_of_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    rows, league = map(importlib.import_module, ("league_rows", "league"))
    page = league.PAGE.read_text(encoding="utf-8")
    tables = page.partition(league.BEGIN)[2].partition(league.END)[0]
    assert tables == "\n".join(["", "", *league.page_parts(rows.read_rows()), ""])
