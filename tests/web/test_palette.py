"""Colours of the page: text can be read on every tile and surface, and tiles can be told apart."""

from itertools import combinations, pairwise
from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

import pytest

from tests.support.colours import (
    THEMES,
    channels,
    contrast,
    read_colours,
)

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


def lab(colour: str) -> tuple[float, float, float]:
    """CIE L*, a*, b* under D65."""
    red, green, blue = channels(colour)
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (
        t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z)
    )
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def difference(first: str, second: str) -> float:
    """CIEDE2000 of two colours. Source: Sharma, Wu and Dalal 2005."""
    return ciede2000(lab(first), lab(second))


def ciede2000(first: tuple[float, float, float], second: tuple[float, float, float]) -> float:
    (l1, a1, b1), (l2, a2, b2) = first, second
    mean = (hypot(a1, b1) + hypot(a2, b2)) / 2
    stretch = 1 + 0.5 * (1 - sqrt(mean**7 / (mean**7 + 25**7)))
    a1, a2 = a1 * stretch, a2 * stretch
    c1, c2 = hypot(a1, b1), hypot(a2, b2)
    h1, h2 = degrees(atan2(b1, a1)) % 360, degrees(atan2(b2, a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180
    lightness, chroma, hue = (l1 + l2) / 2, (c1 + c2) / 2, (h1 + turn / 2) % 360
    delta_h = 2 * sqrt(c1 * c2) * sin(radians(turn / 2))
    shape = (
        1
        - 0.17 * cos(radians(hue - 30))
        + 0.24 * cos(radians(2 * hue))
        + 0.32 * cos(radians(3 * hue + 6))
        - 0.20 * cos(radians(4 * hue - 63))
    )
    by_l = (l2 - l1) / (1 + 0.015 * (lightness - 50) ** 2 / sqrt(20 + (lightness - 50) ** 2))
    by_c = (c2 - c1) / (1 + 0.045 * chroma)
    by_h = delta_h / (1 + 0.015 * chroma * shape)
    angle = 60 * exp(-(((hue - 275) / 25) ** 2))
    twist = -2 * sqrt(chroma**7 / (chroma**7 + 25**7)) * sin(radians(angle))
    return sqrt(by_l**2 + by_c**2 + by_h**2 + twist * by_c * by_h)


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
def test_every_tile_has_a_colour(theme: str) -> None:
    colours = read_colours(theme)
    assert list(colours.tiles) == list(TILES)


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
def test_no_two_tiles_have_one_colour(theme: str) -> None:
    tiles = read_colours(theme).tiles
    assert min(difference(tiles[a], tiles[b]) for a, b in combinations(TILES, 2)) >= 3


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
