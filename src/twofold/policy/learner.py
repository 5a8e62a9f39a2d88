"""PPO: collects moves, estimates advantages, and improves the network.

Source: Schulman et al. 2017; masks of illegal moves as in Huang and Ontanon 2022.
"""

import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from twofold.limits import cores
from twofold.policy.model import PolicyModel, Repeated, has_bfloat16
from twofold.policy.play import Group, Moves, choice
from twofold.policy.settings import PolicySettings


class Learner:
    """The network on a device (`cpu` or `cuda`), its optimiser, and its training games."""

    def __init__(self, settings: PolicySettings, device: str) -> None:
        self.settings = settings
        self.device = torch.device(device)
        torch.manual_seed(settings.seed & 2**63 - 1)
        self.model = PolicyModel(settings, bfloat16=has_bfloat16(device)).to(self.device)
        # Its first steps on a card are not yet part of a graph.
        warnings.filterwarnings("ignore", "This instance was constructed with capturable=True")
        self.optimizer = torch.optim.Adam(
            self.model.parameters(),
            lr=torch.tensor(settings.learning_rate, device=self.device),
            eps=1e-5,
            fused=True,
            capturable=self.device.type == "cuda",
        )
        self._improve = Repeated(self._step, self.device)
        self.groups = [
            Group(settings, self.model, number) for number in range(len(settings.group_sizes))
        ]
        self.generator = self.groups[0].generator
        self._threads = ThreadPoolExecutor(
            min(len(self.groups), cores()), initializer=partial(torch.set_num_threads, 1)
        )
        self.updates = 0

    def collect(self) -> tuple[Moves, NDArray[np.uint64]]:
        """Play `horizon` moves in every game; also returns the results of ended games."""
        if len(self.groups) == 1:
            return self.groups[0].play()
        played, results = zip(*self._threads.map(Group.play, self.groups), strict=True)
        return Moves.joined(list(played)), np.concatenate(results)

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
        weight = torch.tensor(settings.entropy * self._follow(progress), device=self.device)
        parts = played.boards, played.legal, played.moves, played.logs, played.advantages
        count = len(returns)
        size = min(settings.minibatch, count)
        for _ in range(settings.epochs):
            order = torch.randperm(count, generator=self.generator, device=self.device)
            mixed = [one[order] for one in (*parts, scaled)]
            for start in range(0, count - size + 1, size):
                self._improve(*(one[start : start + size] for one in mixed), weight)
        self.updates += 1

    def _follow(self, progress: float) -> float:
        """Set the learning rate; returns its factor, which the entropy's weight has too."""
        settings = self.settings
        left = (1 + np.cos(np.pi * min(max(progress, 0.0), 1.0))) / 2
        factor = float(settings.final_rate + (1 - settings.final_rate) * left)
        for group in self.optimizer.param_groups:
            group["lr"].fill_(settings.learning_rate * factor)
        return factor

    def _step(
        self,
        boards: Tensor,
        legal: Tensor,
        moves: Tensor,
        before: Tensor,
        gain: Tensor,
        scaled: Tensor,
        weight: Tensor,
    ) -> None:
        """One step of the optimiser; `weight` is that of the entropy."""
        settings = self.settings
        logits, values = self.model(boards)
        logs = choice(logits, legal)
        mine = logs.gather(1, moves.unsqueeze(1))[:, 0]
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        ratio = (mine - before).exp()
        clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
        policy = -torch.min(ratio * gain, clipped * gain).mean()
        error = functional.mse_loss(values, scaled) / 2
        entropy = -(logs.exp() * logs.clamp(min=-1e3)).sum(1).mean()
        loss = policy + settings.value_weight * error - weight * entropy
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), settings.max_gradient)
        self.optimizer.step()
