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
from twofold.networks.policy import find_reward
from twofold.policy.games import TrainingGames
from twofold.policy.model import WARM_UP, PolicyModel, Repeated
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
        self._boards = self._shared(self.games.boards)
        self._legal = self._shared(self.games.legal)
        self.games.boards, self.games.legal = self._boards.numpy(), self._legal.numpy()
        count, self._cells = len(self.games), self.games.boards[0].size
        self._moves = self._shared(np.zeros(count, dtype=np.int64))
        self._read = torch.cuda.Event() if self._device.type == "cuda" else None
        self._choose = Repeated(self._chosen, self._device)
        if self._read is not None:  # recorded here, while no other thread uses the card
            boards, legal, drawn = (one[0] for one in self._room(1))
            for _ in range(WARM_UP + 1):
                self._choose(boards.zero_(), legal.fill_(True), drawn.fill_(1.0))

    def _room(self, steps: int) -> tuple[Tensor, Tensor, Tensor]:
        """Tensors for boards, legal moves and random numbers of some steps."""
        shape, device = (steps, len(self.games)), self._device
        boards = torch.empty((*shape, self._cells), dtype=torch.uint8, device=device)
        legal = torch.empty((*shape, 4), dtype=torch.bool, device=device)
        return boards, legal, torch.empty((*shape, 4), device=device)

    def _shared(self, array: NDArray[np.generic]) -> Tensor:
        """A copy of an array that the device can read while the processor goes on."""
        tensor = torch.from_numpy(array.copy())
        return tensor.pin_memory() if self._device.type == "cuda" else tensor

    def play(self) -> tuple[Moves, NDArray[np.uint64]]:
        """Play `horizon` moves in every game; also returns the results of ended games."""
        games, settings, device = self.games, self._settings, self._device
        steps, count = settings.horizon, len(games)
        rewards = np.empty((steps, count), dtype=np.float32)
        ended = np.empty((steps, count), dtype=np.bool_)
        boards, legal, drawn = self._room(steps + 1)  # the last boards have values, too
        drawn.exponential_(generator=self.generator)
        moves = torch.empty((steps + 1, count), dtype=torch.int64, device=device)
        logs, values = torch.empty((2, steps + 1, count), device=device)
        results = []
        for step in range(steps + 1):
            boards[step].copy_(self._boards.flatten(1), non_blocking=True)
            legal[step].copy_(self._legal.view(torch.bool), non_blocking=True)
            found = self._choose(boards[step], legal[step], drawn[step])
            moves[step], logs[step], values[step] = found
            if step < steps:
                paid, over = games.step(self._brought(found[0]))
                rewards[step], ended[step] = paid, games.ended
                results.append(over)
        gains = np.empty((steps, count), dtype=np.float32)
        worth = values.cpu().numpy()
        advantages(rewards, worth, ended, settings.gamma, settings.decay, gains)
        parts = [one[:steps] for one in (boards, legal, moves, logs, values)]
        parts.append(torch.from_numpy(gains).to(device))
        return Moves(*(part.flatten(0, 1) for part in parts)), np.concatenate(results)

    def _brought(self, moves: Tensor) -> NDArray[np.int64]:
        """Moves from the device; what was sent there has been read then."""
        self._moves.copy_(moves, non_blocking=True)
        if self._read is not None:
            self._read.record()
            self._read.synchronize()
        found: NDArray[np.int64] = self._moves.numpy()
        return found

    @torch.no_grad()
    def _chosen(self, boards: Tensor, legal: Tensor, drawn: Tensor) -> tuple[Tensor, ...]:
        """Sampled moves, their log-probabilities, and the values of the boards."""
        logits, values = self._model(boards)
        logs = choice(logits, legal)
        moves = (logs.exp() / drawn).argmax(1, keepdim=True)  # as torch.multinomial does
        values = values * self._model.spread + self._model.middle
        return moves[:, 0], logs.gather(1, moves)[:, 0], values
