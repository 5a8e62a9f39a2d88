"""Training games, on a processor and as tensors, follow the rules and go on from a state."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.policies import make_policy, write
from twofold.errors import InvalidNetwork
from twofold.game import reference
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.kernels.policy import moves_back, turn_each
from twofold.learn.policy_games import FIRST_SEED, TrainingGames, TrialGames
from twofold.learn.policy_settings import PolicySettings
from twofold.players import make_player, play_game

GAMES = 32


def of(text: str, **more: Any) -> PolicySettings:
    usual: dict[str, Any] = {"games": GAMES, "symmetric": False}
    return PolicySettings(rules=Rules.parse(text), **(usual | more))


class OnCard:
    """`CardGames`, on a processor, with the interface of `TrainingGames`."""

    def __init__(self, settings: PolicySettings) -> None:
        import torch

        from twofold.learn.card_games import CardGames

        self.torch, self.shape = torch, (settings.games, *settings.rules.shape)
        self.random = torch.Generator().manual_seed(settings.seed)
        self.games: Any = CardGames(settings, self.random)
        self.ended = np.zeros(settings.games, dtype=bool)

    def drawn(self, width: int) -> Any:
        return self.torch.rand(len(self.games), width, generator=self.random)

    @property
    def boards(self) -> NDArray[Any]:
        boards: NDArray[Any] = self.games.boards.numpy().copy()
        return boards.reshape(self.shape)

    @property
    def legal(self) -> NDArray[np.int8]:
        legal: NDArray[np.int8] = self.games.legal.numpy().astype(np.int8)
        return legal

    def step(self, moves: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        whole = self.games.whole.numpy().copy()
        noise = self.drawn(self.games.noise)
        paid, ended, results = self.games.step(self.torch.from_numpy(moves), noise)
        self.ended = ended.numpy()
        return paid.numpy(), results.numpy()[self.ended & whole]

    def state(self) -> dict[str, Any]:
        return {**self.games.state(), "random": self.random.get_state()}

    def restore(self, state: dict[str, Any]) -> None:
        self.games.restore({name: one for name, one in state.items() if name != "random"})
        self.random.set_state(state["random"])


NEEDS_TORCH = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="needs pip install 'twofold[policy]'"
)
CARD = pytest.param(OnCard, marks=[pytest.mark.long, NEEDS_TORCH])
each_kind = pytest.mark.parametrize("kind", [TrainingGames, CARD])


def some_legal(games: Any, random: np.random.Generator) -> NDArray[np.int64]:
    chosen: NDArray[np.int64] = (games.legal * random.random(games.legal.shape)).argmax(axis=1)
    return chosen


@each_kind
@pytest.mark.parametrize("text", ["4x4", "2x2", "3x5", "1x4", "3x3 spawn=2:0.5,8:0.5 start=3"])
def test_moves_follow_the_rules(kind: Any, text: str) -> None:
    rules, random = Rules.parse(text), np.random.default_rng(1)
    games = kind(of(text))
    scores, counts, spawned = [0] * GAMES, [0] * GAMES, list[int]()
    for _ in range(60):
        before, legal = games.boards.reshape(GAMES, -1).tolist(), games.legal.tolist()
        moves = some_legal(games, random)
        paid, results = games.step(moves)
        shown, over = games.boards.reshape(GAMES, -1).tolist(), []
        for game, (board, now) in enumerate(zip(before, shown, strict=True)):
            slides = [reference.slide(board, *rules.shape, move) for move in reference.MOVES]
            assert legal[game] == [list(after) != board for after, _ in slides]
            after, points = slides[moves[game]]
            assert paid[game] == points
            scores[game], counts[game] = scores[game] + points, counts[game] + 1
            if games.ended[game]:
                assert len([tile for tile in now if tile]) == rules.start_tiles
                over.append([scores[game], counts[game]])
                scores[game] = counts[game] = 0
            else:
                spawned += [new for new, old in zip(now, after, strict=True) if new != old]
        assert results[:, :2].tolist() == over
    assert len(spawned) > GAMES
    chances = zip(rules.spawn_exponents, rules.spawn_probabilities, strict=True)
    for exponent, chance in chances:
        assert spawned.count(exponent) / len(spawned) == pytest.approx(chance, abs=0.05)


@pytest.mark.parametrize("text", ["4x4", "2x2", "3x5"])
def test_games_are_those_of_their_seeds(text: str) -> None:
    rules = Rules.parse(text)
    games = TrainingGames(of(text, games=3, seed=50))
    twins = [Game(rules, seed=50 + number) for number in range(3)]
    begun = 3
    for _ in range(400):
        moves = games.legal.argmax(axis=1)
        _, results = games.step(moves)
        over = []
        for number, twin in enumerate(twins):
            twin.play(Move(int(moves[number])))
            assert games.ended[number] == twin.is_finished
            if twin.is_finished:
                over.append([twin.score, twin.move_number, twin.board.max_exponent])
                twins[number] = Game(rules, seed=50 + begun)
                begun += 1
            assert games.boards[number].reshape(-1).tolist() == list(twins[number].board.exponents)
        assert results.tolist() == over


def test_games_shown_turned_are_the_same_games() -> None:
    turned, plain = (
        TrainingGames(of("3x3", games=8, symmetric=symmetric)) for symmetric in (True, False)
    )
    forms, legal = np.empty_like(plain.boards), np.empty_like(plain.legal)
    turns, back = np.empty(8, dtype=np.int64), np.empty(8, dtype=np.int64)
    for _ in range(300):
        turn_each(plain.boards, plain.legal, forms, legal, turns)
        assert np.array_equal(turned.boards, forms)
        assert np.array_equal(turned.legal, legal)
        moves = turned.legal.argmax(axis=1)
        moves_back(moves, turns, back)
        (paid, results), (same, others) = turned.step(moves), plain.step(back)
        assert np.array_equal(paid, same)
        assert np.array_equal(results, others)


@each_kind
@pytest.mark.parametrize("text", ["4x4", "3x5"])
def test_boards_stand_in_their_last_form_and_an_end_pays_what_the_reward_says(
    kind: Any, text: str
) -> None:
    random = np.random.default_rng(1)
    games = kind(of(text, reward="large", symmetric=True))
    for _ in range(300):
        paid, _ = games.step(some_legal(games, random))
        assert (paid[games.ended] < 0).all()
        assert (paid[~games.ended] >= 0).all()
        forms, legal = np.empty_like(games.boards), np.empty_like(games.legal)
        turn_each(games.boards, games.legal, forms, legal, np.empty(GAMES, dtype=np.int64))
        assert np.array_equal(games.boards, forms)


@each_kind
def test_scaffolds_place_large_tiles_and_are_not_counted(kind: Any) -> None:
    random, placed, counted, ended = np.random.default_rng(1), 0, 0, 0
    games = kind(of("3x3", games=64, scaffold=0.9, seed=3))
    for _ in range(400):
        _, results = games.step(some_legal(games, random))
        begun = games.boards.reshape(64, -1)[games.ended]
        placed += int((begun.max(axis=1, initial=0) >= 3).sum())
        counted += len(results)
        ended += len(begun)
    assert placed == pytest.approx(0.9 * ended, rel=0.1)
    assert counted == pytest.approx(0.1 * ended, rel=0.5)


@each_kind
def test_a_state_goes_on_as_the_games_would(kind: Any) -> None:
    random = np.random.default_rng(1)
    games, other = (kind(of("3x3", scaffold=0.5, symmetric=True, seed=seed)) for seed in (9, 1))
    for _ in range(120):
        games.step(some_legal(games, random))
    other.restore(games.state())
    for _ in range(200):
        assert np.array_equal(other.boards, games.boards)
        moves = some_legal(games, random)
        for one, same in zip(games.step(moves), other.step(moves), strict=True):
            assert np.array_equal(one, same)


@each_kind
def test_the_state_of_other_games_and_an_impossible_one_are_refused(kind: Any) -> None:
    games = kind(of("3x3"))
    with pytest.raises(InvalidNetwork, match=r"uint8 boards of shape \(32, 9\), got .* in 32 game"):
        games.restore(kind(of("3x3", games=4)).state())
    for score in (-1, 2**63 - 1):
        with pytest.raises(InvalidNetwork, match="expected scores from 0 to"):
            games.restore({**games.state(), "scores": np.full(GAMES, score)})
    for exponent, words in ((0, "boards of games"), (10, "boards of games"), (11, "exponents up")):
        state = games.state()
        state["boards"][:] = exponent  # no tile, more than its rules can make, one too large
        with pytest.raises(InvalidNetwork, match=f"expected {words}"):
            games.restore(state)


@pytest.mark.parametrize("kind", [CARD])
def test_first_tiles_and_first_moves_are_drawn_from_different_numbers(kind: type[OnCard]) -> None:
    one, other = (kind(of("4x4")) for _ in range(2))
    other.random.manual_seed(1)
    assert not one.drawn(4).equal(other.drawn(4))


# Test games: the same every time, greedy as the player plays them


def test_greedy_games_are_those_of_the_player(tmp_path: Path) -> None:
    network, rules = make_policy((2, 3), exponents=8), Rules.parse("2x3")
    path = write(tmp_path / "net.safetensors", network)
    found = TrialGames(rules, games=20)(network)
    assert found is not None
    with make_player(f"policy:net={path}") as player:
        games = [play_game(player, rules, FIRST_SEED + number) for number in range(20)]
    assert found.mean == round(sum(game.score for game in games if game) / 20, 2)
    assert found.margin is not None
    assert found.reached["8"] == 1.0
    assert found == TrialGames(rules, games=20)(network)
    assert found.sampled not in (None, found.mean)
    assert TrialGames(rules, games=5, stop=lambda: True)(network) is None
