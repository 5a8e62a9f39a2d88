"""Both environments equal a naive one on `Game`: every shape, form, reward, illegal actions."""

import itertools
from typing import Any, get_args

import numpy as np
import pytest

from tests.env.naive import SMALL, NaiveEnv, assert_equal, assert_same
from twofold.env.games import Illegal, Observation, Reward
from twofold.env.single import Env2048
from twofold.env.vector import VectorEnv2048
from twofold.game.rules import Rules
from twofold.kernels.simd import WIDTH

COUNT = WIDTH + 2
FOLLOWED = (0, 5, COUNT - 1)
"""Games that the naive environment plays as well: two of those stepped at once, and another."""

FORMS = list(itertools.product(get_args(Observation), get_args(Reward)))


def follow(
    rules: str | Rules,
    steps: int,
    observation: Observation = "exponents",
    reward: Reward = "score",
    illegal: Illegal = "noop",
) -> int:
    """Random actions, legal or not, in many games and in one; returns how many games ended."""
    rules = Rules.parse(rules) if isinstance(rules, str) else rules
    options, seed = (rules, observation, reward, illegal, 0.5), 11
    many = VectorEnv2048(COUNT, *options, spawn_info=True)
    one = Env2048(*options, spawn_info=True)
    naive = {game: NaiveEnv(*options) for game in FOLLOWED}
    rng, endings = np.random.default_rng(seed), 0
    observations, infos = many.reset(seed=seed)
    found = observations, np.zeros(COUNT), np.zeros(COUNT, dtype=bool), infos
    single = begun(one.reset(seed=seed))
    expected = {game: begun(env.reset(seed + game)) for game, env in naive.items()}
    for _ in range(steps):
        for game, (look, worth, over, said) in expected.items():
            assert_equal(found[0][game], look)
            assert (found[1][game], found[2][game]) == (worth, over)
            assert {key: found[3][key][game].tolist() for key in said} == said
        look, worth, over, said = expected[0]
        assert_equal(single[0], look)
        assert single[1:3] == (worth, over)
        assert {key: np.asarray(single[3][key]).tolist() for key in single[3]} == said
        assert_equal(many.action_masks(), found[3]["action_mask"].astype(bool))
        afters = naive[0].afterstates()
        assert_same(one.afterstates(), afters)
        assert_same(tuple(part[0] for part in many.afterstates()), afters)
        actions = rng.integers(0, 4, COUNT)
        observations, rewards, ended, truncated, infos = many.step(actions)
        found = observations, rewards, ended, infos
        assert not truncated.any()
        single = begun(one.reset()) if over else untruncated(one.step(int(actions[0])))
        for game, env in naive.items():
            again = expected[game][2]
            expected[game] = begun(env.reset()) if again else env.step(int(actions[game]))
            endings += expected[game][2]
    return endings


def begun(found: tuple[Any, dict[str, Any]]) -> tuple[Any, ...]:
    """What a reset gives, as a step gives it."""
    return found[0], 0.0, False, found[1]


def untruncated(found: tuple[Any, ...]) -> tuple[Any, ...]:
    assert not found[3]
    return *found[:3], found[4]


@pytest.mark.promise("R11")
@pytest.mark.parametrize("shape", SMALL)
def test_every_shape(shape: tuple[int, int]) -> None:
    large = shape[0] * shape[1] > 16  # else such boards last for days
    assert follow(Rules(*shape, goal=256, stop_at_goal=True) if large else Rules(*shape), 60) >= 0


@pytest.mark.promise("R11")
@pytest.mark.parametrize(("observation", "reward"), FORMS)
def test_observations_and_rewards(observation: Observation, reward: Reward) -> None:
    for text in ("4x4 goal=16 stop=goal", "2x4 spawn=2:0.3,8:0.7 goal=8"):
        assert follow(text, 50, observation, reward) > 0
    if observation != "bits":
        follow("2x5 goal=16", 40, observation, reward)


@pytest.mark.promise("R11")
@pytest.mark.parametrize("illegal", ["penalty", "terminate"])
def test_illegal_actions(illegal: Illegal) -> None:
    for text in ("3x3", "2x2", "2x6"):
        follow(text, 60, illegal=illegal)


@pytest.mark.parametrize(
    "rules",
    [
        "1x2",  # often over before the first move
        "4x4 spawn=2:1 start=16",  # a full board
        "2x2 goal=4 stop=goal start=4",  # often at the goal before the first move
        "3x4 spawn=2:1,65536:1",  # does not fit 64 bits: cells from the start
        "4x4 spawn=2:0.2,8:0.3,32:0.5 start=5 goal=64",
        "2x3 spawn=4:1,16384:1",  # past 32768 within a few moves
        "8x8 goal=32 stop=goal",
    ],
)
@pytest.mark.parametrize("observation", ["exponents", "bits"])
def test_rules_at_the_edges(rules: str, observation: Observation) -> None:
    if not rules.startswith("8x8"):
        assert follow(rules, 100, observation, "log2") > 0
    elif observation != "bits":
        follow(rules, 40)
