"""The environments equal `Game`, in every shape, with illegal actions."""

from typing import get_args

import numpy as np
import pytest

from tests.env.naive import SMALL, NaiveEnv, assert_equal
from twofold.env.games import Illegal, Observation, Reward
from twofold.env.single import Env2048
from twofold.env.vector import VectorEnv2048
from twofold.game.rules import Rules
from twofold.kernels.simd import WIDTH

COUNT = WIDTH + 2
FOLLOWED = (0, 5, COUNT - 1)
"""Games that the naive environment plays as well: two of those stepped at once, and another."""


def follow(
    rules: Rules,
    steps: int,
    seed: int,
    observation: Observation = "exponents",
    reward: Reward = "score",
    illegal: Illegal = "noop",
) -> int:
    """Random actions, legal or not, in many games and in one; returns how many games ended."""
    options = (rules, observation, reward, illegal, 0.5)
    many, one = VectorEnv2048(COUNT, *options), Env2048(*options)
    naive = {game: NaiveEnv(*options) for game in FOLLOWED}
    rng = np.random.default_rng(seed)
    observations, infos = many.reset(seed=seed)
    looks = {game: env.reset(seed + game) for game, env in naive.items()}
    first, info = one.reset(seed=seed)
    for game, (expected, said) in looks.items():
        assert_equal(observations[game], expected)
        assert {key: infos[key][game].tolist() for key in said} == said
    assert_equal(first, looks[0][0])
    assert info.keys() == looks[0][1].keys()
    ended = dict.fromkeys(FOLLOWED, False)
    endings = 0
    for _ in range(steps):
        actions = rng.integers(0, 4, COUNT)
        observations, rewards, terminated, truncated, infos = many.step(actions)
        assert not truncated.any()
        for game, env in naive.items():
            if ended[game]:
                look, said = env.reset()
                worth, over = 0.0, False
            else:
                look, worth, over, said = env.step(int(actions[game]))
            assert_equal(observations[game], look)
            assert (rewards[game], terminated[game]) == (worth, over)
            assert {key: infos[key][game].tolist() for key in said} == said
            if game == 0:
                if ended[0]:
                    first, info = one.reset()
                else:
                    first, *found, info = one.step(int(actions[0]))
                    assert found == [worth, over, False]
                assert_equal(first, look)
                assert {key: np.asarray(info[key]).tolist() for key in info} == said
            ended[game] = over
            endings += over
        assert_equal(many.action_masks(), infos["action_mask"].astype(bool))
    return endings


@pytest.mark.promise("R11")
@pytest.mark.parametrize(("rows", "cols"), SMALL)
def test_every_shape(rows: int, cols: int) -> None:
    stop = Rules(rows, cols, goal=256, stop_at_goal=True)  # else large boards last for days
    assert follow(stop if rows * cols > 16 else Rules(rows, cols), 150, seed=rows * 8 + cols) >= 0


@pytest.mark.promise("R11")
@pytest.mark.parametrize("observation", get_args(Observation))
@pytest.mark.parametrize("reward", get_args(Reward))
def test_observations_and_rewards(observation: Observation, reward: Reward) -> None:
    for text in ("4x4 goal=16 stop=goal", "2x4 spawn=2:0.3,8:0.7 goal=8"):
        assert follow(Rules.parse(text), 60, 7, observation, reward) > 0
    if observation != "bits":
        follow(Rules.parse("2x5 goal=16"), 40, 7, observation, reward)


@pytest.mark.promise("R11")
@pytest.mark.parametrize("illegal", ["noop", "penalty", "terminate"])
def test_illegal_actions(illegal: Illegal) -> None:
    for text in ("3x3", "2x2", "2x6"):
        follow(Rules.parse(text), 80, 3, illegal=illegal)


@pytest.mark.parametrize(
    "rules",
    [
        "1x2",  # often over before the first move
        "4x4 spawn=2:1 start=16",  # a full board
        "2x2 goal=4 stop=goal start=4",  # often at the goal before the first move
        "3x4 spawn=2:1,65536:1",  # does not fit 64 bits: cells from the start
        "4x4 spawn=2:0.2,8:0.3,32:0.5 start=5 goal=64",
        "2x3 spawn=4:1,16384:1",  # past 32768 within a few moves
    ],
)
@pytest.mark.parametrize("observation", ["exponents", "bits"])
def test_rules_at_the_edges(rules: str, observation: Observation) -> None:
    assert follow(Rules.parse(rules), 120, 11, observation, "log2") > 0


def test_whole_games_on_large_boards() -> None:
    follow(Rules.parse("8x8 goal=32 stop=goal"), 60, 5)
    follow(Rules.parse("1x8"), 100, 5)
