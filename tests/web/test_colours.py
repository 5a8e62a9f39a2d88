"""Colours: text can be read on every tile and surface, and tiles told apart, by everybody."""

from itertools import combinations, pairwise
from typing import NamedTuple

import pytest

from tests.support.colours import (
    THEMES,
    Colours,
    channels,
    ciede2000,
    contrast,
    difference,
    lab_of,
    palette_variables,
    read_colours,
    read_palette,
)

PLAYED = range(1, 18)
"""Tiles up to 131072, the largest on 4x4. Larger ones always have the usual colours."""


class Least(NamedTuple):
    """What a palette has at least.

    Attributes:
        number: contrast of a number on its tile; WCAG 2, level AA, asks for 4.5.
        neighbours, common: CIEDE2000 of a tile and the next larger one, and of any two played.
        text, shape: contrast of texts and lines on the surfaces; AA asks for 4.5 and 3.
    """

    number: float = 4.5
    neighbours: float = 0.0
    common: float = 0.0
    text: float = 4.5
    shape: float = 3.0


PALETTES = {
    "usual": Least(neighbours=10.0, common=6.0),
    "original": Least(),
    "contrast": Least(number=7.0, neighbours=15.0, common=15.0, text=7.0, shape=4.5),
    "safe": Least(neighbours=12.0, common=6.5),
}

VISIONS = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
    "all hues": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
}
"""What is seen of linear red, green and blue. Source: Machado, Oliveira and Fernandes 2009."""

every = pytest.mark.parametrize("name", PALETTES)
both = pytest.mark.parametrize("theme", THEMES)


def colours(name: str, theme: str) -> Colours:
    """The colours of a page with a palette: its tiles and all variables."""
    usual = read_colours(theme)
    own = usual if name == "usual" else read_palette(name)
    return Colours(usual.variables | palette_variables(name, theme), own.tiles, own.texts)


def seen(colour: str, vision: str) -> tuple[float, float, float]:
    """A colour as a person with this colour vision sees it, in CIE L*, a*, b*."""
    rgb = channels(colour)
    red, green, blue = (
        min(1.0, max(0.0, sum(part * value for part, value in zip(row, rgb, strict=True))))
        for row in VISIONS[vision]
    )
    return lab_of((red, green, blue))


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


def test_the_original_faces_are_those_of_the_original_game() -> None:
    """2 to 2048; an empty cell is its rgba(238, 228, 218, 0.35) on the grid."""
    faces = (
        "#eee4da #ede0c8 #f2b179 #f59563 #f67c5f #f65e3b #edcf72 #edcc61 #edc850 #edc53f #edc22e"
    )
    assert list(read_palette("original").tiles.values()) == faces.split()
    variables = palette_variables("original", "light")
    assert variables == {"board": "#bbada0", "cell": "#cdc1b4"}


@every
@both
def test_the_number_on_a_tile_can_be_read_and_a_2_is_seen(name: str, theme: str) -> None:
    found = colours(name, theme)
    for exponent, face in found.tiles.items():
        assert contrast(face, found.texts[exponent]) >= PALETTES[name].number, 2**exponent
    assert difference(found.tiles[1], found.variables["cell"]) >= 8


@pytest.mark.parametrize(("name", "vision"), [
    ("usual", "all hues"), ("contrast", "all hues"), *(("safe", vision) for vision in VISIONS),
])  # fmt: skip
@both
def test_tiles_can_be_told_apart(name: str, vision: str, theme: str) -> None:
    tiles = colours(name, theme).tiles
    assert list(tiles) == list(range(1, 36) if name == "usual" else PLAYED)
    shown = {exponent: seen(face, vision) for exponent, face in tiles.items()}
    for one, other in pairwise(tiles):
        found = ciede2000(shown[one], shown[other])
        assert found >= PALETTES[name].neighbours, (2**one, 2**other)
    for one, other in combinations(PLAYED, 2):
        assert ciede2000(shown[one], shown[other]) >= PALETTES[name].common, (2**one, 2**other)


@every
@both
def test_texts_and_lines_are_seen_on_every_surface(name: str, theme: str) -> None:
    least, variables = PALETTES[name], colours(name, theme).variables
    surfaces = [variables[one] for one in ("page", "surface", "sunken")]
    shapes = ["line-strong", "focus", *(one for one in variables if one.startswith("chart-"))]
    if name == "contrast":
        shapes = ["line", "line-strong", "focus"]
        assert contrast(variables["board"], variables["cell"]) >= 2.5
    for texts, wanted in (
        (("text", "text-soft", "accent", "good", "warn", "bad"), least.text),
        (shapes, least.shape),
    ):
        for one in texts:
            assert min(contrast(variables[one], on) for on in surfaces) >= wanted, one
    for one in ("primary", "primary-hover"):
        assert contrast(variables["on-primary"], variables[one]) >= least.text, one
