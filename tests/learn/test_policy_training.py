"""Policy runs: small boards are learnt, runs resume exactly, damaged checkpoints are refused."""

import importlib.util
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.support.greedy import mean_score
from tests.support.policies import write
from twofold.errors import InvalidNetwork
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.learn.policy_settings import PolicySettings
from twofold.storage.arrays import map_tensors, write_tensors
from twofold.values.policy_network import read_policy_card

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        importlib.util.find_spec("torch") is None, reason="needs pip install 'twofold[policy]'"
    ),
]

Tensors = dict[str, Any]
State = dict[str, Any]
Damage = Callable[[Tensors, State], tuple[Tensors, State]]
"""Changes the tensors and the state of a checkpoint."""

TINY = PolicySettings(
    rules=Rules.parse("2x2"), hidden=(16, 8), exponents=6, games=16, horizon=8, minibatch=32
)
LARGER = PolicySettings(
    rules=Rules.parse("2x3"),
    hidden=(128, 128),
    exponents=8,
    games=512,
    horizon=16,
    minibatch=512,
    epochs=2,
    learning_rate=2e-3,
    gamma=1.0,
    decay=0.9,
    entropy=0.1,
    final_rate=0.01,
)


def test_greedy_play_of_2x3_is_within_3_percent_of_the_optimum() -> None:
    from twofold.learn.policy_training import PolicyTraining

    training = PolicyTraining(LARGER, moves=12_000_000, device="cpu")
    training.run()
    network = training.network

    def choose(board: Board) -> Move:
        logits = network.think(board).logits
        return max(board.legal_moves(), key=lambda move: logits[move])

    assert mean_score(choose, LARGER.rules) > 0.97 * 480.2583  # the optimum, docs/exact.md


def test_a_model_learns_from_games_on_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from twofold.learn import ppo
    from twofold.learn.card_games import CardGames
    from twofold.learn.policy_training import PolicyTraining

    on_card = lambda settings: CardGames(settings, torch.Generator().manual_seed(1))  # noqa: E731
    monkeypatch.setattr(ppo, "TrainingGames", on_card)
    settings = PolicySettings(
        rules=Rules.parse("2x2"), hidden=(32,), exponents=6, games=256, horizon=16, gamma=1.0
    )
    training = PolicyTraining(settings, moves=400_000, device="cpu")
    training.run()
    assert isinstance(training.learner.play.games, CardGames)
    assert training.curve.points[-1].mean > training.curve.points[0].mean + 10


