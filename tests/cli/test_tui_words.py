"""A game in words."""

import pytest

from twofold import Board, Game, Move
from twofold.cli.tui.tiles import merges, words_of_board, words_of_cell, words_of_move


@pytest.mark.parametrize(
    ("before", "move", "after", "words"),
    [
        ("1x4:2200", Move.LEFT, "1x4:3010",
         "left: 4 and 4 make 8, plus 8, new 2 at row 1, column 3"),
        ("1x4:1122", Move.RIGHT, "1x4:0223",
         "right: 4 and 4 make 8, 2 and 2 make 4, plus 12, new 4 at row 1, column 2"),
        ("2x2:10/01", Move.UP, "2x2:11/10", "up: no merge, new 2 at row 2, column 1"),
    ],
)  # fmt: skip
def test_a_move_in_words(before: str, move: Move, after: str, words: str) -> None:
    assert words_of_move(Board.parse(before), move, Board.parse(after)) == words


@pytest.mark.parametrize(
    ("board", "move", "tiles"),
    [
        ("1x4:1111", Move.LEFT, [4, 4]),
        ("1x4:2111", Move.LEFT, [4]),
        ("1x4:1020", Move.LEFT, []),
        ("2x2:11/22", Move.RIGHT, [4, 8]),
        ("2x2:10/10", Move.DOWN, [4]),
    ],
)
def test_merges(board: str, move: Move, tiles: list[int]) -> None:
    assert merges(Board.parse(board), move) == tiles


def test_merges_add_up_to_the_reward_of_every_move_of_a_game() -> None:
    game = Game(seed=5)
    while not game.is_finished and game.move_number < 200:
        before = game.board
        step = game.play(game.legal_moves()[-1])
        assert sum(merges(before, step.move)) == step.reward
        words = words_of_move(before, step.move, step.board)
        assert f"new {step.tile} at {words_of_cell(step.cell, 4)}" in words


def test_a_board_row_by_row() -> None:
    assert words_of_board(Board.parse("2x3:102/00a")) == [
        "row 1: 2, empty, 4",
        "row 2: empty, empty, 1024",
    ]
