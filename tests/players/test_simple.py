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
from twofold.kernels import policies
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


def test_random_depends_on_the_seed_and_not_on_the_past() -> None:
    board = Board.parse("0000/0110/0110/0000")
    player, games = make_player("random"), []
    for seed in (1, 2, 1):
        player.start(Rules(), seed)
        games.append([player.choose(board, move_number=number) for number in range(40)])
    assert games[0] == games[2] != games[1]


@pytest.mark.parametrize("legal", range(1, 16))
def test_the_choices_of_kernels_for_every_set_of_legal_moves(legal: int) -> None:
    moves = [move for move in range(4) if legal >> move & 1]
    order = [move for move in (2, 3, 1, 0) if move in moves]
    assert policies.corner_legal(legal) == order[0]
    edges = [(k << 32) // len(moves) + step for k in range(len(moves) + 1) for step in (-1, 0, 1)]
    halves = [half for half in edges if 0 <= half < 2**32]
    for high in [*halves, *(reference.dice(3, n) >> 32 for n in range(50))]:
        for low in (0, 2**32 - 1):
            found = policies.random_legal(legal, np.uint64(high << 32 | low))
            assert found == moves[(high * len(moves)) >> 32]


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
