"""The slides of a move follow the rules."""

import random

import pytest

from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.game.step import TileSlide, slides

SHAPES = [(rows, cols) for rows in range(1, 9) for cols in range(1, 9) if rows * cols > 1]


@pytest.mark.parametrize("shape", SHAPES, ids="{0[0]}x{0[1]}".format)
def test_equal_the_rules(shape: tuple[int, int]) -> None:
    rng = random.Random(str(shape))
    for _ in range(40):
        fill = rng.random()
        cells = [
            rng.randint(1, 4) if rng.random() < fill else 0 for _ in range(shape[0] * shape[1])
        ]
        board = Board(cells, shape)
        for move in Move:
            found = slides(board, move)
            after, _ = reference.slide(cells, *shape, move)
            merged = [0] * len(cells)
            ends: dict[int, list[TileSlide]] = {}
            for slide in found:
                ends.setdefault(slide.end, []).append(slide)
            for end, group in ends.items():
                exponent = cells[group[0].start]
                assert len(group) == 1 + group[0].merged
                assert {cells[slide.start] for slide in group} == {exponent}
                assert {slide.merged for slide in group} == {len(group) == 2}
                merged[end] = exponent + (len(group) == 2)
            assert merged == after
            starts = [slide.start for slide in found]
            assert starts == [cell for cell, exponent in enumerate(cells) if exponent]


@pytest.mark.parametrize(
    ("text", "move", "expected"),
    [
        ("1x4:1111", Move.RIGHT, [(0, 2, True), (1, 2, True), (2, 3, True), (3, 3, True)]),
        ("4x1:1/1/2/0", Move.UP, [(0, 0, True), (1, 0, True), (2, 1, False)]),
    ],
)
def test_a_tile_merges_once(text: str, move: Move, expected: list[tuple[int, int, bool]]) -> None:
    found = slides(Board.parse(text), move)
    assert [(one.start, one.end, one.merged) for one in found] == expected
