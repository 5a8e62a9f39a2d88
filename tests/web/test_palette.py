"""Colours of the page: text can be read on every tile and surface, and tiles can be told apart."""

from itertools import combinations, pairwise

import pytest

from tests.support.colours import THEMES, ciede2000, contrast, difference, read_colours

LEAST_CONTRAST = 4.5
"""WCAG 2, level AA, for text of any size."""

LEAST_CONTRAST_OF_SHAPES = 3.0
"""WCAG 2, level AA, for lines and borders that one needs to see."""

NEIGHBOURS = 10.0
"""Least CIEDE2000 between a tile and the next larger one."""

COMMON = 6.0
"""Least CIEDE2000 between any two tiles up to 131072."""

TILES = range(1, 36)
SURFACES = ("page", "surface", "sunken")
TEXTS = ("text", "text-soft", "accent", "good", "warn", "bad")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((90.8027, -2.0831, 1.4410), (91.1528, -1.6435, 0.0447), 1.4441),
    ],
)
def test_the_colour_difference_has_the_published_values(
    first: tuple[float, float, float], second: tuple[float, float, float], expected: float
) -> None:
    assert ciede2000(first, second) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("exponent", TILES)
def test_the_number_on_a_tile_can_be_read(theme: str, exponent: int) -> None:
    colours = read_colours(theme)
    assert contrast(colours.tiles[exponent], colours.texts[exponent]) >= LEAST_CONTRAST


@pytest.mark.parametrize("theme", THEMES)
def test_neighbouring_tiles_differ(theme: str) -> None:
    tiles = read_colours(theme).tiles
    close = {
        (2**one, 2**other): round(difference(tiles[one], tiles[other]), 1)
        for one, other in pairwise(TILES)
        if difference(tiles[one], tiles[other]) < NEIGHBOURS
    }
    assert close == {}


@pytest.mark.parametrize("theme", THEMES)
def test_all_tiles_up_to_131072_differ(theme: str) -> None:
    tiles = read_colours(theme).tiles
    close = {
        (2**one, 2**other): round(difference(tiles[one], tiles[other]), 1)
        for one, other in combinations(range(1, 18), 2)
        if difference(tiles[one], tiles[other]) < COMMON
    }
    assert close == {}


@pytest.mark.parametrize("theme", THEMES)
def test_a_2_is_seen_on_an_empty_cell(theme: str) -> None:
    colours = read_colours(theme)
    assert difference(colours.tiles[1], colours.variables["cell"]) >= 8


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("text", TEXTS)
def test_texts_can_be_read_on_every_surface(theme: str, surface: str, text: str) -> None:
    variables = read_colours(theme).variables
    assert contrast(variables[text], variables[surface]) >= LEAST_CONTRAST


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("fill", ["primary", "primary-hover"])
def test_filled_controls_can_be_read(theme: str, fill: str) -> None:
    variables = read_colours(theme).variables
    assert contrast(variables["on-primary"], variables[fill]) >= LEAST_CONTRAST


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("surface", SURFACES)
def test_borders_focus_and_charts_are_seen(theme: str, surface: str) -> None:
    variables = read_colours(theme).variables
    shapes = ["line-strong", "focus", *(name for name in variables if name.startswith("chart-"))]
    faint = {
        name: round(contrast(variables[name], variables[surface]), 2)
        for name in shapes
        if contrast(variables[name], variables[surface]) < LEAST_CONTRAST_OF_SHAPES
    }
    assert faint == {}
