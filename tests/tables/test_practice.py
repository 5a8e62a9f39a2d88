"""Practice with endgame tables: first boards, and positions with the table's chances."""

from functools import cache

import pytest

from tests.tables.made import made
from twofold.errors import GameOver, IllegalMove, InvalidBoard
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import STANDARD, Move
from twofold.games.endgames import EndgamePosition, first_board, play
from twofold.tables.library import NO_CHANCE, EndgameTable, EndgameTables


@cache
def table_442() -> EndgameTable:
    return made("442-32")


@cache
def tables() -> EndgameTables:
    return EndgameTables([table_442()])


def best_of(one: EndgamePosition) -> Move:
    return max(Move, key=lambda move: one.chances[move] or -1.0)


def worst_of(one: EndgamePosition) -> Move:
    legal = [move for move in Move if one.chances[move] is not None]
    return min(legal, key=lambda move: one.chances[move] or 0.0)


@cache
def played(seed: int, *, badly: bool = False) -> tuple[list[Move], EndgamePosition]:
    """The moves of best play, or of the worst, to the end, and the last position."""
    board, moves = first_board(table_442(), seed), list[Move]()
    *_, now = play(table_442(), board, seed, moves)
    while now.status == "going":
        moves.append(worst_of(now) if badly else best_of(now))
        *_, now = play(table_442(), board, seed, moves)
    return moves, now


@pytest.mark.parametrize("name", ["442-32", "441-16"])
def test_a_seed_determines_a_board_in_the_table(name: str) -> None:
    table = made(name)
    boards = [first_board(table, seed) for seed in range(3)]
    assert [first_board(table, seed) for seed in range(3)] == boards
    assert len(set(boards)) > 1
    assert [table.silence(board) for board in boards] == [""] * 3


def test_positions_are_those_of_a_game_with_the_dice_of_the_seed() -> None:
    board = first_board(table_442(), 3)
    moves, _ = played(3)
    game = Game.from_board(board, STANDARD, 3)
    for number, one in enumerate(play(table_442(), board, 3, moves)):
        if number:
            step = game.play(moves[number - 1])
            assert (one.cell, one.tile) == (step.cell, step.tile)
        assert one.board == str(game.board)


def test_chances_are_those_of_the_table() -> None:
    board = first_board(table_442(), 0)
    (one,) = play(table_442(), board, 0, [])
    answer, legal = tables().answer(board), board.legal_moves()
    assert answer is not None
    for move in Move:
        assert one.chances[move] == (answer.chances.get(move, 0.0) if move in legal else None)


def test_play_ends_with_the_target_or_without_a_chance() -> None:
    ends = [(seed, played(seed, badly=badly)[1]) for seed in range(3) for badly in (False, True)]
    assert {"made", "outside"} <= {one.status for _, one in ends} <= {"made", "lost", "outside"}
    for seed, one in ends:
        before = first_board(table_442(), seed).exponents.count(table_442().pattern.target)
        made_it = Board.parse(one.board).exponents.count(table_442().pattern.target) > before
        assert made_it == (one.status == "made")
        if one.status != "made":
            assert tables().move(Board.parse(one.board)) is None
        is_known = table_442().silence(Board.parse(one.board)).startswith(NO_CHANCE)
        assert not (one.status == "outside" and is_known)


def test_moves_after_the_end_and_illegal_moves_are_refused() -> None:
    moves, _ = played(1)
    with pytest.raises(GameOver):
        list(play(table_442(), first_board(table_442(), 1), 1, [*moves, Move.UP]))
    boards = {seed: first_board(table_442(), seed) for seed in range(9)}
    seed = next(seed for seed, board in boards.items() if len(board.legal_moves()) < len(Move))
    (illegal, *_) = set(Move) - set(boards[seed].legal_moves())
    with pytest.raises(IllegalMove):
        list(play(table_442(), boards[seed], seed, [illegal]))


def test_a_board_outside_the_table_is_refused() -> None:
    with pytest.raises(InvalidBoard, match="442-32 has no answer for this board"):
        list(play(table_442(), Board.parse("0000/0000/0001/0001"), 1, []))
