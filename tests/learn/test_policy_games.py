"""Training games are those of their seeds and go on from a state; test games repeat."""

from pathlib import Path

import numpy as np
import pytest

from tests.support.policies import make_policy, write
from twofold.errors import InvalidNetwork
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.kernels.policy import moves_back, turn_each
from twofold.learn.policy_games import FIRST_SEED, TrainingGames, TrialGames
from twofold.players import make_player, play_game
from twofold.values.policy_network import find_reward

POINTS = find_reward("points")


def first_legal(games: TrainingGames) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    moves: np.ndarray[tuple[int, ...], np.dtype[np.int64]] = games.legal.argmax(axis=1)
    return moves


@pytest.mark.parametrize("text", ["4x4", "2x2", "3x5"])
def test_games_are_those_of_their_seeds(text: str) -> None:
    rules = Rules.parse(text)
    games = TrainingGames(rules, 3, POINTS, seed=50)
    twins = [Game(rules, seed=50 + number) for number in range(3)]
    begun, ended = 3, 0
    for _ in range(400):
        moves = first_legal(games)
        paid, results = games.step(moves)
        over = []
        for number, twin in enumerate(twins):
            before = twin.score
            twin.play(Move(int(moves[number])))
            assert paid[number] == twin.score - before
            assert games.ended[number] == twin.is_finished
            if twin.is_finished:
                over.append([twin.score, twin.move_number, twin.board.max_exponent])
                twins[number] = Game(rules, seed=50 + begun)
                begun += 1
            assert games.boards[number].reshape(-1).tolist() == list(twins[number].board.exponents)
        assert results.tolist() == over
        ended += len(over)
    assert ended or text == "3x5"


def test_games_shown_turned_are_the_same_games() -> None:
    rules = Rules.parse("3x3")
    turned = TrainingGames(rules, 8, POINTS, seed=9, symmetric=True)
    plain = TrainingGames(rules, 8, POINTS, seed=9)
    forms, legal = np.empty_like(plain.boards), np.empty_like(plain.legal)
    turns, back = np.empty(8, dtype=np.int64), np.empty(8, dtype=np.int64)
    counted = 0
    for _ in range(300):
        turn_each(plain.boards, plain.legal, forms, legal, turns)
        assert np.array_equal(turned.boards, forms)
        assert np.array_equal(turned.legal, legal)
        assert np.array_equal(turned.state()["boards"], plain.boards.reshape(8, -1))
        moves = first_legal(turned)
        moves_back(moves, turns, back)
        paid, results = turned.step(moves)
        same, others = plain.step(back)
        assert np.array_equal(paid, same)
        assert np.array_equal(results, others)
        counted += len(results)
    assert counted


def test_the_end_of_a_game_pays_what_the_reward_says() -> None:
    large = find_reward("large")
    games = TrainingGames(Rules.parse("2x2"), 20, large, seed=1)
    for _ in range(60):
        paid, _ = games.step(first_legal(games))
        assert (paid[games.ended] < 0).all()
        assert (paid[~games.ended] >= 0).all()


def test_scaffolds_place_large_tiles_and_are_not_counted() -> None:
    rules = Rules.parse("3x3")
    games = TrainingGames(rules, 64, POINTS, scaffold=0.9, seed=3)
    placed, counted, ended = 0, 0, 0
    for _ in range(400):
        _, results = games.step(first_legal(games))
        begun = games.boards.reshape(64, -1)[games.ended]
        placed += int((begun.max(axis=1) >= 3).sum()) if len(begun) else 0
        counted += len(results)
        ended += int(games.ended.sum())
    assert placed > 0.6 * ended
    assert counted < ended


def test_a_state_goes_on_as_the_games_would() -> None:
    rules = Rules.parse("3x3")
    games = TrainingGames(rules, 8, POINTS, scaffold=0.5, seed=9)
    for _ in range(120):
        games.step(first_legal(games))
    other = TrainingGames(rules, 8, POINTS, scaffold=0.5, seed=1)
    other.restore(games.state())
    assert np.array_equal(other.boards, games.boards)
    for _ in range(200):
        paid, results = games.step(first_legal(games))
        also, same = other.step(first_legal(other))
        assert np.array_equal(paid, also)
        assert np.array_equal(results, same)
        assert np.array_equal(other.boards, games.boards)


def test_a_state_with_an_impossible_tile_is_refused() -> None:
    games = TrainingGames(Rules.parse("3x3"), 8, POINTS)
    state = games.state()
    state["boards"][5, 2] = 11
    with pytest.raises(InvalidNetwork, match="expected exponents up to 10, got 11"):
        games.restore(state)
    for score in (-1, 2**63 - 1):
        with pytest.raises(InvalidNetwork, match="expected scores from 0 to"):
            games.restore({**games.state(), "scores": np.full(8, score)})
    for exponent in (0, 10):  # none, and more than its rules can make
        state["boards"][:] = exponent
        with pytest.raises(InvalidNetwork, match="expected boards of games"):
            games.restore(state)


# Test games: the same every time, greedy as the player plays them


def test_greedy_games_are_those_of_the_player(tmp_path: Path) -> None:
    network = make_policy((2, 3), exponents=8)
    path = write(tmp_path / "net.safetensors", network)
    found = TrialGames(Rules.parse("2x3"), games=20)(network)
    assert found is not None
    scores = []
    with make_player(f"policy:net={path}") as player:
        for number in range(20):
            game = play_game(player, Rules.parse("2x3"), FIRST_SEED + number)
            assert game is not None
            scores.append(game.score)
    assert found.mean == round(sum(scores) / 20, 2)
    assert found.margin is not None
    assert found.reached["8"] == 1.0
    assert found == TrialGames(Rules.parse("2x3"), games=20)(network)
    assert found.sampled is not None
    assert found.sampled != found.mean


def test_a_stop_ends_them_without_a_result() -> None:
    assert TrialGames(Rules.parse("2x3"), games=5, stop=lambda: True)(make_policy((2, 3))) is None
