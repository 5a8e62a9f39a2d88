"""Why a move is bad: differences between boards."""

from collections.abc import Iterator

import pytest

from twofold import Board, Move, Player, Rules, make_player
from twofold.errors import IllegalMove
from twofold.games.judge import GAMES, MOST_REASONS, why_worse
from twofold.search.budget import Stop


@pytest.fixture(scope="module")
def player() -> Iterator[Player]:
    with make_player("ntuple:ply=1") as found:
        yield found


def test_a_corner_that_is_given_up_is_named_first(player: Player) -> None:
    board = Board.parse("0000/0000/1001/89ab")
    first, *_ = why_worse(board, Rules(), Move.UP, Move.LEFT, player)
    assert first.kind == "corner"
    assert first.played < first.best == 1.0


def test_a_move_that_ends_the_game_soon_says_so(player: Player) -> None:
    board = Board.parse("1213/3121/1213/3012")
    moves = board.legal_moves()
    found = [why_worse(board, Rules(), one, other, player) for one in moves for other in moves]
    over = [reason for reasons in found for reason in reasons if reason.kind == "over"]
    assert over
    assert all(0 <= one.best < one.played <= 1 for one in over)


def test_a_move_is_not_worse_than_itself(player: Player) -> None:
    board = Board.parse("0012/0124/1356/2479")
    assert why_worse(board, Rules(), Move.UP, Move.UP, player) == []


def test_every_reason_can_be_seen_in_the_numbers(player: Player) -> None:
    board = Board.parse("1001/0210/1320/89ab")
    for played in board.legal_moves():
        reasons = why_worse(board, Rules(), played, Move.LEFT, player)
        assert len(reasons) <= MOST_REASONS
        for one in reasons:
            if one.kind not in ("over", "corner"):
                assert round(one.played) < round(one.best)


def test_other_shapes_and_stop() -> None:
    board, rules = Board.parse("3x3:012/013/024"), Rules.parse("3x3")
    stop = Stop()
    with make_player("expectimax:eval=rows,ply=1") as player:
        up, left = board.legal_moves()[0], board.legal_moves()[-1]
        assert isinstance(why_worse(board, rules, up, left, player), list)
        stop.raise_flag()
        assert why_worse(board, rules, up, left, player, stop) == []
    assert GAMES > 1


def test_an_illegal_move_is_refused(player: Player) -> None:
    with pytest.raises(IllegalMove, match="expected a legal move"):
        why_worse(Board.parse("1000/0000/0000/0000"), Rules(), Move.UP, Move.DOWN, player)
