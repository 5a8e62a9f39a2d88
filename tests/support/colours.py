"""Colours of style sheets, and how well they can be told apart."""

import re
from pathlib import Path
from typing import NamedTuple

import twofold.web

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
    board = (CSS / "board.css").read_text()
    source = (CSS / "base.css").read_text() + re.sub(r"^\[data-exponent.*$", "", board, flags=re.M)
    variables = {found[1]: found[column] for found in PAIR.finditer(source)}
    tiles: dict[int, str] = {}
    texts: dict[int, str] = {}
    for line in re.finditer(r'^\[data-exponent="(\d+)"\] \{(.*)\}$', board, re.M):
        colours = {found[1]: found[column] for found in PAIR.finditer(line[2])}
        tiles[int(line[1])], texts[int(line[1])] = colours["tile"], colours["tile-text"]
    return Colours(variables, tiles, texts)


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
