"""Evaluations of a network in training, and their CSV."""

import csv

from twofold.learn.curve import COLUMNS, Evaluation, Measured, evaluations_csv

FIRST = Evaluation(0, 10, 1.5, 0.0, Measured(1234.5, None, {"mean": 0.75}))
SECOND = Evaluation(5, 99, 2.5, 800.5, Measured(None, None, {"a\n\x1b[2J": 0.5, "mean": 1.0}))


def test_evaluations_in_a_line_and_as_csv() -> None:
    assert str(FIRST.measured) == "mean 1,234, mean 75.0%"
    assert str(SECOND.measured) == "a\\n\\x1b[2J 50.0%, mean 100.0%"
    assert str(Measured(272_665.4, 12_736.6, {})) == "mean 272,665 ± 12,737"
    rows = list(csv.reader(evaluations_csv([FIRST, SECOND]).splitlines()))
    assert rows == [
        [*COLUMNS, "survival mean", "survival a\\n\\x1b[2J"],
        ["0", "10", "1.5", "0.0", "1234.5", "", "0.75", ""],
        ["5", "99", "2.5", "800.5", "", "", "1.0", "0.5"],
    ]
