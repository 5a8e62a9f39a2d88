"""Learns 2048 with PPO in one file: a loop of plain PyTorch over a vector of games.

pip install '.[policy]'
python examples/ppo.py --minutes 5

Proximal policy optimisation (Schulman et al. 2017, arXiv:1707.06347) with generalised advantage
estimation (arXiv:1506.02438). Illegal moves get a logit of minus infinity (arXiv:2006.14171). Every
step of all games is one call of a kernel. Each tensor's shape stands beside it: T steps, N games.

The policy plays other games than it is trained on to be measured: those of seeds from 1,000,000.
Later training games draw 64 random bits as their seeds.
"""

import argparse
import time
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from twofold.env import VectorEnv2048

TEST_SEED = 1_000_000


@dataclass
class Settings:
    """Of the training."""

    rules: str = "4x4"
    games: int = 256  # N
    steps: int = 32  # T, of each game between two updates
    minutes: float = 5.0
    seed: int = 1
    epochs: int = 3  # times that each step is learnt from
    minibatch: int = 1024
    learning_rate: float = 1e-3
    discount: float = 0.995
    decay: float = 0.9  # lambda of the advantages
    clip: float = 0.2  # largest change of a probability, as a ratio less 1
    value_weight: float = 0.5
    entropy_weight: float = 0.003
    max_gradient: float = 0.5
    reward_scale: float = 0.05
    hidden: int = 256


