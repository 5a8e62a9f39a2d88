"""Networks in training play the games that players with the same network play."""

from statistics import fmean

import pytest

from twofold.arena.boards import StartBoards, parse_boards
from twofold.arena.games import tile_sum
from twofold.arena.stats import next_sum
from twofold.errors import InvalidInput, LimitExceeded
from twofold.game.board import Board
from twofold.game.notation import SeedRange
from twofold.game.rules import STANDARD
from twofold.learn.curve import Measured
from twofold.learn.evaluation import EvaluationGames
from twofold.players import make_player
from twofold.players.loop import GameResult, play_games
from twofold.values.network_file import load_network

LATE = parse_boards("0122/1243/3565/0089\n0001/0013/0245/0678\n0000/0000/0122/0567\n", "late")


def by_player(spec: str, games: int, boards: StartBoards | None = None) -> list[GameResult]:
    seeds = SeedRange(1, games)
    starts = [boards.of_seed(seed) for seed in seeds] if boards else []
    with make_player(spec) as player:
        return list(play_games(player, STANDARD, seeds, boards=starts))


def test_games_are_those_of_the_player() -> None:
    spec = "ntuple:net=tiny,ply=1"
    found = EvaluationGames(STANDARD, games=8, boards=[LATE])(load_network("tiny"))
    assert found is not None
    assert found.mean == fmean(game.score for game in by_player(spec, 8))
    assert found.margin is not None
    ends = by_player(spec, 3, LATE)
    came = [
        tile_sum(game.board) >= next_sum(start)
        for game, start in zip(ends, LATE.boards, strict=True)
    ]
    assert found.survival == {"late": sum(came) / 3}


def test_two_sets_of_boards_of_one_name() -> None:
    others = parse_boards("0122/1243/3565/0088\n", "late")
    with pytest.raises(InvalidInput, match="with different names, got 'late' twice"):
        EvaluationGames(STANDARD, games=0, boards=[LATE, others])


def test_boards_are_downgraded_as_asked() -> None:
    boards = parse_boards("0122/1243/3565/09ef\n" * 20, "large")
    network, found = load_network("tiny"), []
    for downgrade in (0, 49152):
        games = EvaluationGames(STANDARD, games=0, boards=[boards], downgrade=downgrade)
        spec = f"ntuple:net=tiny,ply=1,downgrade={downgrade}"
        came = [tile_sum(one.board) >= 65536 + 1024 for one in by_player(spec, 20, boards)]
        assert games(network) == Measured(None, None, {"large": sum(came) / 20})
        found.append([one.score for one in by_player(spec, 20, boards)])
    assert found[0] != found[1]


def test_only_requested_games_are_played() -> None:
    network = load_network("tiny")
    assert EvaluationGames(STANDARD, games=0)(network) == Measured(None, None, {})
    assert EvaluationGames(STANDARD, games=5, stop=lambda: True)(network) is None
    one = EvaluationGames(STANDARD, games=1)(network)
    assert one is not None
    assert one.margin is None


def test_numbers_beyond_their_limits() -> None:
    with pytest.raises(LimitExceeded, match="expected games of an evaluation from 0 to"):
        EvaluationGames(STANDARD, games=-1)
    with pytest.raises(LimitExceeded, match="expected downgrade of an evaluation from 512 to"):
        EvaluationGames(STANDARD, games=1, downgrade=3)


@pytest.mark.parametrize(
    ("tiles", "expected"),
    [
        ("8192 4096 1024 512/128 32 16 0/0 0 0 0/0 0 0 0", 16384 + 256),
        ("16384 8192 0 0/0 0 0 0/0 0 0 0/0 0 0 2", 32768 + 512),
        ("16384 8192 4096 0/0 0 0 0/0 0 0 0/0 0 0 2", 32768 + 512),
        ("16384 2048 0 0/0 0 0 0/0 0 0 0/0 0 0 2", 24576 + 512),
        ("32768 8192 4096 1024/0 0 0 0/0 0 0 0/0 0 0 2", 49152 + 1024),
        ("2 0 0 0/0 0 0 0/0 0 0 0/0 0 0 0", 4),
    ],
)
def test_the_sum_of_the_next_large_tile(tiles: str, expected: int) -> None:
    assert next_sum(Board.parse(tiles)) == expected
