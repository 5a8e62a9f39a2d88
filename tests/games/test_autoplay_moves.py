"""Which moves of a game a player made: ranges, their text, and the tag of a record."""

import pytest

from twofold import Game, Record
from twofold.games.live_game import LiveGame
from twofold.games.makers import AUTOPLAY_TAG, AutoplayMoves, autoplay_tags
from twofold.limits import MAX_TAG


def moved(kept: LiveGame, *, by_player: bool) -> None:
    kept.game.play(kept.game.legal_moves()[0])
    kept.note_move("greedy" if by_player else "")


@pytest.mark.parametrize("text", ["", "1", "1-4", "2 4-9 11"])
def test_the_tag_round_trips(text: str) -> None:
    assert str(AutoplayMoves.parse(text)) == text


@pytest.mark.parametrize("text", ["x", "0", "4-2", "4 3", "1-3 3", "1-", "9" * 13, "-1", "1,2"])
def test_an_invalid_tag_is_none(text: str) -> None:
    assert AutoplayMoves.parse(text) is None


def test_adjacent_ranges_are_joined() -> None:
    moves = AutoplayMoves().plus(0, 2).plus(2, 5).plus(7, 8)
    assert moves.ranges == ((1, 5), (8, 8))
    assert [move for move in range(10) if move in moves] == [1, 2, 3, 4, 5, 8]


def test_a_move_made_again_counts_for_who_made_it_last() -> None:
    kept = LiveGame(Game(seed=1), None)
    for by_player in (False, True, True):
        moved(kept, by_player=by_player)
    assert str(kept.autoplay) == "2-3"
    kept.game.undo()
    assert str(kept.autoplay) == "2"
    kept.game.redo()
    assert str(kept.autoplay) == "2-3"
    kept.game.undo()
    moved(kept, by_player=False)
    assert str(kept.autoplay) == "2"
    assert AUTOPLAY_TAG not in kept.known_until(1).tags


def test_unknown_moves_stay_unknown() -> None:
    game = Game(seed=1)
    game.play(game.legal_moves()[0])
    old = Record.from_game(game, player="me + greedy")
    kept = LiveGame(old.resume(), None, old, player=old.player)
    moved(kept, by_player=True)
    assert kept.autoplay is None
    assert AUTOPLAY_TAG not in kept.record().tags


def test_a_tag_that_is_too_long_is_left_out() -> None:
    moves = AutoplayMoves(tuple((2 * k, 2 * k) for k in range(1, MAX_TAG)))
    assert autoplay_tags({"Event": "x", AUTOPLAY_TAG: "1"}, moves) == {"Event": "x"}
    assert autoplay_tags({AUTOPLAY_TAG: "1"}, AutoplayMoves()) == {}
