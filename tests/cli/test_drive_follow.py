"""Without a browser: which move explains a board that is seen, and a player asked from a loop."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import closing
from typing import Any

import pytest

from twofold import Board, Game, Move, Player, Rules
from twofold.cli.drive import PageFollower, Thinker
from twofold.errors import InvalidBoard, PlayerError

START = Board.parse("1100/0000/0000/0002")


def follower(board: Board = START, score: int | None = 100) -> PageFollower:
    """A follower that has seen a board."""
    return PageFollower(board, score)


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
    assert follower().explain(Move.LEFT, Board.parse(seen)) == found
    assert follower().explain(Move.RIGHT, Board.parse(seen)) is None


def test_moves_of_others_are_followed_and_leaps_are_breaks() -> None:
    one = follower()
    assert one.follow(Board.parse("2001/0000/0000/2000"), 104) is Move.LEFT
    assert (one.made, one.followed, one.breaks) == (0, 1, 0)
    assert one.score == 104  # it counts on from the page's
    silent = follower(score=None)
    silent.follow(Board.parse("2001/0000/0000/2000"), None, Move.LEFT)
    assert (silent.score, silent.game.score, silent.made) == (None, 4, 1)
    assert one.follow(Board.parse("1234/0000/0000/0000"), 7) is None
    assert (one.followed, one.breaks, one.score) == (1, 1, 7)
    assert one.board == Board.parse("1234/0000/0000/0000")
    assert not one.game.can_undo


def test_given_rules_hold() -> None:
    with pytest.raises(InvalidBoard, match="expected a 3x3 board as in the rules, got 4x4"):
        PageFollower(START, 0, Rules.parse("3x3"))
    eights = PageFollower(START, 0, Rules.parse("spawn=8:1"))
    assert eights.explain(Move.LEFT, Board.parse("2003/0000/0000/2000")) == (3, 8)


# ---- a player that is asked from an event loop

GAME = Game.from_board(START, seed=0)


def thinking(
    player: Callable[[], Player], talk: Callable[[Thinker], Coroutine[Any, Any, Any]]
) -> Any:
    """The result of a coroutine with a thinker."""
    with closing(Thinker(lambda _: player())) as thinker:
        return asyncio.run(talk(thinker))


def test_an_unwanted_answer_is_dropped() -> None:
    gate = threading.Event()

    class Slow(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            gate.wait(60)
            return board.legal_moves()[0 if score is None else score]

    async def talk(thinker: Thinker) -> Move:
        with thinker.asked(GAME, 0) as first:
            await asyncio.sleep(0.01)
        assert first.cancelled()
        with thinker.asked(GAME, 1):
            pass
        with thinker.asked(GAME, 2) as third:
            gate.set()
            return await third

    assert thinking(Slow, talk) == START.legal_moves()[2]


def test_an_error_of_the_player_is_raised_where_it_is_awaited() -> None:
    class Wrong(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            if score:
                raise SystemExit(3)
            return Move.UP

    async def talk(thinker: Thinker) -> None:
        dead_up = Game.from_board(Board.parse("1212/0000/0000/0000"), seed=0)
        for score, fault in ((0, "expected a legal move from Wrong"), (1, "SystemExit: 3")):
            with thinker.asked(dead_up, score) as answer, pytest.raises(PlayerError, match=fault):
                await answer

    thinking(Wrong, talk)


def test_a_player_that_never_answers_does_not_delay_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("twofold.cli.drive.CLOSE_SECONDS", 0.05)
    gate = threading.Event()

    class Stuck(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            gate.wait(600)
            return Move.LEFT

    async def talk(thinker: Thinker) -> None:
        with thinker.asked(GAME, None):
            await asyncio.sleep(0.01)

    began = time.monotonic()
    thinking(Stuck, talk)
    assert time.monotonic() - began < 60
    gate.set()
