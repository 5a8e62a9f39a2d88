"""Import paths that users have: those of the documentation, and those before the rooms."""

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

PATHS = {
    "twofold": "Board Budget Game Move Player Record Rules Stop analyse bench compare load_game "
    "make_player play_game review_game save_game solve train",
    "twofold.arena": "Bench Fates SeedRange Study bands parse_boards summarise",
    "twofold.arena.pairs": "paired_interval",
    "twofold.arena.stats": "mean_interval",
    "twofold.arena.tuning.tune": "TuningSettings tune",
    "twofold.endgame.library": "open_tables",
    "twofold.engine.lines": "Go Identity SetPosition",
    "twofold.engine.player": "EnginePlayer",
    "twofold.env": "Afterstates Env2048 VectorEnv2048",
    "twofold.env.vector": "VectorEnv2048",
    "twofold.errors": "InvalidInput TwofoldError",
    "twofold.evaluators": "compiled find_evaluator simple_evaluator",
    "twofold.evaluators.explain": "explain",
    "twofold.exact": "ExactObjective ExactTable Problem solve",
    "twofold.learn.rules": "decay learning_rule",
    "twofold.learn.settings": "TrainingSettings parse_schedule",
    "twofold.learn.training": "Training",
    "twofold.limits": "MAX_PLY",
    "twofold.networks.policy": "probabilities",
    "twofold.networks.policy_file": "load_policy named_policy",
    "twofold.networks.tdl_format": "read_tdl write_tdl",
    "twofold.notebook": "replay show",
    "twofold.players": "Player make_player play_game",
    "twofold.players.faults": "describe note_source",
    "twofold.records.foreign.boards": "format_hex parse_hex",
    "twofold.records.formats": "format_game parse_any_record parse_position",
    "twofold.reference": "slide",
    "twofold.review.review": "judge review",
    "twofold.search.budget": "Budget Stop",
}


@pytest.mark.parametrize("path", PATHS)
def test_the_names_of_the_documentation_are_there(path: str) -> None:
    module = importlib.import_module(path)
    for name in PATHS[path].split():
        assert hasattr(module, name), f"{path} has no {name}"


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
