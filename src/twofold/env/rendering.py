"""A board as text, and as an image drawn with NumPy alone."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.errors import InvalidInput
from twofold.notation import shown

FRAMES_PER_SECOND: Final = 4
"""Frame rate of recorded videos."""

CELL: Final = 112
"""Side of a cell, in pixels."""

GAP: Final = 16
"""Pixels between and around cells. The sides of images are then multiples of 16: with odd sides,
video recorders make files that browsers cannot show; they stretch other sizes."""

MARGIN: Final = 6
"""Minimum distance between a number and the side of its cell, in pixels."""

SCALES: Final = (4, 4, 3)
"""Largest size of a font dot in pixels, by number of digits; the last entry for more digits."""

GRID: Final = 0xBBADA0
EMPTY: Final = 0xCDC1B4
DARK_TEXT: Final = 0x776E65
BRIGHT_TEXT: Final = 0xF9F6F2
BEYOND: Final = 0x3C3A32
TILES: Final = (
    0xEEE4DA,
    0xEDE0C8,
    0xF2B179,
    0xF59563,
    0xF67C5F,
    0xF65E3B,
    0xEDCF72,
    0xEDCC61,
    0xEDC850,
    0xEDC53F,
    0xEDC22E,
)
"""Colours of 2 to 2048. Source: the original game, as all colours here; EMPTY is its
rgba(238, 228, 218, 0.35) on the grid."""

BRIGHT: Final = (5, 6)
"""Exponents up to 2048 with bright text, which has more contrast there than dark text."""

FONT: Final = (
    ".#####. ...##.. .#####. .#####. ....##. ####### .#####. ####### .#####. .#####.",
    "####### ..###.. ####### ####### ...###. ####### ####### ####### ####### #######",
    "##...## .####.. ##...## ##...## ..####. ##..... ##...## .....## ##...## ##...##",
    "##...## ...##.. .....## .....## .##.##. ##..... ##..... ....##. ##...## ##...##",
    "##...## ...##.. ....### ..####. ##..##. ######. ######. ....##. .#####. #######",
    "##...## ...##.. ...###. ..####. ##..##. ####### ####### ...##.. .#####. .######",
    "##...## ...##.. ..###.. .....## ####### .....## ##...## ...##.. ##...## .....##",
    "##...## ...##.. .###... ##...## ####### ##...## ##...## ..##... ##...## ##...##",
    "####### .###### ####### ####### ....##. ####### ####### ..##... ####### #######",
    ".#####. .###### ####### .#####. ....##. .#####. .#####. ..##... .#####. .#####.",
)
"""The digits 0 to 9 side by side, 7 dots wide and 10 high."""

DIGIT_WIDTH: Final = 7


def check_mode(mode: str | None, modes: Sequence[str]) -> str | None:
    """Return a render mode that is offered, or None; raises `InvalidInput` for others."""
    if mode is not None and mode not in modes:
        raise InvalidInput(f"expected a render mode of {', '.join(modes)}, got {shown(mode)}")
    return mode


def write(board: Board, score: int, move_number: int) -> str:
    """The board as text below a line with score and move number, for a terminal."""
    return f"score {score}  move {move_number}\n{board.drawn()}\n"


def draw(board: Board) -> NDArray[np.uint8]:
    """The board as an image, RGB, shape (height, width, 3)."""
    height, width = (GAP + side * (CELL + GAP) for side in board.shape)
    image = np.empty((height, width, 3), dtype=np.uint8)
    image[:] = _rgb(GRID)
    for cell, exponent in enumerate(board.exponents):
        row, col = divmod(cell, board.cols)
        top, left = GAP + row * (CELL + GAP), GAP + col * (CELL + GAP)
        image[top : top + CELL, left : left + CELL] = _tile(exponent)
    return image


@lru_cache(maxsize=64)
def _tile(exponent: int) -> NDArray[np.uint8]:
    image = np.empty((CELL, CELL, 3), dtype=np.uint8)
    image[:] = _rgb((EMPTY, *TILES)[exponent] if exponent <= len(TILES) else BEYOND)
    if exponent:
        dots = _number(1 << exponent)
        height, width = dots.shape
        top, left = (CELL - height) // 2, (CELL - width) // 2
        bright = exponent in BRIGHT or exponent > len(TILES)
        image[top : top + height, left : left + width][dots] = _rgb(
            BRIGHT_TEXT if bright else DARK_TEXT
        )
    image.setflags(write=False)
    return image


def _number(value: int) -> NDArray[np.bool_]:
    font = np.array([[dot == "#" for dot in line] for line in FONT])
    step = DIGIT_WIDTH + 1  # a column of space after each digit
    digits = [font[:, step * int(digit) :][:, :DIGIT_WIDTH] for digit in str(value)]
    space = np.zeros((len(FONT), 1), dtype=np.bool_)
    dots = np.hstack([part for digit in digits for part in (digit, space)][:-1])
    largest = SCALES[min(len(digits), len(SCALES)) - 1]
    scale = max(1, min(largest, (CELL - 2 * MARGIN) // dots.shape[1]))
    return np.kron(dots, np.ones((scale, scale), dtype=np.bool_)).astype(np.bool_)


def _rgb(colour: int) -> NDArray[np.uint8]:
    return np.array([colour >> 16, colour >> 8 & 255, colour & 255], dtype=np.uint8)
