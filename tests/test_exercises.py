"""The checks of the exercises accept right solutions and refuse wrong ones."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
CHECK = ROOT / "examples" / "exercises" / "check.py"
RIGHT = ROOT / "tests" / "support" / "solutions.py"
WRONG = {  # exercise: what is replaced in the right solution, by what, and what is said
    1: ("tile += found.pop(0)", "tile += found[0]", "slide_row("),
    2: ("(2, 0.9), (4, 0.1)", "(2, 0.5), (4, 0.5)", "spawns("),
    3: ("- 20.0 *", "+ 20.0 *", "expected a mean above that of greedy"),
    4: ("spawn.probability * search", "search", "search("),
    5: ("games + 1", "2", "expected a mean of 62 points"),
    6: ("** 0.5", "", "the lower end for 2 games"),
}


@pytest.fixture(scope="module")
def checks() -> ModuleType:
    """The program that checks, imported from its file."""
    spec = importlib.util.spec_from_file_location("check", CHECK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("exercise", WRONG)
def test_a_right_solution_passes(checks: ModuleType, exercise: int) -> None:
    assert checks.check(exercise, RIGHT) == "passed"


@pytest.mark.parametrize("exercise", WRONG)
def test_a_wrong_solution_fails_with_the_reason(
    checks: ModuleType, exercise: int, tmp_path: Path
) -> None:
    old, new, said = WRONG[exercise]
    text = RIGHT.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "wrong.py"
    path.write_text(text.replace(old, new), encoding="utf-8")
    found = checks.check(exercise, path)
    assert found.startswith("failed: ")
    assert said in found


MESSAGES = [
    (1, "def slide_row(row):\n    return row.a", "AttributeError: .* \\(mine.py, line 2\\)$"),
    (
        1,
        "def slide(row):\n    return row, 0",
        "expected a function slide_row in mine.py, got none$",
    ),
    (1, "def slide_row(row)\n", "SyntaxError: expected ':' \\(mine.py, line 1\\)$"),
    (2, "def spawns(cells):\n    return {}", "expected the board \\(.*\\), which is missing$"),
    (3, "def value(board):\n    return 1 / 0", "ZeroDivisionError: .* \\(mine.py, line 2\\)$"),
    (5, "def learn(games):\n    return lambda board: 'left'", "Move such as Move.LEFT .* 'left'$"),
]


@pytest.mark.parametrize(("exercise", "text", "said"), MESSAGES)
def test_what_students_often_get_wrong_is_a_short_sentence(
    checks: ModuleType, tmp_path: Path, exercise: int, text: str, said: str
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    found = checks.check(exercise, path)
    assert re.match(f"failed: .*{said}", found), found
    assert len(found) <= 150


@pytest.mark.parametrize(
    ("text", "seconds", "said"),
    [
        ("while True: pass", 0.5, "failed: expected an end within 0.5 s, got none"),
        ("import os; os._exit(0)", 120.0, "failed: the solution ended Python"),
    ],
)
def test_a_solution_that_gives_no_verdict_fails(
    checks: ModuleType, tmp_path: Path, text: str, seconds: float, said: str
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    assert checks.verdict(1, path, seconds) == said
