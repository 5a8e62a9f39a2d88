"""Test games: the same every time, greedy as the player plays them, and stopped when asked."""

from pathlib import Path

from tests.support.policies import make_policy, write
from twofold.game.rules import Rules
from twofold.learn.policy_games import FIRST_SEED, TrialGames
from twofold.players import make_player, play_game

RULES = Rules.parse("2x3")


def test_greedy_games_are_those_of_the_player(tmp_path: Path) -> None:
    network = make_policy((2, 3), exponents=8)
    path = write(tmp_path / "net.safetensors", network)
    found = TrialGames(RULES, games=20)(network)
    assert found is not None
    scores = []
    with make_player(f"policy:net={path}") as player:
        for number in range(20):
            game = play_game(player, RULES, FIRST_SEED + number)
            assert game is not None
            scores.append(game.score)
    assert found.mean == round(sum(scores) / 20, 2)
    assert found.margin is not None
    assert found.reached["8"] == 1.0
    assert found == TrialGames(RULES, games=20)(network)
    assert found.sampled is not None
    assert found.sampled != found.mean


def test_a_stop_ends_them_without_a_result() -> None:
    assert TrialGames(RULES, games=5, stop=lambda: True)(make_policy((2, 3))) is None
