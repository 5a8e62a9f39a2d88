"""The list of promises and the tests that keep them name each other."""

from pathlib import Path

import pytest

from tests.support.promises import (
    Tally,
    find_marks,
    format_report,
    parse_marks,
    parse_promises,
    read_promises,
)

TABLE = "| id | promise | figure | test |\n|---|---|---|---|\n"


@pytest.mark.promise("R40")
def test_every_promise_has_a_test_and_every_mark_a_promise() -> None:
    promises, marks = set(read_promises()), set(find_marks())
    assert sorted(promises - marks) == [], "promises that no test keeps"
    assert sorted(marks - promises) == [], "marks that docs/promises.md does not list"


@pytest.mark.promise("R40")
def test_each_row_names_files_that_carry_its_mark() -> None:
    marks = find_marks()
    wrong = {
        name: f"names {promise.tests}, marked are {sorted(marks.get(name, ()))}"
        for name, promise in read_promises().items()
        if not promise.tests or not set(promise.tests) <= marks.get(name, set())
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("| R1 | rows | 3 |", "four filled cells"),
        ("| R1 | rows |  | `t` |", "four filled cells"),
        ("| R1 | a | b | `t` |\n| R1 | a | b | `t` |", "each id once"),
    ],
)
def test_parse_promises_refuses(rows: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_promises(TABLE + rows)


def test_parse_marks() -> None:
    source = """
import pytest
pytestmark = [pytest.mark.promise("R1"), pytest.mark.long]
@pytest.mark.promise("R2", "R3")
def test(): "pytest.mark.promise('R9')"
"""
    assert sorted(parse_marks(source)) == ["R1", "R2", "R3"]


def test_find_marks(tmp_path: Path) -> None:
    folder = tmp_path / "tests"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "test_a.py").write_text("x = pytest.mark.promise('R1')")
    (folder / "helper.py").write_text("x = pytest.mark.promise('R2')")
    assert find_marks(folder) == {"R1": {"tests/deep/test_a.py"}}


def report(nodeid: str, outcome: str, *properties: tuple[str, str]) -> pytest.TestReport:
    passed = outcome == "passed"
    return pytest.TestReport(
        nodeid,
        ("", None, ""),
        {},
        "passed" if passed else "failed",
        None,
        "call",
        user_properties=properties,
    )


def test_report_counts_tests_and_shows_figures() -> None:
    promises = parse_promises(
        TABLE + "| R1 | a | of old | `t` |\n| R2 | b | 7 | `t` |\n| R3 | c | 8 | `t` |\n"
    )
    tally = Tally()
    tally.pytest_runtest_logreport(report("a", "passed", ("promise", "R1"), ("figure", "0 of 9")))
    tally.pytest_runtest_logreport(report("b", "passed", ("promise", "R1"), ("promise", "R2")))
    tally.pytest_runtest_logreport(report("c", "failed", ("promise", "R2")))
    assert format_report(promises, tally) == [
        "id  verdict (tests)  figure",
        "R1  kept (2)         0 of 9",
        "R2  broken (1 of 2)  promised: 7",
        "R3  not run          promised: 8",
    ]