class Agent(nn.Module):
    """Logits of the four moves and a value, from the planes of a board."""

    def __init__(self, planes: tuple[int, ...], hidden: int) -> None:
        super().__init__()
        inputs = int(np.prod(planes))
        self.body = nn.Sequential(
            nn.Flatten(), nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        )
        self.policy = nn.Linear(hidden, 4)
        self.value = nn.Linear(hidden, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)  # nearly uniform at first
        nn.init.zeros_(self.policy.bias)

    def forward(self, boards: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Log probabilities (B, 4) and values (B,) for boards (B, planes, rows, cols)."""
        features = self.body(boards.float())
        logits = self.policy(features).masked_fill(~masks, -1e9)
        return logits.log_softmax(dim=-1), self.value(features).squeeze(-1)


def usable(masks: np.ndarray) -> Tensor:
    """Masks (N, 4); a game that has ended, whose next action is ignored, may choose any."""
    return torch.from_numpy(masks | ~masks.any(axis=1, keepdims=True))


def sampled(log_probs: Tensor) -> Tensor:
    """A move for each row of log probabilities (N, 4)."""
    return torch.multinomial(log_probs.exp(), 1).squeeze(-1)


class Rollout:
    """T steps of N games; the policy's view of them, and the rewards."""

    def __init__(self, settings: Settings, planes: tuple[int, ...]) -> None:
        shape = (settings.steps, settings.games)
        self.boards = torch.zeros((*shape, *planes), dtype=torch.uint8)
        self.masks = torch.zeros((*shape, 4), dtype=torch.bool)
        self.actions = torch.zeros(shape, dtype=torch.int64)
        self.log_probs = torch.zeros(shape)
        self.values = torch.zeros(shape)
        self.rewards = torch.zeros(shape)
        self.ends = torch.zeros(shape)  # 1 where the step ended the game
        self.counts = torch.zeros(shape, dtype=torch.bool)  # False where the step began a new one

    def advantages(self, last_values: Tensor, discount: float, decay: float) -> Tensor:
        """Generalised advantage estimates (T, N); `last_values` (N,) are after the last step."""
        found, running, following = torch.zeros_like(self.values), 0.0, last_values
        for step in reversed(range(len(found))):
            goes_on = 1 - self.ends[step]
            error = self.rewards[step] + discount * following * goes_on - self.values[step]
            running = error + discount * decay * goes_on * running
            found[step], following = running, self.values[step]
        return found


class Trainer:
    """Plays and learns in turn."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        torch.manual_seed(settings.seed)
        self.envs = VectorEnv2048(settings.games, settings.rules, "onehot", "log2")
        planes = self.envs.single_observation_space.shape
        assert planes is not None
        self.agent = Agent(planes, settings.hidden)
        self.optimizer = torch.optim.Adam(self.agent.parameters(), settings.learning_rate, eps=1e-5)
        self.rollout = Rollout(settings, planes)
        self.boards, _ = self.envs.reset(seed=settings.seed)
        self.ended = np.zeros(settings.games, dtype=bool)
        self.scores: list[int] = []  # of the games that have ended
        self.played = 0

    @torch.no_grad()
    def play(self) -> Tensor:
        """Fill the rollout; returns the values (N,) of the boards after it."""
        kept = self.rollout
        for step in range(self.settings.steps):
            boards, masks = torch.from_numpy(self.boards), usable(self.envs.action_masks())
            log_probs, values = self.agent(boards, masks)
            actions = sampled(log_probs)
            kept.boards[step], kept.masks[step], kept.values[step] = boards, masks, values
            kept.actions[step] = actions
            kept.log_probs[step] = log_probs.gather(1, actions[:, None]).squeeze(1)
            kept.counts[step] = torch.from_numpy(~self.ended)
            self.boards, rewards, self.ended, _, infos = self.envs.step(actions.numpy())
            kept.rewards[step] = torch.from_numpy(rewards) * self.settings.reward_scale
            kept.ends[step] = torch.from_numpy(self.ended)
            self.scores += infos["score"][self.ended].tolist()
            self.played += self.settings.games
        _, values = self.agent(torch.from_numpy(self.boards), usable(self.envs.action_masks()))
        return values

    def learn(self, last_values: Tensor) -> None:
        """Update the network from the rollout."""
        kept, settings = self.rollout, self.settings
        advantages = kept.advantages(last_values, settings.discount, settings.decay)
        chosen = kept.counts.flatten()  # without the steps whose action was ignored
        boards, masks = kept.boards.flatten(0, 1)[chosen], kept.masks.flatten(0, 1)[chosen]
        actions, before = kept.actions.flatten()[chosen], kept.log_probs.flatten()[chosen]
        targets = (advantages + kept.values).flatten()[chosen]
        advantages = advantages.flatten()[chosen]
        for _ in range(settings.epochs):
            for batch in torch.randperm(len(actions)).split(settings.minibatch):
                log_probs, values = self.agent(boards[batch], masks[batch])
                ratio = (
                    log_probs.gather(1, actions[batch, None]).squeeze(1).sub(before[batch]).exp()
                )
                gain = advantages[batch]
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
                policy_loss = -torch.min(gain * ratio, gain * clipped).mean()
                value_loss = (values - targets[batch]).square().mean()
                entropy = -(log_probs.exp() * log_probs).sum(dim=-1).mean()
                loss = policy_loss + settings.value_weight * value_loss
                loss = loss - settings.entropy_weight * entropy
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.agent.parameters(), settings.max_gradient)
                self.optimizer.step()

    @torch.no_grad()
    def mean_score(self, games: int) -> float:
        """Mean score in points over whole games of seeds that training has not used."""
        envs = VectorEnv2048(games, self.settings.rules, "onehot", autoreset_mode="DISABLED")
        boards, infos = envs.reset(seed=TEST_SEED)
        terminated = np.zeros(games, dtype=bool)
        while not terminated.all():
            log_probs, _ = self.agent(torch.from_numpy(boards), usable(envs.action_masks()))
            boards, _, terminated, _, infos = envs.step(sampled(log_probs).numpy())
        return float(infos["score"].mean())


def main() -> None:
    """Measure, train, measure."""
    parser = argparse.ArgumentParser(description="Learn 2048 with PPO.")
    parser.add_argument("--rules", default="4x4", help="such as 3x3")
    parser.add_argument("--minutes", type=float, default=5.0, help="of learning, at most")
    parser.add_argument("--steps", type=int, default=10**12, help="to learn from, at most")
    parser.add_argument("--test-games", type=int, default=200, help="games to measure with")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)  # small networks gain little from more
    trainer = Trainer(Settings(options.rules, minutes=options.minutes, seed=options.seed))
    games = options.test_games
    print(f"mean of {games} games before learning: {trainer.mean_score(games):,.0f}", flush=True)
    begun = said = time.monotonic()
    with suppress(KeyboardInterrupt):  # Ctrl-C ends the training, not the measurement
        while trainer.played < options.steps and time.monotonic() < begun + 60 * options.minutes:
            trainer.learn(trainer.play())
            if time.monotonic() > said + 10 and trainer.scores:
                said = time.monotonic()
                recent = np.mean(trainer.scores[-500:])
                print(
                    f"{said - begun:5.0f} s {trainer.played:10,} steps, "
                    f"last games: mean {recent:7,.0f}",
                    flush=True,
                )
    after = trainer.mean_score(games)
    print(f"mean of {games} games after {trainer.played:,} steps: {after:,.0f}")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
