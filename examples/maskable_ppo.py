"""Learns 2048 with MaskablePPO of sb3-contrib: a policy network that only considers legal moves.

pip install '.[sb3]'
python examples/maskable_ppo.py --minutes 5

The network sees a board as 18 planes; the reward of a move is the sum of the exponents of the tiles
it makes. Prints the mean score of the untrained policy, a line per rollout, and the mean score of
the trained policy. The means are over separate games.
"""

import argparse
import time
from contextlib import suppress

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize

from twofold.env import VectorEnv2048
from twofold.env.sb3 import VecEnv2048

GAMES = 64  # games in parallel
STEPS = 64  # steps of each between two updates


def mean_score(model: MaskablePPO, games: int, seed: int) -> float:
    """Mean score of the policy in points, over whole games with seeds from `seed`."""
    envs = VectorEnv2048(games, observation="onehot", autoreset_mode="DISABLED")
    observations, infos = envs.reset(seed=seed)
    terminated = np.zeros(games, dtype=bool)
    while not terminated.all():
        masks = envs.action_masks() | terminated[:, None]  # a finished game accepts any action
        actions, _ = model.predict(observations, action_masks=masks)
        observations, _, terminated, _, infos = envs.step(actions)
    return float(infos["score"].mean())


class Progress(BaseCallback):
    """Prints a line per rollout, and ends the training when the time is over."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.until = time.monotonic() + seconds
        self.scores: list[int] = []

    def _on_step(self) -> bool:
        ended = zip(self.locals["dones"], self.locals["infos"], strict=True)
        self.scores += [info["score"] for done, info in ended if done]
        return time.monotonic() < self.until

    def _on_rollout_end(self) -> None:
        if self.scores:
            recent = float(np.mean(self.scores[-200:]))
            print(f"{self.num_timesteps:10,} steps, last games: mean {recent:8,.0f}", flush=True)


def main() -> None:
    """Measure, train, measure."""
    parser = argparse.ArgumentParser(description="Learn 2048 with MaskablePPO.")
    parser.add_argument("--minutes", type=float, default=5.0, help="of learning, at most")
    parser.add_argument("--steps", type=int, default=10**12, help="to learn from, at most")
    parser.add_argument("--games", type=int, default=200, help="games to measure with")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)  # small networks gain nothing from more
    envs = VecEnv2048(GAMES, observation="onehot", reward="log2")
    model = MaskablePPO(
        "MlpPolicy",
        VecNormalize(envs, norm_obs=False, gamma=0.995),
        n_steps=STEPS,
        batch_size=512,
        n_epochs=6,
        gamma=0.995,
        ent_coef=0.003,
        learning_rate=5e-4,
        policy_kwargs={"net_arch": [256, 256], "activation_fn": torch.nn.ReLU},
        seed=options.seed,
        device="cpu",
    )
    before = mean_score(model, options.games, seed=1_000_000)
    print(f"mean of {options.games} games before learning: {before:,.0f}", flush=True)
    with suppress(KeyboardInterrupt):  # Ctrl-C ends the training, not the measurement
        model.learn(total_timesteps=options.steps, callback=Progress(60 * options.minutes))
    after = mean_score(model, options.games, seed=1_000_000)
    print(f"mean of {options.games} games after {model.num_timesteps:,} steps: {after:,.0f}")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
