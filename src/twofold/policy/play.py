"""Training games as the network plays them, in groups: each has a thread if there are several.

While the network of one group is computed, the boards of another one move. What a group plays
depends on nothing but its own games and its own generator.
"""

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from twofold.kernels.policy.merges import advantages
from twofold.limits import MAX_SEED
from twofold.policy.games import TrainingGames
from twofold.policy.model import PolicyModel
from twofold.policy.rewards import find_reward
from twofold.policy.settings import PolicySettings

_SEEDS: Final = 1 << 48
"""From the first seed of a group to that of the next one."""


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

    @classmethod
    def joined(cls, parts: list["Moves"]) -> "Moves":
        """The moves of all groups."""
        names = [field.name for field in fields(cls)]
        return cls(*(torch.cat([getattr(one, name) for one in parts]) for name in names))


def choice(logits: Tensor, legal: Tensor) -> Tensor:
    """Log-probabilities of the four moves; about -1e9 for illegal ones."""
    return functional.log_softmax(logits.masked_fill(~legal, -1e9), dim=1)


class Group:
    """The games of one group.

    Attributes:
        games: its training games.
        generator: draws its moves.
    """

    def __init__(self, settings: PolicySettings, model: PolicyModel, number: int) -> None:
        self._settings, self._model = settings, model
        self._device = model.middle.device
        seed = settings.seed + number * _SEEDS & MAX_SEED
        self.games = TrainingGames(
            settings.rules,
            settings.group_sizes[number],
            find_reward(settings.reward),
            scaffold=settings.scaffold,
            seed=seed,
            symmetric=settings.symmetric,
        )
        self.generator = torch.Generator(self._device)
        self.generator.manual_seed(seed & 2**63 - 1)

    def play(self) -> tuple[Moves, NDArray[np.uint64]]:
        """Play `horizon` moves in every game; also returns the results of ended games."""
        games, settings = self.games, self._settings
        steps, count = settings.horizon, len(games)
        cells = games.boards[0].size
        boards = np.empty((steps, count, cells), dtype=np.uint8)
        legal = np.empty((steps, count, 4), dtype=np.bool_)
        moves = np.empty((steps, count), dtype=np.int64)
        rewards = np.empty((steps, count), dtype=np.float32)
        ended = np.empty((steps, count), dtype=np.bool_)
        logs = torch.empty((steps, count), device=self._device)
        values = np.empty((steps + 1, count), dtype=np.float32)
        results = []
        for step in range(steps):
            boards[step] = games.boards.reshape(count, -1)
            np.not_equal(games.legal, 0, out=legal[step])
            chosen, logs[step], values[step] = self._choose(boards[step], legal[step])
            moves[step] = chosen
            paid, over = games.step(chosen)
            rewards[step], ended[step] = paid, games.ended
            results.append(over)
        values[steps] = self._values(games.boards.reshape(count, -1))
        found = np.empty((steps, count), dtype=np.float32)
        advantages(rewards, values, ended, settings.gamma, settings.decay, found)
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
        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device)

    @torch.no_grad()
    def _choose(
        self, boards: NDArray[np.uint8], legal: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], Tensor, NDArray[np.float32]]:
        """Sampled moves, their log-probabilities, and the values of the boards."""
        logits, values = self._model(self._sent(boards))
        logs = choice(logits, self._sent(legal))
        drawn = torch.empty_like(logs).exponential_(generator=self.generator)
        moves = (logs.exp() / drawn).argmax(1, keepdim=True)  # as torch.multinomial does
        return moves[:, 0].cpu().numpy(), logs.gather(1, moves)[:, 0], self._worth(values)

    @torch.no_grad()
    def _values(self, boards: NDArray[np.uint8]) -> NDArray[np.float32]:
        _, values = self._model(self._sent(boards))
        return self._worth(values)

    def _worth(self, values: Tensor) -> NDArray[np.float32]:
        found: NDArray[np.float32] = (
            (values * self._model.spread + self._model.middle).cpu().numpy()
        )
        return found
