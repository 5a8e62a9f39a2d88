"""The largest tiles and scores are exact: in the reference, the kernels, Board and Game."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.kernels.drivers import moves_on_cells
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.players import make_player
from twofold.players.compiled import CompiledPlayer
from twofold.players.loop import KernelGame

# Sixteen cells full of the longest chain: every merge makes the next one possible, and without
# spawns it ends in the largest tile there is on 4x4.
CHAIN = "gfed/9abc/8765/2234"
CHAIN_MOVES = "lllrulllulllrulll"


def slide(cells: list[int], rows: int, cols: int, move: Move) -> tuple[list[int], int]:
    """By the reference, the kernel on cells and, where it is legal, Board: all must agree."""
    expected = reference.slide(cells, rows, cols, move)
    moves = moves_on_cells(np.array([cells], dtype=np.uint8), rows, cols)
    assert (moves.after[0, move].tolist(), moves.reward[0, move]) == expected
    slid = Board(cells, (rows, cols)).slide(move)
    assert (list(slid.board.exponents), slid.reward) == expected
    return expected


@pytest.mark.promise("R12")
def test_the_longest_chain_ends_in_131072(figure: Callable[[str], None]) -> None:
    cells, score, tiles = list(Board.parse(CHAIN).exponents), 0, set()
    for letter in CHAIN_MOVES:
        cells, reward = slide(cells, 4, 4, Move.parse(letter))
        score += reward
        tiles.add(2 ** max(cells))
    assert sorted(cells) == [0] * 15 + [17]
    assert score == sum(2**exponent for exponent in range(3, 18)) == 2**18 - 2**3
    board = Board(cells)
    assert board.max_tile == 131072
    assert tiles == {65536, 131072}
    assert sum(map(sum, board.tiles)) == 131072
    figure("131072 made on 4x4 by the reference, cells and Board; score exact")


@pytest.mark.promise("R12")
@pytest.mark.parametrize(("digits", "tile"), [("ff", 65536), ("gg", 131072)])
def test_large_tiles_are_made_and_shown(digits: str, tile: int) -> None:
    game = Game.from_board(f"{digits}00/0000/0000/0000", score=7, seed=0)
    assert game.play(Move.LEFT).reward == tile == game.score - 7 == game.board[0, 0]
    assert str(tile) in game.board.drawn()
    assert Board.parse(str(game.board)) == Board.parse(game.board.drawn()) == game.board


def by_kernels(name: str, game: Game) -> Game:
    player = make_player(name)
    player.start(game.rules, game.seed)
    assert isinstance(player, CompiledPlayer)
    kernel_game = KernelGame(player, game, [0] * (game.board.max_exponent + 1))
    while kernel_game.can_go_on:
        kernel_game.play(1000)
    return kernel_game.game()


def by_hand(name: str, game: Game) -> Game:
    player = make_player(name)
    player.start(game.rules, game.seed)
    while not game.is_finished:
        board, score, number = game.board, game.score, game.move_number
        game.play(player.choose(board, score=score, move_number=number))
    return game


def same_by_both(name: str, board: Board, rules: str, seed: int, score: int = 0) -> Game:
    """A game of a player, the same inside kernels and by hand."""
    start = Game.from_board(board, Rules.parse(rules), seed, score=score)
    played, expected = by_kernels(name, start.copy()), by_hand(name, start)
    assert (played.board, played.score) == (expected.board, expected.score)
    return played


@pytest.mark.promise("R12")
def test_a_game_inside_kernels_makes_131072() -> None:
    for start in ("ff00/ff00/0000/0000", "0000/0000/0000/00gg"):
        game = same_by_both("corner", Board.parse(start), "4x4 goal=131072 stop=goal", 1)
        assert game.board.max_tile == 131072


@pytest.mark.promise("R12")
@pytest.mark.parametrize("score", [0, 2**31 - 4, 2**32 - 4, 2**53 - 4, 2**61])
def test_scores_past_every_power_of_two_are_exact(score: int) -> None:
    for name in ("greedy", "corner", "random"):
        assert same_by_both(name, Board.parse("3x3:dd0/dd0/000"), "3x3", 2, score).score > score


@pytest.mark.promise("R12")
def test_a_score_past_2_to_the_31_on_a_large_board(figure: Callable[[str], None]) -> None:
    exponents = [30, 30, 31, 31, 32, 32, 33, 33] + [0] * 48 + [29, 29, 30, 34, 34, 2, 2, 1]
    board, rules = Board(exponents, (8, 8)), Rules.parse("8x8 goal=34359738368 stop=goal")
    after, reward = slide(list(exponents), 8, 8, Move.LEFT)
    assert reward == 2**31 + 2**32 + 2**33 + 2**34 + 2**30 + 2**35 + 2**3
    assert after[:8] == [31, 32, 33, 34, 0, 0, 0, 0]
    game = Game.from_board(board, rules, seed=4)
    assert game.play(Move.LEFT).reward == reward
    played = same_by_both("greedy", board, str(rules), 4)
    assert played.score == game.score > 2**31
    assert played.board.max_tile == 2**35
    figure(f"score {played.score:,} on 8x8, equal in Game and kernels")
