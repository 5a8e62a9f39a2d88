"""Which move, and which new tile, explains a board that is seen."""

import pytest

from twofold import Board, Game, Move, Rules
from twofold.browser.follow import PageFollower, new_tile
from twofold.errors import InvalidBoard

START = Board.parse("1100/0000/0000/0002")


def follower(board: Board = START, score: int | None = 100) -> PageFollower:
    """A follower that has seen a board."""
    made = PageFollower()
    made.begin(board, score)
    return made


@pytest.mark.parametrize(
    ("seen", "found"),
    [
        ("2001/0000/0000/2000", (3, 2)),
        ("2000/0000/0200/2000", (9, 4)),
        ("2000/0000/0000/2000", None),  # the new tile has yet to appear
        ("2003/0000/0000/2000", None),  # no spawn is an 8
        ("2001/1000/0000/2000", None),  # two new tiles
        ("3000/0000/0000/2000", None),  # a tile became another
        ("1000/0000/0000/2000", None),
        ("2x3:000/000", None),
    ],
)
def test_the_new_tile_after_a_slide(seen: str, found: tuple[int, int] | None) -> None:
    after = START.slide(Move.LEFT).board
    assert new_tile(after, Board.parse(seen), Rules()) == found


def test_a_move_is_explained_where_it_is_legal() -> None:
    one = follower()
    assert one.explain(Move.LEFT, Board.parse("2001/0000/0000/2000")) == (3, 2)
    assert one.explain(Move.RIGHT, Board.parse("2001/0000/0000/2000")) is None
    still = follower(Board.parse("1000/2000/0000/0000"))
    assert still.explain(Move.LEFT, Board.parse("1000/2000/0000/0001")) is None


def test_the_score_counts_on_from_what_the_page_shows() -> None:
    one = follower()
    one.advance(Move.LEFT, (3, 2), ours=True)
    assert (one.score, one.made, one.followed) == (104, 1, 0)
    silent = follower(score=None)
    silent.advance(Move.LEFT, (3, 2), ours=True)
    assert (silent.score, silent.game.score) == (None, 4)


def test_moves_of_others_are_followed_and_leaps_are_breaks() -> None:
    one = follower()
    assert one.follow(Board.parse("2001/0000/0000/2000"), 104) is Move.LEFT
    assert (one.made, one.followed, one.breaks) == (0, 1, 0)
    assert one.follow(Board.parse("1234/0000/0000/0000"), 7) is None
    assert (one.followed, one.breaks, one.score) == (1, 1, 7)
    assert one.board == Board.parse("1234/0000/0000/0000")
    assert one.record(player="", date="", tags={}) is None


def test_a_game_is_followed_from_its_boards_alone() -> None:
    game = Game(Rules.parse("3x3"), seed=4)
    one = PageFollower()
    one.begin(game.board, 0)
    while not game.is_finished:
        game.play(game.legal_moves()[-1])
        one.follow(game.board, None)
    assert (one.followed, one.breaks) == (game.move_number, 0)
    assert (one.score, one.board) == (game.score, game.board)
    record = one.record(player="me", date="2048-01-31", tags={"Page": "here"})
    assert record is not None
    assert record.replay().board == game.board
    assert (record.seed, record.player, record.tags["Page"]) == (None, "me", "here")


def test_the_last_move_may_end_a_game_that_vanishes() -> None:
    full = follower(Board.parse("1213/2131/1213/3450"))
    assert full.may_have_ended(Move.RIGHT)
    assert not follower().may_have_ended(Move.LEFT)
    assert not follower(Board.parse("1000/2000/0000/0000")).may_have_ended(Move.LEFT)


def test_given_rules_hold() -> None:
    strict = PageFollower(Rules.parse("3x3"))
    with pytest.raises(InvalidBoard, match="expected a 3x3 board as in the rules, got 4x4"):
        strict.begin(START, 0)
    eights = PageFollower(Rules.parse("spawn=8:1"))
    eights.begin(START, 0)
    assert eights.explain(Move.LEFT, Board.parse("2003/0000/0000/2000")) == (3, 8)
