"""Games one after the other are those played one at a time."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from twofold import Board, Move, Rules, make_player
from twofold.errors import PlayerError
from twofold.players import Player, kernel_game, play_game, play_games
from twofold.players import loop as module
from twofold.players.compiled import CompiledPlayer
from twofold.players.loop import GameResult
from twofold.players.simple import RandomPlayer

LARGE = Rules(2, 3, ((2, 0.5), (32768, 0.5)))
"""Games that soon leave 64 bits."""


def plain(results: Sequence[GameResult | None]) -> list[Any]:
    return [replace(one, seconds=0.0, move_seconds=None) for one in results if one]


def both(spec: str, rules: Rules, seeds: Sequence[int]) -> tuple[list[Any], list[Any]]:
    """Games with their moves, one at a time and one after the other."""
    with make_player(spec) as player:
        alone = [play_game(player, rules, seed, keep_moves=True) for seed in seeds]
        return plain(alone), plain(list(play_games(player, rules, seeds, keep_moves=True)))


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ("random", Rules()),
        ("greedy", Rules.parse("goal=64 stop=goal")),
        ("corner", Rules.parse("3x4 start=5")),
        ("expectimax:ply=1", Rules(3, 3)),
        ("expectimax:ply=3", Rules.parse("2x3")),
        ("expectimax:ply=3,cut=0.05", Rules.parse("2x3")),
        ("expectimax:ply=2,threads=2", Rules.parse("2x3")),
        ("alphabeta:depth=3", Rules.parse("2x3")),
        ("minimax:depth=3", Rules.parse("2x3")),
        ("quick", Rules.parse("2x3")),
        ("ntuple:net=tiny", Rules.parse("goal=128 stop=goal")),
        ("ntuple:net=tiny,ply=2", Rules.parse("goal=64 stop=goal")),
        ("random", LARGE),
        ("corner", Rules(5, 2)),
    ],
)
def test_many_are_as_each(spec: str, rules: Rules) -> None:
    alone, together = both(spec, rules, range(20))
    assert alone == together
    assert len(together) == 20
    assert all(len(one.letters) == one.moves for one in together)


@pytest.mark.parametrize(
    "seeds",
    [
        [2**64 - 3, 2**64 - 2, 2**64 - 1, 0, 1, 2],
        [5, 6, 7, 3, 4, 5, 6, 100, 7],
        [],
        [9],
    ],
)
def test_seeds_in_any_order(seeds: list[int]) -> None:
    alone, together = both("greedy", Rules(), seeds)
    assert alone == together
    assert [one.seed for one in together] == seeds


@pytest.mark.parametrize("keep_moves", [False, True])
def test_games_follow_each_other_in_a_kernel(
    keep_moves: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[int] = []
    original = module._play_together

    def together(player: Any, rules: Rules, seeds: Sequence[int], keep: bool) -> Any:
        played.append(len(seeds))
        return original(player, rules, seeds, keep)

    monkeypatch.setattr(module, "_play_together", together)
    with make_player("random") as player:
        games = list(play_games(player, Rules(), range(500), keep_moves=keep_moves))
    assert len(games) == 500
    assert all(bool(game.letters) == keep_moves for game in games)
    assert sum(played) >= 490
    assert len(played) < 100


@pytest.mark.parametrize("most", [1, 150, 1_000])
def test_moves_that_do_not_fit_into_one_call_go_into_the_next(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_game, "MOST_MOVES", most)
    alone, together = both("random", Rules(), range(60))
    assert alone == together


def test_a_player_that_starts_in_its_own_way_is_started_for_each_game() -> None:
    class Counts(RandomPlayer):
        started = 0

        def start(self, rules: Rules, seed: int) -> None:
            Counts.started += 1
            super().start(rules, seed)

    assert issubclass(Counts, CompiledPlayer)
    assert len(list(play_games(Counts(), Rules(), range(40)))) == 40
    assert Counts.started == 40


@pytest.mark.parametrize("asked", [1, 3])
def test_stop_is_asked_between_games(asked: int) -> None:
    calls = 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        return calls > 5 * asked

    with make_player("random") as player:
        found = list(play_games(player, Rules(2, 2), range(10**6), stop=stop))
    assert 0 < len(found) < 10**6


class FailsLater(Player):
    """Plays three games, then makes an illegal move."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        legal = board.legal_moves()
        illegal = [move for move in Move if move not in legal]
        return illegal[0] if self.seed == 3 and illegal else legal[0]


def test_what_fails_does_so_in_its_turn() -> None:
    games = play_games(FailsLater(), Rules(2, 2), range(10))
    assert [next(games).seed for _ in range(3)] == [0, 1, 2]
    with pytest.raises(PlayerError):
        next(games)


def test_the_time_of_moves_is_known_where_the_player_is_asked_for_each() -> None:
    with make_player("random") as player:
        compiled = play_game(player, Rules(), 1)
    asked = play_game(FailsLater(), Rules(2, 2), 1)
    assert compiled is not None
    assert compiled.move_seconds is None
    assert asked is not None
    assert asked.move_seconds is not None
    median, most = asked.move_seconds
    assert 0 < median <= most <= asked.seconds
    assert module._median_and_99th([3.0, 1.0, 2.0]) == (2.0, 2.0)
    assert module._median_and_99th([float(n) for n in range(101)]) == (50.0, 99.0)
    assert module._median_and_99th([]) is None
