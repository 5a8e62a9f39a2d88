"""Colours of style sheets, and how well they can be told apart."""

import re
from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt
from pathlib import Path
from typing import NamedTuple

import twofold.web
from twofold.web.pages import tile_colours

CSS = Path(twofold.web.__file__).parent / "static" / "css"


THEMES = ("light", "dark")


PAIR = re.compile(r"--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)")


class Colours(NamedTuple):
    """Colours of one theme: variables of base.css and board.css, tiles and their texts."""

    variables: dict[str, str]
    tiles: dict[int, str]
    texts: dict[int, str]


def read_colours(theme: str) -> Colours:
    column = 2 + THEMES.index(theme)
    source = (CSS / "base.css").read_text() + (CSS / "board.css").read_text()
    variables = {found[1]: found[column] for found in PAIR.finditer(source)}
    tiles: dict[int, str] = {}
    texts: dict[int, str] = {}
    for line in re.finditer(r'\[data-exponent="(\d+)"\]\) \{(.*)\}$', tile_colours(), re.M):
        colours = {found[1]: found[column] for found in PAIR.finditer(line[2])}
        tiles[int(line[1])], texts[int(line[1])] = colours["tile"], colours["tile-text"]
    return Colours(variables, tiles, texts)


def read_palette(name: str) -> Colours:
    """The colours of a palette of palettes.css, which hold in both themes."""
    source = (CSS / "palettes.css").read_text()
    line = (
        rf'\[data-palette="{name}"\] \[data-exponent="(\d+)"\] '
        r"\{ --tile: (#\w+); --tile-text: (#\w+); \}"
    )
    found = [(int(one[1]), one[2], one[3]) for one in re.finditer(line, source)]
    return Colours({}, {n: face for n, face, _ in found}, {n: text for n, _, text in found})


def palette_variables(name: str, theme: str) -> dict[str, str]:
    """The variables that a palette changes, in a theme."""
    source = (CSS / "palettes.css").read_text()
    block = re.search(rf':root\[data-palette="{name}"\] \{{(.*?)\}}', source, re.S)
    text = block[1] if block else ""
    column = 2 + THEMES.index(theme)
    plain = {found[1]: found[2] for found in re.finditer(r"--([\w-]+): (#\w{6});", text)}
    return plain | {found[1]: found[column] for found in PAIR.finditer(text)}


def channels(colour: str) -> tuple[float, float, float]:
    """Red, green and blue, linear, 0 to 1."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return linear(red), linear(green), linear(blue)


def linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def contrast(first: str, second: str) -> float:
    """Contrast ratio of WCAG 2."""
    dark, light = sorted(luminance(colour) for colour in (first, second))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    red, green, blue = channels(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def lab(colour: str) -> tuple[float, float, float]:
    """CIE L*, a*, b* under D65."""
    return lab_of(channels(colour))


def lab_of(rgb: tuple[float, float, float]) -> tuple[float, float, float]:
    """The same of red, green and blue, linear, 0 to 1."""
    red, green, blue = rgb
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
