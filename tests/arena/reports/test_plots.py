"""Plots of any scores, and the styles of players."""

import itertools

import pytest

from tests.arena.reports.studies import add, row
from twofold.arena.plots import Style, drawing, telling
from twofold.arena.report import gather
from twofold.arena.study import Study


@pytest.mark.parametrize("scores", [[100], [0, 0], [5, 5, 5], [1, 10**9], list(range(1, 3000))])
def test_any_scores_can_be_drawn(scores: list[int]) -> None:
    with Study() as study:
        for name in ("a", "b"):
            run = add(study, name)
            for seed, score in enumerate(scores):
                study.add(run, row(seed, score * (1 + 40 * (name == "a")), 4 + seed % 3))
        (section,) = gather(study)
    kinds = telling(section.entries)
    assert ("reach" in kinds) == (len(scores) > 1)
    for kind in kinds:
        drawn = drawing(section.entries, kind)
        assert drawn is not None
        assert drawn.title in drawn.inline("p")


def test_styles_of_neighbours_differ_in_everything() -> None:
    styles = [Style.of(number) for number in range(84)]
    assert len(set(styles)) == 84
    for one, two in itertools.pairwise(styles):
        assert one.colour != two.colour
        assert one.dashes != two.dashes
        assert one.marker != two.marker
