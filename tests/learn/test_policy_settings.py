"""Settings of policy runs: ranges, what describes them."""

from typing import Any

import pytest

from twofold.errors import InvalidInput
from twofold.learn.policy_settings import PolicySettings
from twofold.values.policy_network import REWARDS, find_reward


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"gamma": 1.5}, "expected gamma from 0 to 1, got 1.5"),
        ({"gamma": float("nan")}, "expected gamma from 0 to 1, got nan"),
        ({"clip": "0.1"}, "expected clip"),
        ({"hidden": ()}, "expected hidden layers from 1 to 16, got 0"),
        ({"hidden": (9_000,)}, "expected outputs of a hidden layer from 1 to"),
        ({"reward": "gold"}, "expected a reward"),
        ({"games": 1 << 20, "horizon": 4096}, "between two updates"),
        ({"games": 1, "horizon": 1}, "between two updates"),
    ],
)
def test_values_out_of_range_are_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        PolicySettings(**values)


def test_rewards_have_a_value_for_each_exponent() -> None:
    points, large = find_reward("points"), find_reward("large")
    assert [points.values[k] for k in (1, 2, 11)] == [2, 4, 2048]
    assert large.values[6] == pytest.approx(0.05)
    assert large.values[16] == pytest.approx(0.05 + 0.03 * 10**1.5)
    assert large.death == -1
    assert all(len(one.values) == 37 for one in REWARDS.values())
    with pytest.raises(InvalidInput, match="did you mean"):
        find_reward("point")


def test_the_description_has_all_that_a_run_needs_to_be_repeated() -> None:
    described = PolicySettings(seed=7, minibatch=256, scaffold=0.25).describe()
    assert described == (
        "PPO, 4x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never, reward points, scaffold 0.25, "
        "games at once 512, horizon 32, minibatch 256, epochs 1, learning rate 0.001, "
        "final rate 0.1, gamma 0.997, lambda 0.8, clip 0.15, value weight 0.5, entropy 0.01, "
        "largest gradient 0.5, embedding 16, threads 1, seed 7"
    )