def test_only_legal_moves_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where every number drawn is 0; the games refuse an illegal move."""
    import torch

    from twofold.learn.policy_training import PolicyTraining

    training = PolicyTraining(TINY, device="cpu")
    monkeypatch.setattr(torch, "rand", lambda shape, **_: torch.zeros(shape))
    played, _ = training.learner.play()
    assert played.legal.gather(1, played.moves[:, None]).all()


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


def test_a_run_resumes_exactly(tmp_path: Path) -> None:
    from twofold.learn.policy_training import PolicyTraining, load, save

    settings = replace(TINY, scaffold=0.3)
    moves = settings.games * settings.horizon * 8
    whole = PolicyTraining(settings, moves=moves, device="cpu")
    whole.run()
    part = PolicyTraining(settings, moves=moves, device="cpu")
    stop = threading.Event()
    part.run(stop=stop, every=0.0, on_progress=lambda _: stop.set())
    assert 0 < part.moves < moves
    save(part, tmp_path / "run.safetensors")
    resumed = load(tmp_path / "run.safetensors", device="cpu")
    assert resumed.moves == part.moves
    resumed.run()
    whole.curve.points = resumed.curve.points  # their times differ
    whole.curve.seconds = resumed.curve.seconds
    assert (resumed.moves, resumed.curve) == (whole.moves, whole.curve)
    for one, other in zip(resumed.network.arrays(), whole.network.arrays(), strict=True):
        assert np.array_equal(one, other)


def test_a_run_starts_from_the_weights_of_another(tmp_path: Path) -> None:
    from twofold.learn.policy_training import PolicyTraining, load, save, start_from

    path, again = tmp_path / "run.safetensors", tmp_path / "again.safetensors"
    first = PolicyTraining(TINY, moves=TINY.games * TINY.horizon * 4, device="cpu")
    first.run()
    save(first, path)
    other = replace(TINY, seed=TINY.seed + 1, horizon=4)
    second = PolicyTraining(other, moves=TINY.games * 4, device="cpu")
    start_from(second, path)
    for one, before in zip(second.network.arrays(), first.network.arrays(), strict=True):
        assert np.array_equal(one, before)
    save(second, again)  # before its first update
    second = load(again, device="cpu")
    second.run()
    save(second, again)
    earlier = [{"method": TINY.describe(), "games": first.curve.games}]
    assert (read_policy_card(again).before, load(again, device="cpu").before) == (earlier, earlier)
    with pytest.raises(InvalidNetwork, match="float32"):
        start_from(PolicyTraining(replace(TINY, hidden=(8,)), device="cpu"), path)
    with pytest.raises(InvalidNetwork, match="checkpoint of a policy run"):
        start_from(second, write(tmp_path / "plain.safetensors"))


def test_the_network_gives_what_the_model_gives() -> None:
    import torch

    from twofold.learn.policy_training import PolicyTraining

    settings = replace(TINY, symmetric=False)  # the model itself does not turn boards
    training = PolicyTraining(settings, moves=512, device="cpu")
    training.run()
    model, network = training.learner.model, training.network
    model.bfloat16 = False
    boards = np.random.default_rng(2).integers(0, 8, (50, 4)).astype(np.uint8)
    with torch.no_grad():
        logits, values = model(torch.from_numpy(boards))
        values = values * model.spread + model.middle
    found = network.outputs(boards)
    assert np.allclose(found[:, :4], logits.numpy(), rtol=1e-4, atol=1e-4)
    assert np.allclose(found[:, 4], values.numpy(), rtol=1e-4, atol=1e-3)


def test_bfloat16_changes_outputs_little() -> None:
    import torch

    from twofold.learn.ppo import PolicyModel

    model = PolicyModel(TINY)
    boards = torch.randint(0, 8, (200, 4), dtype=torch.uint8)
    with torch.no_grad():
        model.head.weight.mul_(100)  # outputs of about 1
        logits, values = model(boards)
        model.bfloat16 = True
        brief_logits, brief_values = model(boards)
    assert brief_logits.dtype == brief_values.dtype == torch.float32
    assert torch.allclose(brief_logits, logits, atol=0.1)
    assert torch.allclose(brief_values, values, atol=0.1)


def test_following_the_returns_changes_no_value() -> None:
    import torch

    from twofold.learn.ppo import PolicyModel

    model = PolicyModel(TINY)
    boards = torch.randint(0, 5, (20, 4), dtype=torch.uint8)
    before = (model(boards)[1] * model.spread + model.middle).detach()
    for shift in (5.0, -300.0, 1e4):
        model.follow(torch.randn(1000) * 40 + shift)
    after = (model(boards)[1] * model.spread + model.middle).detach()
    assert torch.allclose(before, after, rtol=1e-3, atol=1e-2)


def without(name: str) -> Damage:
    return lambda tensors, state: ({key: one for key, one in tensors.items() if key != name}, state)


def changed(name: str, change: Callable[[Any], Any]) -> Damage:
    return lambda tensors, state: ({**tensors, name: change(tensors[name])}, state)


def vast(tensors: Tensors, state: State) -> tuple[Tensors, State]:
    """A small file with a network of gigabytes."""
    return tensors, {**state, "settings": {**state["settings"], "hidden": [8192] * 16}}


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (without("model.head.weight"), "model.head.weight"),
        (without("games.boards"), "boards"),
        (without("optimizer.0.exp_avg"), "optimizer.0.exp_avg"),
        (without("choices"), "choices"),
        (lambda tensors, state: (tensors, {}), "the checkpoint of a policy run, got none"),
        (vast, r"expected float32 model.first of shape \(\d+, \d+, 8192\)"),
        (changed("model.first", lambda one: np.full_like(one, 3.4e38)), r"run\.safetensors"),
        *(
            (changed(name, lambda one: -1 - np.abs(one)), "of 0 or more of the optimiser")
            for name in ("optimizer.0.step", "optimizer.0.exp_avg_sq")
        ),
    ],
)
def test_damaged_checkpoints_are_refused(damage: Damage, words: str, tmp_path: Path) -> None:
    """Parts are missing, have no finite outputs, or are states that no optimiser has."""
    from twofold.learn.policy_training import STATE, PolicyTraining, load, save

    path = tmp_path / "run.safetensors"
    training = PolicyTraining(TINY, moves=256, device="cpu")
    training.run()
    save(training, path)
    file = map_tensors(path)
    found = {name: np.array(one) for name, one in file.tensors.items()}
    tensors, state = damage(found, json.loads(file.metadata[STATE]))
    texts = {name: one for name, one in file.metadata.items() if name != STATE}
    write_tensors(path, tensors, texts | ({STATE: json.dumps(state)} if state else {}))
    with pytest.raises(InvalidNetwork, match=words):
        load(path)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_repeated_calculation_gives_what_its_function_gives(device: str) -> None:
    import torch

    from twofold.learn.ppo import WARM_UP, Repeated

    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs a graphics card that PyTorch can use")
    total = torch.zeros(3, device=device)

    def add(one: torch.Tensor, two: torch.Tensor) -> torch.Tensor:
        total.add_(one * two)
        return total * 2

    repeated = Repeated(add, torch.device(device))
    expected = torch.zeros(3)
    for number in range(WARM_UP + 5):
        one, two = torch.full((3,), float(number)), torch.arange(3.0)
        expected += one * two
        assert torch.equal(repeated(one.to(device), two.to(device)).cpu(), expected * 2)
        assert torch.equal(total.cpu(), expected)
