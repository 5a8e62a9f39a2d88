"""What the package imports: declared packages, and Numba only when needed.

That it imports nothing which can run a file's content, Ruff checks.
"""

import ast
import importlib
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import twofold
from twofold._moved import MOVED
from twofold.errors import MissingExtra

PACKAGE = Path(__file__).parent.parent / "src" / "twofold"
PUBLIC = """
    Analysis Board Budget Game Move MoveAnalysis Player Record Rules Slide Spawn Status Stop
    __version__ analyse bench compare load_game make_player play_game review_game save_game solve
    train
"""
OUTSIDE = ("docs", "benchmarks", "examples")
EXTRAS = ("browser", "env", "policy", "ray", "report", "sb3", "share", "tui", "tune", "web")
PART_OF_OTHERS = {"anyio", "h11", "llvmlite", "tensorboard"}
"""Starlette, Uvicorn and Numba need the first three; the last is used where it is there."""


def test_starts_without_the_heavy_libraries() -> None:
    """Numba takes half a second to import; a program that compiles nothing need not wait."""
    script = """
import sys, types
sys.modules["gymnasium"] = types.ModuleType("gymnasium")  # a broken one
import twofold, twofold.cli
def check(*heavy):
    assert not set(heavy) & set(sys.modules), set(heavy) & set(sys.modules)
try:
    twofold.cli.main(["--help"])
except SystemExit:
    check("numpy", "numba", "scipy", "rich", "platformdirs")
twofold.Game(twofold.Rules.parse('3x4 goal=512'), seed=1)
check("numba", "scipy")
print("done")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.endswith("done\n"), done.stderr


@pytest.mark.promise("R40")
def test_public_names_are_exported_on_purpose() -> None:
    assert sorted(twofold.__all__) == PUBLIC.split()
    assert set(twofold.__all__) <= set(dir(twofold))
    assert all(hasattr(twofold, name) for name in twofold.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        twofold.no_such_name  # noqa: B018


def test_a_command_imports_nothing_before_it_catches_ctrl_c() -> None:
    """A Ctrl-C during an import shows a traceback, and Python's own start is long enough."""
    source = str(Path(twofold.__file__).parent.parent)
    program = (
        f"import sys; sys.path.insert(0, {source!r}); before = set(sys.modules)\n"
        "import twofold.__main__; print(*sorted(sys.modules.keys() - before))"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    expected = ["twofold", "twofold.__main__", "twofold._moved", "twofold.version"]
    assert found.stdout.split() == expected


def imported_packages(tree: ast.Module) -> Iterator[str]:
    """The packages that a module imports, at its top or later."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ImportFrom(module=str(module)):
                yield module.partition(".")[0]


def test_every_imported_package_is_declared() -> None:
    """Tests run with more packages than users have; `pyproject.toml` has to name them all."""
    project = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    users = [*project["dependencies"], *(need for extra in EXTRAS for need in extras[extra])]
    declared = {need.partition(">")[0] for need in users} | PART_OF_OTHERS
    names = {"pillow": "PIL"}
    trees = [ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")]
    found = {name for tree in trees for name in imported_packages(tree)}
    known = (
        {names.get(name, name.replace("-", "_")) for name in declared}
        | {"twofold"}
        | sys.stdlib_module_names
    )
    assert found - known == set()


# ---- import paths that users have from before the rooms


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
    for path in (
        path for folder in OUTSIDE for path in sorted((PACKAGE.parents[1] / folder).glob("*.py"))
    ):
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
