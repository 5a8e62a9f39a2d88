"""Play goes on beyond the tile 32768: boards that do not fit 64 bits are searched downgraded."""

from functools import cache

import numpy as np
import pytest

from twofold.errors import TileTooLarge
from twofold.game import reference
from twofold.game.board import Board
from twofold.limits import BITS_MAX_EXPONENT
from twofold.players import make_player
from twofold.search.context import fitting_bits

PLAYER = "expectimax:eval=rows,ply=2"


@cache
def large_boards(count: int, largest: int) -> tuple[Board, ...]:
    """Boards that are not over, with tiles past 32768: the largest ones in a ladder with holes."""
    rng = np.random.default_rng([count, largest])
    found: list[Board] = []
    while len(found) < count:
        tiles = int(rng.integers(2, 17))
        ladder = rng.permutation(np.arange(1, largest))[: tiles // 2].tolist()
        small = rng.integers(1, 4, tiles - 1 - len(ladder)).tolist()
        cells = [largest, *ladder, *small, *[0] * (16 - tiles)]
        if rng.random() < 0.7:
            cells = rng.permutation(cells).tolist()
        board = Board(cells)
        if not board.is_over:
            found.append(board)
    return tuple(found)


# The downgraded board


@pytest.mark.parametrize("largest", [16, 17, 18, 25, 35])
def test_a_live_board_always_fits_and_keeps_its_moves_and_order(largest: int) -> None:
    """A live board has at most 15 different tiles, so enough tiles are missing."""
    for board in large_boards(100, largest):
        lower = Board.from_bits(fitting_bits(board))
        assert reference.downgrade(board.exponents, BITS_MAX_EXPONENT) == list(lower.exponents)
        assert lower.max_exponent == BITS_MAX_EXPONENT
        assert lower.legal_moves() == board.legal_moves()
        ranks = sorted(set(zip(board.exponents, lower.exponents, strict=True)))
        assert len(ranks) == len(set(board.exponents)) == len(set(lower.exponents))
        assert ranks == sorted(ranks, key=lambda pair: pair[1])


# The players


def test_the_largest_merge_of_all_is_a_documented_error() -> None:
    with make_player(PLAYER) as player:
        with pytest.raises(TileTooLarge):
            player.choose(Board.parse("zz00/0000/0000/0000"))
        board = Board.parse("zyy0/0000/0000/0000")
        assert player.choose(board) in board.legal_moves()
