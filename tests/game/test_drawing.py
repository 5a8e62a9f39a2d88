"""Boards as SVG: colours, sizes, texts, and no active content."""

import random
import re
import xml.etree.ElementTree as ET

import pytest

from tests.attacks.records import NAMES
from tests.support.colours import THEMES as PAGE_THEMES
from tests.support.colours import contrast, read_colours
from tests.support.drawings import SVG, elements, numbers
from tests.support.generators import make_board
from twofold.errors import InvalidInput
from twofold.game import drawing
from twofold.game.board import Board
from twofold.game.drawing import BOARD, CELL, INK, TILES, draw_board
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Move

BOARD_TEXT = "0123/4567/89ab/cdef"


# ---- pictures


@pytest.mark.parametrize("shape", [(1, 2), (2, 2), (3, 4), (4, 4), (8, 8)])
def test_a_board_shows_its_tiles_in_their_places(shape: tuple[int, int]) -> None:
    board = make_board(random.Random(shape[0]), shape)
    svg = board._repr_svg_()
    expected = [str(tile) for row in board.tiles for tile in row if tile]
    assert numbers(svg) == expected
    faces = elements(svg, "rect")[1:]
    assert len(faces) == shape[0] * shape[1]
    places = [drawing.cell_corner(cell, shape[1]) for cell in range(len(faces))]
    assert [(float(one.get("x", "")), float(one.get("y", ""))) for one in faces] == places


def test_numbers_fit_their_tiles() -> None:
    for exponent in range(1, 36):
        size = drawing.number_size(exponent)
        assert 11 <= size <= drawing.FACE / 0.62 / len(str(1 << exponent))


def test_a_picture_says_what_it_shows() -> None:
    (title,) = elements(Board.parse("2x2:1b/00")._repr_svg_(), "title")
    (words,) = elements(Board.parse("2x2:1b/00")._repr_svg_(), "desc")
    assert title.text == "2048 board of 2 rows and 2 columns, largest tile 2048"
    assert words.text == "Row 1: 2, 2048. Row 2: empty, empty."
    (title,) = elements(Board.empty((1, 2))._repr_svg_(), "title")
    assert title.text == "2048 board of 1 row and 2 columns, empty"
    assert ET.fromstring(Board.parse(BOARD_TEXT)._repr_svg_()).get("role") == "img"


def test_a_game_shows_its_status() -> None:
    game = Game(seed=1)
    game.play(Move.DOWN)
    assert numbers(game._repr_svg_())[-1] == "0 points · move 1 · going"
    over = Game.from_board(Board.parse("2x2:12/21"), score=1, seed=0)
    assert numbers(over._repr_svg_())[-2:] == ["1 point · move 0", "over"]  # it is narrow
    for player, end in (("", ""), ("me", " · me")):
        record = Record.from_game(game, player=player)
        assert numbers(record._repr_svg_())[-1] == f"0 points · move 1 · going{end}"
    for shape in ((1, 2), (2, 2), (4, 4)):
        svg = Game.from_board(
            make_board(random.Random(2), shape), score=3_932_100, seed=0
        )._repr_svg_()
        for text in elements(svg, "text")[len(numbers(svg)) - 2 :]:
            size = float(text.get("font-size", ""))
            assert 0.6 * size * len(text.text or "") <= drawing.board_size(*shape)[0]


# ---- colours


@pytest.mark.parametrize("theme", PAGE_THEMES)
def test_the_colours_are_those_of_the_page(theme: str) -> None:
    """Those of the tiles are in the page's style, which is made from them."""
    page = read_colours(theme)
    assert len(page.tiles) == len(page.texts) == len(TILES)
    assert getattr(BOARD, theme) == page.variables["board"]
    assert getattr(CELL, theme) == page.variables["cell"]
    assert contrast(getattr(INK, theme), getattr(BOARD, theme)) >= 4.5


def test_a_theme_may_be_set() -> None:
    board = Board.parse(BOARD_TEXT)
    auto = draw_board(4, 4, board.exponents)
    light = draw_board(4, 4, board.exponents, theme="light")
    dark = draw_board(4, 4, board.exponents, theme="dark")
    assert "light-dark(" in auto
    assert "light-dark(" not in light + dark
    plain = re.sub(r' style="[^"]*"|<style>.*</style>', "", auto)
    assert plain == light != dark
    assert dark.count("<") == light.count("<")


# ---- refusals


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_texts_are_escaped(name: str) -> None:
    board = Board.parse(BOARD_TEXT)
    svg = draw_board(4, 4, board.exponents, caption=name)
    root = ET.fromstring(svg)
    tags = {one.tag.removeprefix(SVG) for one in root.iter()}
    assert tags == {"svg", "title", "desc", "style", "rect", "text"}
    assert svg.replace("\n", "").isprintable()
    assert not re.search(r"<[^>]*\son\w+=", svg)


def test_other_themes_and_scales_are_refused() -> None:
    for theme in ("", "sepia", "Light", "x" * 1_000):
        with pytest.raises(InvalidInput, match=r"expected a theme \(auto, light, dark\), got"):
            drawing.check_theme(theme)
    for scale in (0.0, 11.0, float("nan"), float("inf")):
        with pytest.raises(InvalidInput, match=r"expected a scale from 0.05 to 10, got"):
            drawing.check_scale(scale)
