"""Colour palettes: numbers can be read, and tiles told apart, also with colour blindness."""

from itertools import combinations, pairwise

import pytest

from tests.support.colours import (
    THEMES,
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
"""Tiles up to 131072, the largest on 4x4. Larger ones keep the usual colours."""

LEAST_CONTRAST = {"original": 4.5, "contrast": 7.0, "safe": 4.5}

NEIGHBOURS = {"contrast": 15.0, "safe": 12.0}
"""Least CIEDE2000 between a tile and the next larger one."""

COMMON = {"contrast": 15.0, "safe": 6.5}
"""Least CIEDE2000 between any two tiles up to 131072."""

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


def seen(colour: str, vision: str) -> tuple[float, float, float]:
    """A colour as a person with this colour vision sees it, in CIE L*, a*, b*."""
    rgb = channels(colour)
    red, green, blue = (
        min(1.0, max(0.0, sum(part * value for part, value in zip(row, rgb, strict=True))))
        for row in VISIONS[vision]
    )
    return lab_of((red, green, blue))


@pytest.mark.parametrize("name", LEAST_CONTRAST)
def test_the_number_on_a_tile_can_be_read(name: str) -> None:
    palette = read_palette(name)
    faint = {
        2**exponent: round(contrast(face, palette.texts[exponent]), 2)
        for exponent, face in palette.tiles.items()
        if contrast(face, palette.texts[exponent]) < LEAST_CONTRAST[name]
    }
    assert faint == {}


def test_the_original_faces_are_those_of_the_original_game() -> None:
    """2 to 2048; an empty cell is its rgba(238, 228, 218, 0.35) on the grid."""
    faces = (
        "#eee4da #ede0c8 #f2b179 #f59563 #f67c5f #f65e3b #edcf72 #edcc61 #edc850 #edc53f #edc22e"
    )
    assert list(read_palette("original").tiles.values()) == faces.split()
    variables = palette_variables("original", "light")
    assert variables == {"board": "#bbada0", "cell": "#cdc1b4"}


@pytest.mark.parametrize(("name", "vision"), [
    ("contrast", "all hues"), *(("safe", vision) for vision in VISIONS),
])  # fmt: skip
def test_tiles_can_be_told_apart(name: str, vision: str) -> None:
    tiles = read_palette(name).tiles
    assert list(tiles) == list(PLAYED)
    shown = {exponent: seen(face, vision) for exponent, face in tiles.items()}
    for one, other in pairwise(PLAYED):
        assert ciede2000(shown[one], shown[other]) >= NEIGHBOURS[name], (2**one, 2**other)
    for one, other in combinations(PLAYED, 2):
        assert ciede2000(shown[one], shown[other]) >= COMMON[name], (2**one, 2**other)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", LEAST_CONTRAST)
def test_a_2_is_seen_on_an_empty_cell(theme: str, name: str) -> None:
    variables = read_colours(theme).variables | palette_variables(name, theme)
    assert difference(read_palette(name).tiles[1], variables["cell"]) >= 8


@pytest.mark.parametrize("theme", THEMES)
def test_high_contrast_is_high_on_the_whole_page(theme: str) -> None:
    variables = palette_variables("contrast", theme)
    surfaces = [variables[name] for name in ("page", "surface", "sunken")]
    for name in ("text", "text-soft", "accent", "good", "warn", "bad"):
        assert min(contrast(variables[name], surface) for surface in surfaces) >= 7, name
    for name in ("line", "line-strong", "focus"):
        assert min(contrast(variables[name], surface) for surface in surfaces) >= 4.5, name
    for name in ("primary", "primary-hover"):
        assert contrast(variables["on-primary"], variables[name]) >= 7, name
    assert contrast(variables["board"], variables["cell"]) >= 2.5
