"""The list of promises and the tests that keep them name each other."""

import pytest

from tests.support.promises import find_marks, read_promises


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
