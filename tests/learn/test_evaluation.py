"""Evaluations of a network in training, and their CSV."""

import csv

from twofold.learn.curve import COLUMNS, Evaluation, Measured, evaluations_csv

FIRST = Evaluation(0, 10, 1.5, 0.0, Measured(1234.5, None, {"14000.txt": 0.75}))
SECOND = Evaluation(5, 99, 2.5, 800.5, Measured(None, None, {"24000.txt": 0.5, "14000.txt": 1.0}))


def test_figures_in_a_line() -> None:
    assert str(FIRST.measured) == "mean 1,234, 14000.txt 75.0%"
    assert str(SECOND.measured) == "24000.txt 50.0%, 14000.txt 100.0%"
    assert str(Measured(272_665.4, 12_736.6, {})) == "mean 272,665 ± 12,737"


def test_evaluations_as_csv() -> None:
    rows = list(csv.reader(evaluations_csv([FIRST, SECOND]).splitlines()))
    assert rows == [
        [*COLUMNS, "survival 14000.txt", "survival 24000.txt"],
        ["0", "10", "1.5", "0.0", "1234.5", "", "0.75", ""],
        ["5", "99", "2.5", "800.5", "", "", "1.0", "0.5"],
    ]


def test_names_of_boards_are_escaped_and_prefixed() -> None:
    measured = Measured(5.0, None, {"mean": 0.5, "a\n\x1b[2J": 1.0})
    header, row = csv.reader(evaluations_csv([Evaluation(1, 2, 3, 4, measured)]).splitlines())
    assert header == [*COLUMNS, "survival mean", "survival a\\n\\x1b[2J"]
    assert row == ["1", "2", "3", "4", "5.0", "", "0.5", "1.0"]
    assert str(measured) == "mean 5.0, mean 50.0%, a\\n\\x1b[2J 100.0%"
