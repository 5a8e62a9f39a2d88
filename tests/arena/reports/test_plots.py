"""Plots of any scores, and the styles of players."""

import pytest

from tests.arena.reports.studies import add, row
from twofold.arena.plots import drawings
from twofold.arena.report import gather
from twofold.arena.study import Study


@pytest.mark.parametrize("scores", [[100], [0, 0], [1, 10**9], list(range(1, 3000))])
def test_any_scores_can_be_drawn(scores: list[int]) -> None:
    with Study() as study:
        for name in ("a", "b"):
            run = add(study, name)
            for seed, score in enumerate(scores):
                study.add(run, row(seed, score * (1 + 40 * (name == "a")), 4 + seed % 3))
        (section,) = gather(study)
    drawn = drawings(section.entries)
    assert ("reach" in drawn) == (len(scores) > 1)
    assert all(one.file("svg").startswith(b"<?xml") for one in drawn.values())
