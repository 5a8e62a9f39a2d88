"""Plots of any scores, and the styles of players."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.arena.reports.studies import add, row
from twofold.arena.page import html
from twofold.arena.plots import drawings
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
    drawn = drawings(section.entries)
    assert ("reach" in drawn) == (len(scores) > 1)
    assert all(one.file("svg").startswith(b"<?xml") for one in drawn.values())


def test_pages_that_are_drawn_at_once_are_equal() -> None:
    """The settings of Matplotlib belong to the whole process."""
    with Study() as study:
        for name in ("a", "b"):
            run = add(study, name)
            for seed in range(30):
                study.add(run, row(seed, 100 * seed, 4 + seed % 3))
        sections = gather(study)
    with ThreadPoolExecutor(4) as pool:
        pages = list(pool.map(html, [sections] * 4))
    assert len(set(pages)) == 1
