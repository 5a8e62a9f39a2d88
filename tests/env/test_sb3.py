"""The vector for Stable-Baselines3 equals its own vector of single games; MaskablePPO learns."""

import importlib.util
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest

from tests.env.naive import assert_same
from twofold.env import ENV_ID
from twofold.errors import InvalidInput
from twofold.game.board import Board

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        importlib.util.find_spec("sb3_contrib") is None, reason="needs pip install 'twofold[sb3]'"
    ),
]

COUNT = 6


def pair(limit: int | None = None, **options: Any) -> tuple[Any, Any]:
    """Stable-Baselines3's own vector of single games, and ours."""
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    from twofold.env.sb3 import VecEnv2048

    def make() -> gymnasium.Env[Any, Any]:
        made = gymnasium.make(ENV_ID, max_episode_steps=limit, disable_env_checker=True, **options)
        return Monitor(made)

    return DummyVecEnv([make] * COUNT), VecEnv2048(COUNT, max_episode_steps=limit, **options)


def without_times(infos: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The infos, less the seconds, which both must have."""
    for info in infos:
        if "episode" in info:
            assert 0 <= info["episode"].pop("t") < 3_600
    return infos


def assert_same_step(found: Any, expected: Any) -> None:
    assert_same(found[:3], expected[:3])
    for one, other in zip(without_times(found[3]), without_times(expected[3]), strict=True):
        assert_same(one, other)


@pytest.mark.parametrize(
    ("limit", "options"),
    [
        (None, {"rules": "2x3", "spawn_info": True}),
        (7, {"rules": "2x3", "spawn_info": True}),
        (None, {"rules": "2x2", "observation": "onehot", "reward": "log2", "illegal": "penalty"}),
        (7, {"rules": "3x3 goal=16 stop=goal", "observation": "tiles", "illegal": "terminate"}),
    ],
    ids=str,
)
def test_steps_equal_those_of_single_environments(
    limit: int | None, options: dict[str, Any]
) -> None:
    slow, fast = pair(limit, **options)
    assert fast.observation_space == slow.observation_space
    assert fast.action_space == slow.action_space
    rng, endings, truncations = np.random.default_rng(1), 0, 0
    for seed in (5, 2**40, None):
        if seed is not None:
            assert fast.seed(seed) == slow.seed(seed)
        assert_same(fast.reset(), slow.reset())
        assert_same({"infos": tuple(fast.reset_infos)}, {"infos": tuple(slow.reset_infos)})
        for _ in range(60):
            masks = fast.env_method("action_masks")
            assert_same(tuple(masks), tuple(slow.env_method("action_masks")))
            actions = rng.integers(0, 4, COUNT)
            found = fast.step(actions)
            assert_same_step(found, slow.step(actions))
            assert_same(tuple(fast.reset_infos), tuple(slow.reset_infos))
            endings += int(found[2].sum())
            truncations += sum(info["TimeLimit.truncated"] for info in found[3])
    assert endings > 3 * COUNT
    assert (truncations > 0) == (limit is not None)


def test_options_hold_for_the_next_reset() -> None:
    slow, fast = pair(rules="2x2")
    each: list[dict[str, Any]] = [{}] * COUNT
    each[1], each[4] = {"board": "2x2:12/00", "score": 8}, {"board": Board.parse("2x2:00/34")}
    for options in (each, {"board": "2x2:11/00"}, each, None):
        for envs in (slow, fast):
            envs.set_options(options)
        for seed in (3, None, None):
            if seed is not None or not fast.reset_infos[0]:
                assert fast.seed(seed) == slow.seed(seed)
            assert_same(fast.reset(), slow.reset())
            assert_same(tuple(fast.reset_infos), tuple(slow.reset_infos))
    assert fast.get_attr("board", [1, 4]) == slow.get_attr("board", [1, 4])


def test_attributes_methods_and_frames_of_games() -> None:
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
    from stable_baselines3.common.monitor import Monitor

    slow, fast = pair(rules="2x3", render_mode="rgb_array")
    for envs in (slow, fast):
        envs.seed(1)
        envs.reset()
        assert is_masking_supported(envs)
        assert not envs.has_attr("stage")
        envs.set_attr("stage", 1)
        envs.set_attr("stage", 2, indices=[0, 3])
        assert envs.get_attr("stage") == [2, 1, 1, 2, 1, 1]
        assert envs.get_attr("stage", indices=3) == [2]
        assert envs.env_is_wrapped(Monitor) == [True] * COUNT
        assert envs.env_is_wrapped(gymnasium.Wrapper, indices=[0]) == [envs is slow]
        with pytest.raises(AttributeError):
            envs.get_attr("nonsense")
    assert_same(get_action_masks(fast), get_action_masks(slow))
    assert_same(fast.render(), slow.render())
    assert pair(rules="2x2")[1].get_images() == [None] * COUNT
    fast.close()


def test_the_checker_of_stable_baselines_finds_no_fault() -> None:
    """It only advises on observations for networks of images: a board is none."""
    from stable_baselines3.common.env_checker import check_env

    for observation in ("exponents", "onehot", "tiles"):
        with warnings.catch_warnings(record=True) as advice:
            warnings.simplefilter("always")
            check_env(gymnasium.make(ENV_ID, observation=observation).unwrapped)
        assert all("image" in str(one.message) for one in advice)


@pytest.mark.parametrize("given", [{"autoreset_mode": "DISABLED"}, {"copy": False}], ids=str)
def test_options_that_stable_baselines_settles_are_refused(given: dict[str, Any]) -> None:
    from twofold.env.sb3 import VecEnv2048

    with pytest.raises(InvalidInput, match=f"expected no {next(iter(given))}: VecEnv2048"):
        VecEnv2048(4, **given)


def test_maskable_ppo_learns_and_obeys_the_masks() -> None:
    """An illegal action raises here. One thread: more wait for each other on busy cores."""
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.evaluation import evaluate_policy

    from twofold.env.sb3 import VecEnv2048

    torch.set_num_threads(1)
    options = {"rules": "2x2", "observation": "onehot", "reward": "log2", "illegal": "error"}
    model = MaskablePPO(
        "MlpPolicy", VecEnv2048(64, **options), n_steps=32, batch_size=256, seed=1, device="cpu"
    )
    judge = VecEnv2048(50, **options)
    means = []
    for steps in (0, 30_000):
        if steps:
            model.learn(steps)
        judge.seed(10**6)
        mean, _ = evaluate_policy(model, judge, n_eval_episodes=500, deterministic=False)
        means.append(mean)
    assert len(model.ep_info_buffer) == 100
    assert means[1] > 1.5 * means[0]
