"""Games as tensors follow the rules and go on from a state; what is estimated from them."""

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from twofold.errors import InvalidNetwork
from twofold.game import reference
from twofold.game.rules import Rules
from twofold.kernels.policy import turn_each
from twofold.values.policy_network import find_reward

if TYPE_CHECKING:
    import torch


pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        importlib.util.find_spec("torch") is None, reason="needs pip install 'twofold[policy]'"
    ),
]

GAMES = 32
RULES = ["4x4", "2x2", "3x5", "1x4", "3x3 spawn=2:0.5,8:0.5 start=3"]


class Played:
    """Games of random moves."""

    def __init__(self, rules: str, *, reward: str = "points", seed: int = 1, **more: Any) -> None:
        import torch

        from twofold.learn.card_games import CardGames

        self.rules = Rules.parse(rules)
        self.random = torch.Generator().manual_seed(seed)
        self.games = CardGames(
            self.rules, GAMES, find_reward(reward), generator=self.random, **more
        )

    def drawn(self, width: int) -> "torch.Tensor":
        import torch

        return torch.rand(GAMES, width, generator=self.random)

    def step(self) -> "tuple[torch.Tensor, ...]":
        """A legal move in every game: the moves, and what `step` returns."""
        moves = (self.games.legal * self.drawn(4)).argmax(1)
        return moves, *self.games.step(moves, self.drawn(self.games.noise))


@pytest.mark.parametrize("rules", RULES)
def test_moves_follow_the_rules(rules: str) -> None:
    played = Played(rules)
    games, shape = played.games, played.rules.shape
    spawned = []
    for _ in range(60):
        before, legal = games.boards.tolist(), games.legal.tolist()
        scores, counts = games.scores.tolist(), games.moves.tolist()
        moves, paid, ended, results = (one.tolist() for one in played.step())
        for game, board in enumerate(before):
            slides = [reference.slide(board, *shape, move) for move in reference.MOVES]
            assert legal[game] == [list(after) != board for after, _ in slides]
            after, points = slides[moves[game]]
            assert paid[game] == points
            assert results[game][:2] == [scores[game] + points, counts[game] + 1]
            now = games.boards[game].tolist()
            if ended[game]:
                assert games.scores[game] == games.moves[game] == 0
                assert len([tile for tile in now if tile]) == played.rules.start_tiles
            else:
                new = [
                    cell for cell, one, other in zip(now, now, after, strict=True) if one != other
                ]
                assert len(new) == 1
                assert games.legal[game].any()
                spawned += new
    for exponent, chance in zip(
        played.rules.spawn_exponents, played.rules.spawn_probabilities, strict=True
    ):
        assert spawned.count(exponent) / len(spawned) == pytest.approx(chance, abs=0.05)


def test_first_tiles_and_first_moves_are_drawn_from_different_numbers() -> None:
    import torch

    played, drawn = Played("4x4"), torch.Generator().manual_seed(1)
    assert not played.drawn(4).equal(torch.rand(GAMES, 4, generator=drawn))


@pytest.mark.parametrize("rules", RULES)
def test_boards_stand_in_their_last_form(rules: str) -> None:
    played = Played(rules, symmetric=True)
    for _ in range(60):
        played.step()
        boards = played.games.boards.numpy().reshape(GAMES, *played.rules.shape)
        legal = played.games.legal.numpy().astype(np.int8)
        forms, found = np.empty_like(boards), np.empty_like(legal)
        turn_each(boards, legal, forms, found, np.empty(GAMES, dtype=np.int64))
        assert np.array_equal(boards, forms)


def test_the_end_of_a_game_pays_what_the_reward_says() -> None:
    played = Played("2x2", reward="large")
    over = 0
    for _ in range(60):
        _, paid, ended, _ = played.step()
        assert (paid[ended] < 0).all()
        assert (paid[~ended] >= 0).all()
        over += int(ended.sum())
    assert over


def test_scaffolds_place_large_tiles() -> None:
    played = Played("3x3", scaffold=0.9)
    begun, placed = 0, 0
    for _ in range(300):
        _, _, ended, _ = played.step()
        games = played.games
        begun += int(ended.sum())
        placed += int((ended & ~games.whole).sum())
        assert (games.boards[ended & ~games.whole].amax(1) >= 3).all()
        assert (games.boards[ended & games.whole].amax(1) <= 2).all()
    assert placed == pytest.approx(0.9 * begun, rel=0.1)


def test_a_state_goes_on_as_the_games_would() -> None:
    played, other = (Played("3x3", scaffold=0.5, symmetric=True, seed=seed) for seed in (1, 2))
    for _ in range(100):
        played.step()
    other.games.restore(played.games.state())
    other.random.set_state(played.random.get_state())
    for _ in range(100):
        for one, same in zip(played.step(), other.step(), strict=True):
            assert one.equal(same)
        assert played.games.boards.equal(other.games.boards)


@pytest.mark.parametrize("exponent", [0, 10, 11])
def test_the_state_of_other_games_is_refused(exponent: int) -> None:
    games = Played("3x3").games
    state = games.state()
    state["boards"][:] = exponent  # no tile, one that is too large, one that cannot be
    with pytest.raises(InvalidNetwork, match=r"expected (boards of games|exponents up to 10)"):
        games.restore(state)
    with pytest.raises(InvalidNetwork, match="boards"):
        games.restore(Played("2x2").games.state())


def test_a_model_learns_from_them(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from twofold.learn import ppo
    from twofold.learn.card_games import CardGames
    from twofold.learn.policy_settings import PolicySettings
    from twofold.learn.policy_training import PolicyTraining

    def on_card(*arguments: Any, seed: int, **more: Any) -> CardGames:
        drawn = torch.Generator().manual_seed(seed)
        return CardGames(*arguments, generator=drawn, **more)

    monkeypatch.setattr(ppo, "TrainingGames", on_card)
    settings = PolicySettings(
        rules=Rules.parse("2x2"), hidden=(32,), exponents=6, games=256, horizon=16, gamma=1.0
    )
    training = PolicyTraining(settings, moves=400_000, device="cpu")
    training.run()
    assert isinstance(training.learner.play.games, CardGames)
    assert training.curve.points[-1].mean > training.curve.points[0].mean + 10


def test_advantages_equal_the_sum_over_errors() -> None:
    import torch

    from twofold.learn.ppo import advantages

    dice = np.random.default_rng(5)
    steps, games, gamma, decay = 9, 4, 0.9, 0.7
    rewards = dice.normal(size=(steps, games)).astype(np.float32)
    values = dice.normal(size=(steps + 1, games)).astype(np.float32)
    ended = dice.random((steps, games)) < 0.2
    arrays = torch.from_numpy(rewards), torch.from_numpy(values), torch.from_numpy(ended)
    found = advantages(*arrays, gamma, decay)
    for game in range(games):
        for step in range(steps):
            total, factor = 0.0, 1.0
            for later in range(step, steps):
                stays = not ended[later, game]
                error = rewards[later, game] - values[later, game]
                error += gamma * values[later + 1, game] * stays
                total += factor * error
                if not stays:
                    break
                factor *= gamma * decay
            assert found[step, game].item() == pytest.approx(total, rel=1e-4, abs=1e-5)
