"""random, greedy and corner: their rules, in Python and in kernels."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.support.twins import small_positions
from twofold.errors import PlayerError
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.players import make_player
from twofold.players.compiled import CompiledPlayer

Legal = tuple[Move, ...]


def greedy(board: Board, legal: Legal, number: int) -> Move:
    """The largest reward, the first of equals."""
    rewards = [reference.slide(board.exponents, *board.shape, move)[1] for move in Move]
    return next(move for move in legal if rewards[move] == max(rewards[one] for one in legal))


def corner(board: Board, legal: Legal, number: int) -> Move:
    return next(m for m in (Move.DOWN, Move.LEFT, Move.RIGHT, Move.UP) if m in legal)


def at_random(board: Board, legal: Legal, number: int) -> Move:
    return legal[((reference.player_dice(17, number) >> 32) * len(legal)) >> 32]


@pytest.mark.parametrize("shape", [(4, 4), (1, 5), (3, 4), (8, 8)])
@pytest.mark.parametrize(
    ("name", "rule"), [("greedy", greedy), ("corner", corner), ("random", at_random)]
)
def test_a_player_of_one_rule(
    name: str, rule: Callable[[Board, Legal, int], Move], shape: tuple[int, int]
) -> None:
    with make_player(name) as player:
        player.start(Rules(*shape), 17)
        for board in small_positions(shape, 40, largest=3):
            legal = board.legal_moves()
            for number in range(20 if name == "random" else 1):
                assert player.choose(board, move_number=number) is rule(board, legal, number)
            if name == "greedy":
                analysis = player.analyse(board)
                assert analysis.unit == "points"
                assert [one.value for one in analysis.moves] == [
                    float(board.slide(move).reward) if move in legal else None for move in Move
                ]


@pytest.mark.promise("R64")
@pytest.mark.parametrize(
    "words", [None, [1], np.zeros(2), np.zeros((1, 2), np.uint64), np.zeros(4, np.uint64)[::2]]
)
def test_a_context_that_no_kernel_can_read(words: Any) -> None:
    player = make_player("greedy")
    assert isinstance(player, CompiledPlayer)
    player.start(Rules(), 1)
    before = player.context
    with pytest.raises(PlayerError, match="expected the context of greedy as uint64"):
        player.context = words
    assert player.context is before
