"""Pictures of how games end."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from tests.support.drawings import elements, numbers
from twofold import Board, make_player
from twofold.drawing import TILES
from twofold.errors import InvalidInput
from twofold.exact import ExactTable, Problem, solve
from twofold.exact.outcomes import Outcomes, outcomes
from twofold.notebook import show
from twofold.notebook.analysis import BEST, OTHER
from twofold.notebook.outcomes import bar_length

BOARD = Board.parse("2x2:11/10")


@pytest.fixture(scope="module")
def table() -> ExactTable:
    return solve(Problem.parse("2x2"))


@pytest.fixture(scope="module")
def start(table: ExactTable) -> Outcomes:
    return outcomes(table)


def words(svg: str, name: str) -> str:
    (found,) = elements(svg, name)
    return found.text or ""


def test_every_chance_stands_beside_its_tile(start: Outcomes) -> None:
    view = show(start)
    assert (view.board, repr(view)) == (None, "<View of outcomes>")
    assert numbers(view.svg) == [
        "largest tile", "at the end", "reached",
        "8", "3.75 %", "100.00 %",
        "16", "87.96 %", "96.25 %",
        "32", "8.29 %", "8.29 %",
        "optimal play of 2x2, expected score · 66.96 points expected", "12.0 moves on average",
    ]  # fmt: skip
    assert words(view.svg, "title") == "How games of 2x2 end under optimal play"
    assert words(view.svg, "desc").startswith(
        "Largest tile at the end: 8 3.75 %, 16 87.96 %, 32 8.29 %. optimal play of 2x2"
    )


def test_from_a_board(table: ExactTable) -> None:
    view = show(outcomes(table, BOARD))
    assert view.board == BOARD
    assert numbers(view.svg)[:3] == ["2", "2", "2"]
    assert any(
        text.endswith("more expected") for text in " · ".join(numbers(view.svg)).split(" · ")
    )
    assert words(view.svg, "title") == (
        "How games end under optimal play from a 2048 board of 2 rows and 2 columns, largest tile 2"
    )
    assert words(view.svg, "desc").endswith("Row 1: 2, 2. Row 2: 2, empty.")


def test_for_a_goal() -> None:
    found = outcomes(solve(Problem.parse("2x2 goal=16", "goal")))
    texts = " · ".join(numbers(show(found).svg))
    assert "2x2, chance of 16 · 96.25 % chance of 16" in texts


def test_bars_are_as_long_as_chances(start: Outcomes) -> None:
    bars = [
        float(one.get("width") or 0)
        for one in elements(show(start, theme="light").svg, "rect")
        if one.get("fill") in (BEST.light, OTHER.light)
    ]
    assert bars == [bar_length(chance) for chance in start.tiles.values()]
    assert bar_length(0.5) == bar_length(1.0) / 2


def test_the_likeliest_stands_out(start: Outcomes) -> None:
    bold = [one.text for one in elements(show(start).svg, "text") if one.get("font-weight")]
    assert bold == ["8", "16", "87.96 %", "96.25 %", "32"]


def test_rare_ends_share_a_line(start: Outcomes) -> None:
    rare = replace(start, tiles={4: 1e-9, **start.tiles})
    assert numbers(show(rare).svg)[-1].endswith("4: < 0.000001 %")
    rarer = replace(start, tiles={2: 2e-8, 4: 1e-8, **start.tiles})
    assert numbers(show(rarer).svg)[-1].endswith("other tiles: 0.000003 %")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_theme_has_its_own_colours(start: Outcomes, theme: str) -> None:
    svg = show(start, theme=theme).svg
    assert "light-dark" not in svg
    fills = {one.get("fill") for one in elements(svg, "rect")}
    assert {getattr(colour, theme) for colour in (BEST, OTHER, TILES[3].face)} <= fills


def test_a_picture_stands_alone(start: Outcomes, table: ExactTable) -> None:
    for found in (start, outcomes(table, BOARD), outcomes(table, Board.parse("2x2:12/21"))):
        tags = {one.tag.rpartition("}")[2] for one in ET.fromstring(show(found).svg).iter()}
        assert tags <= {"svg", "title", "desc", "style", "rect", "text", "g"}


def test_outcomes_have_no_analysis_beside_them(start: Outcomes) -> None:
    with pytest.raises(InvalidInput, match="outcomes cannot be shown with an analysis"):
        show(start, make_player("greedy").analyse(BOARD))
