"""Import paths that users have from before the rooms; `test_docs.py` runs those of the pages."""

import ast
import importlib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from twofold._moved import MOVED
from twofold.errors import MissingExtra

ROOT = Path(__file__).parents[1]
OUTSIDE = ("docs", "benchmarks", "examples")


@pytest.mark.parametrize("path", MOVED)
def test_a_moved_path_is_the_module_itself(path: str) -> None:
    home = importlib.import_module(f"twofold.{MOVED[path]}")
    assert importlib.import_module(f"twofold.{path}") is home
    assert home.__spec__ is not None
    assert home.__spec__.name == home.__name__ == f"twofold.{MOVED[path]}"


def test_old_paths_are_found_in_a_new_process() -> None:
    code = (
        "import twofold.exact.table, twofold.reference; from twofold import reference\n"
        "from twofold.evaluators.explain import explain\n"
        "import twofold.nothing"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'twofold.nothing'"


def test_what_is_not_in_the_package_imports_what_is_there() -> None:
    """Pages, benchmarks and examples are not type-checked, and run seldom."""
    missing = []
    for path in (path for folder in OUTSIDE for path in sorted((ROOT / folder).glob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("twofold"):
                try:
                    home = importlib.import_module(node.module or "")
                except MissingExtra:
                    continue
                names = [one.name for one in node.names]
                lost = [
                    name
                    for name in names
                    if not hasattr(home, name) and not find_spec(f"{node.module}.{name}")
                ]
                missing += [f"{path.name}: {node.module}.{name}" for name in lost]
    assert missing == []
