"""Boards as lines: every shape and size fits, every tile has its label."""

import pytest

from twofold import Board
from twofold.cli.tui.tiles import (
    DIGITS,
    Colours,
    Look,
    board_size,
    draw_big,
    draw_board,
    fit,
    flat_look,
    tile_label,
)

SHAPES = [(1, 2), (2, 2), (3, 4), (4, 4), (5, 5), (1, 8), (8, 1), (8, 8)]
COLOURS: list[Colours] = ["full", "16", "none"]


def largest(shape: tuple[int, int]) -> Board:
    """A board full of different tiles."""
    return Board([1 + cell % 17 for cell in range(shape[0] * shape[1])], shape)


@pytest.mark.parametrize("colours", COLOURS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (50, 21), (40, 21)])
def test_a_board_fits_its_limits(
    shape: tuple[int, int], size: tuple[int, int], colours: Colours
) -> None:
    board = largest(shape)
    look = fit(board, colours, *size)
    lines = draw_board(board, look)
    assert (max(line.cell_len for line in lines), len(lines)) == board_size(board, look)
    assert board_size(board, look)[0] <= size[0]
    assert len(lines) <= size[1]


@pytest.mark.parametrize("colours", COLOURS)
@pytest.mark.parametrize("size", [(120, 40), (50, 21), (40, 21), (30, 8)])
def test_every_tile_is_written_on_it(size: tuple[int, int], colours: Colours) -> None:
    board = Board.parse("1234/5678/9abc/def0")
    look = fit(board, colours, *size)
    text = "\n".join(line.plain for line in draw_board(board, look))
    if look.big:
        text += " 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 "  # drawn large
    labels = [tile_label(exponent, look.short) for exponent in range(1, 16)]
    assert all(label in text for label in labels)
    assert len(set(labels)) == len(labels)


def test_more_room_makes_larger_tiles() -> None:
    board = Board.parse("1000/0000/0000/0001")
    heights = [fit(board, "full", *size).height for size in ((30, 9), (40, 13), (50, 21), (90, 40))]
    assert heights == [1, 3, 5, 9]


def test_an_8x8_board_fits_40_columns() -> None:
    look = fit(largest((8, 8)), "full", 40, 20)
    assert board_size(largest((8, 8)), look)[0] <= 40
    assert (look.gap, look.short) == (0, True)


@pytest.mark.parametrize(
    ("exponent", "label"),
    [(0, ""), (1, "2"), (13, "8192"), (14, "16k"), (17, "128k"), (20, "1M"), (35, "32G")],
)
def test_short_labels(exponent: int, label: str) -> None:
    assert tile_label(exponent, short=True) == label
    assert len(label) <= 4


def test_large_digits() -> None:
    assert draw_big("17") == ["▀█  ▀▀█", " █    █", "▀▀▀   ▀"]
    assert all(len(line) == 4 * 10 - 1 for line in draw_big("".join(DIGITS)))


def test_large_digits_stand_in_the_middle_of_large_tiles() -> None:
    board = Board.parse("1x2:b0")
    lines = [line.plain for line in draw_board(board, Look("full", 18, 9, 2))]
    (first, *_), *_ = [[line[2:20] for line in lines[3:6]]]
    assert first.strip() == draw_big("2048")[0].strip()
    assert lines[0][2:20] == "▄" * 18
    assert lines[-1][2:20] == "▀" * 18


def test_numbers_too_long_for_large_digits_are_written_small() -> None:
    lines = draw_board(Board.parse("1x2:e0"), Look("full", 18, 9, 2))
    assert "16384" in lines[4].plain


@pytest.mark.parametrize(
    ("look", "differs"),
    [
        (Look("full", 8, 3, 2), "styles"),
        (Look("full", 6), "styles"),
        (Look("16", 8, 3, 2), "styles"),
        (Look("none", 8, 3), "(2)"),
    ],
)
def test_a_new_tile_stands_out(look: Look, differs: str) -> None:
    board = Board.parse("1x3:112")
    usual, marked = draw_board(board, look), draw_board(board, look, new=1)
    assert any(one != other for one, other in zip(usual, marked, strict=True))
    if differs != "styles":
        assert differs in "".join(line.plain for line in marked)
        assert differs not in "".join(line.plain for line in usual)


def test_a_drawn_board_may_be_changed() -> None:
    board, look = Board.parse("1x2:11"), Look("full", 8, 3, 2)
    for line in draw_board(board, look):
        line.append("scribble")
    assert "scribble" not in "".join(line.plain for line in draw_board(board, look))


def test_one_line_a_row() -> None:
    board = Board.parse("2x2:01/12")
    assert [line.plain for line in draw_board(board, flat_look(board, "none"))] == [". 2", "2 4"]
    assert len(draw_board(board, flat_look(board, "full"))) == 2
