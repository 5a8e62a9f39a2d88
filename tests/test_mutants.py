"""The mutants fit the code; `scripts/mutants` runs them."""

from tests.mutants.run import find_faults


def test_each_mutant_fits_the_code_and_names_tests() -> None:
    assert find_faults() == []
