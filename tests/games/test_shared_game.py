"""A game shared by a person and a player: no move or value of an old position is used."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.support.asked import PATIENCE, Failing, Last, Slow
from twofold import Game, Move, Player, Rules
from twofold.errors import GameOver, NothingToRedo
from twofold.games.live_game import LiveGame
from twofold.games.shared_game import SharedGame


@contextmanager
def sharing(
    player: Callable[[], Player] = Last, game: Game | None = None, pace: float | None = None
) -> Iterator[SharedGame]:
    shared = SharedGame(LiveGame(game or Game(seed=1)), lambda _: player(), pace)
    try:
        yield shared
    finally:
        shared.close()


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_moves_by_hand_need_no_player() -> None:
    made: list[int] = []
    with sharing(lambda: made.append(1) or Last()) as shared:  # type: ignore[func-returns-value]
        step = shared.play(Move.LEFT)
        now = shared.now
        assert (now.board, now.new, now.move_number) == (step.board, step.cell, 1)
        shared.undo()
        assert (shared.now.move_number, shared.now.new) == (0, None)
        shared.redo()
        assert shared.now.board == step.board
        with pytest.raises(NothingToRedo):
            shared.redo()
    assert made == []


def test_the_player_plays_on_to_the_end() -> None:
    with sharing(game=Game(Rules.parse("2x2"), seed=3)) as shared:
        shared.play_on(True)
        until(lambda: shared.now.is_finished)
        now = shared.now
        assert not now.auto
        with shared.held() as game:
            assert now.board == game.board
            alone = Game(Rules.parse("2x2"), seed=3)
            while not alone.is_finished:
                alone.play(alone.legal_moves()[-1])
            assert game.moves == alone.moves
        assert [mark.tile for mark in now.milestones][-1] == now.board.max_tile
        assert 0 < now.seconds < PATIENCE
        shared.play_on(True)
        assert not shared.now.auto
        with pytest.raises(GameOver):
            shared.play(Move.UP)


def test_the_pace_is_kept() -> None:
    endless = Game(Rules.parse("8x8"), seed=1)
    with sharing(game=endless, pace=40.0) as shared:
        shared.play_on(True)
        until(lambda: shared.now.move_number > 0)
        began, first = time.monotonic(), shared.now.move_number
        until(lambda: shared.now.move_number >= first + 12)
        assert time.monotonic() - began > 10 / 40
        assert shared.now.speed < 60
        shared.set_pace(None)
        until(lambda: shared.now.move_number >= first + 60)


def test_hints_follow_the_position() -> None:
    with sharing() as shared:
        shared.want_hints(True)
        until(lambda: shared.now.analysis is not None)
        shared.play(Move.LEFT)
        until(lambda: shared.now.analysis is not None)
        now = shared.now
        assert now.analysis is not None
        assert now.analysis.board == now.board
        assert now.move_number == 1
        shared.want_hints(False)
        assert shared.now.analysis is None


def test_a_search_of_an_old_position_is_stopped_and_dropped() -> None:
    slow = Slow()
    with sharing(lambda: slow) as shared:
        shared.want_hints(True)
        assert slow.began.wait(PATIENCE)
        shared.play(Move.LEFT)
        assert slow.stopped.wait(PATIENCE)
        slow.go.set()
        until(lambda: shared.now.analysis is not None)
        assert shared.now.analysis is not None
        assert shared.now.analysis.board == shared.now.board


def test_while_a_quick_player_plays_every_picture_has_its_values() -> None:
    with sharing() as shared:
        shared.play_on(True)
        until(lambda: shared.now.analysis is not None)
        for _ in range(200):
            frame = shared.now
            if not frame.is_finished and frame.auto:
                assert frame.analysis is not None
                assert frame.analysis.board == frame.board


def test_a_pause_shows_the_position_as_it_is() -> None:
    with sharing() as shared:
        shared.play_on(True)
        until(lambda: shared.now.move_number > 10)
        shared.play_on(False)
        with shared.held() as game:
            assert shared.now.board == game.board
            number = game.move_number
        seconds = shared.now.seconds
        time.sleep(0.02)
        assert shared.now.move_number == number
        assert shared.now.speed == 0
        shared.undo()
        assert shared.now.seconds == pytest.approx(seconds, abs=0.01)  # without the pause


def test_another_game_and_its_seed() -> None:
    seeds: list[int] = []

    class Told(Last):
        def start(self, rules: Rules, seed: int) -> None:
            super().start(rules, seed)
            seeds.append(seed)

    with sharing(Told) as shared:
        shared.play_one()
        until(lambda: shared.now.move_number == 1)
        shared.seat(LiveGame(Game(seed=9)))
        assert shared.now.board == Game(seed=9).board
        shared.play_one()
        until(lambda: shared.now.move_number == 1)
    assert seeds == [1, 9]


def test_a_player_that_fails_leaves_the_game_to_the_person() -> None:
    with sharing(Failing) as shared:
        shared.play_on(True)
        until(lambda: shared.error is not None)
        assert str(shared.error) == "no idea"
        assert not shared.now.auto
        shared.play(Move.LEFT)
        assert shared.now.move_number == 1
