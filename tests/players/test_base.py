"""Defaults of `Player`, and checks of its answers."""

import pytest

from tests.support.literal import boards, score_of
from twofold.board import Board
from twofold.errors import GameOver, UnsupportedRules
from twofold.players import Player, play_game
from twofold.players.base import assumed_score, check_going, move_list
from twofold.rules import STANDARD, Move, Rules
from twofold.search.analysis import MoveValue


class Last(Player):
    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return board.legal_moves()[-1]


class OnlySquare(Last):
    spec = "only-square"

    def unsupported(self, rules: Rules) -> str:
        return "" if rules.rows == rules.cols else "expected a square"


def test_ten_lines_are_enough() -> None:
    player = Last()
    assert (player.spec, player.rules, player.seed, player.compiled) == ("Last", STANDARD, 0, False)
    analysis = player.analyse(Board.parse("1000/0000/0000/0000"))
    assert analysis.best is Move.DOWN
    assert [move.value for move in analysis.moves] == [None] * 4
    assert [move.legal for move in analysis.moves] == [False, True, True, False]
    assert (analysis.player, analysis.unit, analysis.depth, analysis.value) == (
        "Last",
        "",
        "",
        None,
    )
    result = play_game(player, Rules.parse("2x3"), 4)
    assert result is not None
    assert result.board.is_over


def test_rules_can_be_refused() -> None:
    player = OnlySquare()
    player.start(Rules(3, 3), 7)
    assert (player.rules, player.seed) == (Rules(3, 3), 7)
    with pytest.raises(
        UnsupportedRules, match=r"^expected a square for only-square, got rules 3x4 "
    ):
        player.start(Rules(3, 4), 8)
    assert (player.rules, player.seed) == (Rules(3, 3), 7)
    with pytest.raises(UnsupportedRules):
        play_game(player, Rules(3, 4), 8)


def test_a_player_needs_choose() -> None:
    class Nothing(Player):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Nothing()  # type: ignore[abstract]


def test_move_list_marks_legal_moves_and_their_rewards() -> None:
    board = Board.parse("1100/0000/0000/0000")
    moves = move_list(board, {Move.LEFT: MoveValue(2.5, 7)}, depth=3)
    assert [move.move for move in moves] == list(Move)
    assert [move.legal for move in moves] == [False, True, True, True]
    assert [move.reward for move in moves] == [0, 4, 0, 4]
    assert [move.value for move in moves] == [None, None, None, 2.5]
    assert [(move.depth, move.nodes) for move in moves] == [(0, 0), (0, 0), (0, 0), (3, 7)]


def test_check_going() -> None:
    assert check_going(Board.parse("1000/0000/0000/0000")) == (Move.RIGHT, Move.DOWN)
    with pytest.raises(GameOver, match="expected a board with a legal move, got 2x2:12/21"):
        check_going(Board.parse("2x2:12/21"))


def test_the_assumed_score_counts_every_spawn_as_a_two() -> None:
    assert assumed_score(Board.parse("1234/0000/0000/000h")) == 0 + 4 + 16 + 48 + 16 * 2**17
    for grid in boards(50):
        assert assumed_score(Board.from_tiles(grid)) == score_of(grid)
