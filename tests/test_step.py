"""The slides of a move follow the rules."""

import random

import pytest

from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.game.step import TileSlide, slides


@pytest.mark.parametrize("shape", [(4, 4), (1, 2), (2, 1), (3, 5), (8, 8)])
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
