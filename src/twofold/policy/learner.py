"""PPO: collects moves, estimates advantages, and improves the network.

Source: Schulman et al. 2017; masks of illegal moves as in Huang and Ontanon 2022.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from twofold.kernels.policy.merges import advantages
from twofold.policy.games import TrainingGames
from twofold.policy.model import PolicyModel
from twofold.policy.settings import PolicySettings


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The moves between two updates; tensors on the device, (steps * games, ...).

    `logs` are logarithms of the probabilities of the chosen moves. Values and advantages are in
    the reward's unit.
    """

    boards: Tensor
    legal: Tensor
    moves: Tensor
    logs: Tensor
    values: Tensor
    advantages: Tensor


def choice(logits: Tensor, legal: Tensor) -> Tensor:
    """Log-probabilities of the four moves; about -1e9 for illegal ones."""
    return functional.log_softmax(logits.masked_fill(~legal, -1e9), dim=1)


def _has_bfloat16() -> bool:
    """True if the processor has instructions for products of matrices in bfloat16."""
    find = getattr(torch.cpu, "get_capabilities", dict)  # older versions of PyTorch lack it
    found: Mapping[str, Any] = find()
    return any(found.get(name, False) for name in ("amx_bf16", "avx512_bf16"))


class Learner:
    """The network on a device (`cpu` or `cuda`), its optimiser, and its training games."""

    def __init__(self, settings: PolicySettings, games: TrainingGames, device: str) -> None:
        self.settings, self.games = settings, games
        self.device = torch.device(device)
        self._bfloat16 = device == "cuda" or _has_bfloat16()
        torch.manual_seed(settings.seed & 2**63 - 1)
        self.model = PolicyModel(settings).to(self.device)
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), lr=settings.learning_rate, eps=1e-5, fused=True
        )
        self.generator = torch.Generator(self.device)
        self.generator.manual_seed(settings.seed & 2**63 - 1)
        self.updates = 0

    # ---- play

    def collect(self) -> tuple[Moves, NDArray[np.uint64]]:
        """Play `horizon` moves in every game; also returns the results of ended games."""
        steps, count = self.settings.horizon, len(self.games)
        cells = self.games.boards[0].size
        boards = np.empty((steps, count, cells), dtype=np.uint8)
        legal = np.empty((steps, count, 4), dtype=np.bool_)
        moves = np.empty((steps, count), dtype=np.int64)
        rewards = np.empty((steps, count), dtype=np.float32)
        ended = np.empty((steps, count), dtype=np.bool_)
        logs = torch.empty((steps, count), device=self.device)
        values = np.empty((steps + 1, count), dtype=np.float32)
        results = []
        for step in range(steps):
            boards[step] = self.games.boards.reshape(count, -1)
            np.not_equal(self.games.legal, 0, out=legal[step])
            chosen, logs[step], values[step] = self._choose(boards[step], legal[step])
            moves[step] = chosen
            paid, over = self.games.step(chosen)
            rewards[step], ended[step] = paid, self.games.ended
            results.append(over)
        values[steps] = self._values(self.games.boards.reshape(count, -1))
        found = np.empty((steps, count), dtype=np.float32)
        advantages(rewards, values, ended, self.settings.gamma, self.settings.decay, found)
        played = Moves(
            self._sent(boards).flatten(0, 1),
            self._sent(legal).flatten(0, 1),
            self._sent(moves).flatten(),
            logs.flatten(),
            self._sent(values[:steps]).flatten(),
            self._sent(found).flatten(),
        )
        return played, np.concatenate(results)

    def _sent(self, array: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    @torch.no_grad()
    def _choose(
        self, boards: NDArray[np.uint8], legal: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], Tensor, NDArray[np.float32]]:
        """Sampled moves, their log-probabilities, and the values of the boards."""
        with self._precision():
            logits, values = self.model(self._sent(boards))
        logs = choice(logits, self._sent(legal))
        drawn = torch.empty_like(logs).exponential_(generator=self.generator)
        moves = (logs.exp() / drawn).argmax(1, keepdim=True)  # as torch.multinomial does
        worth = values * self.model.spread + self.model.middle
        return moves[:, 0].cpu().numpy(), logs.gather(1, moves)[:, 0], worth.cpu().numpy()

    @torch.no_grad()
    def _values(self, boards: NDArray[np.uint8]) -> NDArray[np.float32]:
        with self._precision():
            _, values = self.model(self._sent(boards))
        found: NDArray[np.float32] = (values * self.model.spread + self.model.middle).cpu().numpy()
        return found

    def _precision(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, self._bfloat16)

    # ---- learn

    def learn(self, played: Moves, progress: float) -> None:
        """Update the network with the moves from `collect`.

        The learning rate and the weight of the entropy follow `progress`, 0 to 1.
        """
        settings = self.settings
        returns = played.values + played.advantages
        if self.updates == 0:
            self.model.begin(returns)
        else:
            self.model.follow(returns)
        scaled = (returns - self.model.middle) / self.model.spread
        left = self._follow(progress)
        count = len(returns)
        size = min(settings.minibatch, count)
        for _ in range(settings.epochs):
            order = torch.randperm(count, generator=self.generator, device=self.device)
            for start in range(0, count - size + 1, size):
                self._step(played, scaled, order[start : start + size], left)
        self.updates += 1

    def _follow(self, progress: float) -> float:
        """Set the learning rate; returns its factor, which the entropy's weight has too."""
        settings = self.settings
        left = (1 + np.cos(np.pi * min(max(progress, 0.0), 1.0))) / 2
        factor = float(settings.final_rate + (1 - settings.final_rate) * left)
        for group in self.optimizer.param_groups:
            group["lr"] = settings.learning_rate * factor
        return factor

    def _step(self, played: Moves, scaled: Tensor, rows: Tensor, left: float) -> None:
        settings = self.settings
        with self._precision():
            logits, values = self.model(played.boards[rows])
        logs = choice(logits, played.legal[rows])
        mine = logs.gather(1, played.moves[rows].unsqueeze(1))[:, 0]
        gain = played.advantages[rows]
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        ratio = (mine - played.logs[rows]).exp()
        clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
        policy = -torch.min(ratio * gain, clipped * gain).mean()
        error = functional.mse_loss(values, scaled[rows]) / 2
        entropy = -(logs.exp() * logs.clamp(min=-1e3)).sum(1).mean()
        loss = policy + settings.value_weight * error - settings.entropy * left * entropy
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), settings.max_gradient)
        self.optimizer.step()
