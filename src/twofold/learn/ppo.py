"""PPO: the network as a PyTorch module, training games as it plays them, and its improvement."""

import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from twofold.kernels.policy import OUTPUT, VALUE, advantages
from twofold.learn.policy_games import TrainingGames
from twofold.learn.policy_settings import PolicySettings
from twofold.limits import MAX_SEED, cores
from twofold.values.policy_network import Dense, PolicyNetwork, find_reward

WARM_UP: Final = 3
"""Calls before a calculation is kept: libraries choose their ways and memory in them."""


class Repeated:
    """A function of tensors of fixed shapes, which a graphics card starts as one CUDA graph.

    There, starting each of the small parts of a calculation takes longer than the parts. What the
    function returns is overwritten by the next call. Elsewhere it is called as it is.
    """

    def __init__(self, function: Callable[..., Any], device: torch.device) -> None:
        self._function = function
        self._calls = 0 if device.type == "cuda" else -1
        self._inputs: tuple[Tensor, ...] = ()
        self._found: Any = None
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, *inputs: Tensor) -> Any:
        """The function's result."""
        if self._calls < 0:
            return self._function(*inputs)
        if not self._inputs:
            self._inputs = tuple(one.clone() for one in inputs)
        for kept, one in zip(self._inputs, inputs, strict=True):
            kept.copy_(one)
        if self._graph is not None:
            self._graph.replay()
            return self._found
        if self._calls == WARM_UP:
            self._keep()
            return self(*self._inputs)
        self._calls += 1
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            found = self._function(*self._inputs)
        torch.cuda.current_stream().wait_stream(stream)
        return found

    def _keep(self) -> None:
        """Record the graph; a function that cannot be recorded is called as it is."""
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                self._found = self._function(*self._inputs)
            self._graph = graph
        except RuntimeError:
            self._calls = -1


def has_bfloat16(device: str) -> bool:
    """True if a device, `cpu` or `cuda`, multiplies matrices in bfloat16 faster."""
    find = getattr(torch.cpu, "get_capabilities", dict)  # older versions of PyTorch lack it
    found: Mapping[str, Any] = find()
    return device == "cuda" or any(found.get(name) for name in ("amx_bf16", "avx512_bf16"))


class PolicyModel(nn.Module):
    """Embeddings of tile and place, dense layers with ReLU, a head for moves and value.

    The value in the reward's unit is `spread` times the last output, plus `middle`. Both follow
    the returns, and the head is adjusted so that no value changes (PopArt). With `bfloat16`
    matrices are multiplied in it, but for the head.

    Source: van Hasselt et al. 2016, Learning values across many orders of magnitude.
    """

    middle: Tensor
    spread: Tensor

    def __init__(self, settings: PolicySettings, *, bfloat16: bool = False) -> None:
        super().__init__()
        self.bfloat16 = bfloat16
        rules = settings.rules
        self.shape, self.exponents = rules.shape, settings.exponents
        cells = rules.rows * rules.cols
        self.tiles = nn.Parameter(torch.randn(settings.exponents, settings.embedding))
        self.places = nn.Parameter(torch.randn(cells, settings.embedding))
        widths = list(settings.hidden)
        self.first = nn.Parameter(torch.empty(cells, settings.embedding, widths[0]))
        nn.init.orthogonal_(self.first.data.view(-1, widths[0]), 1.0)
        self.first_bias = nn.Parameter(torch.zeros(widths[0]))
        self.hidden = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(widths))
        for layer in self.hidden:
            nn.init.orthogonal_(layer.weight, 2**0.5)
            nn.init.zeros_(layer.bias)
        self.head = nn.Linear(widths[-1], OUTPUT)
        nn.init.orthogonal_(self.head.weight, 0.01)
        nn.init.zeros_(self.head.bias)
        self.register_buffer("middle", torch.zeros(()))
        self.register_buffer("spread", torch.ones(()))
        offsets = torch.arange(cells) * settings.exponents
        self.register_buffer("offsets", offsets, persistent=False)

    def table(self) -> Tensor:
        """The first layer as a table, (cells * exponents, width)."""
        described = self.tiles.unsqueeze(0) + self.places.unsqueeze(1)
        return torch.bmm(described, self.first).flatten(0, 1)

    def forward(self, boards: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (N, 4), and values in the model's own unit (N,), for exponents (N, cells)."""
        places = boards.long().clamp_(max=self.exponents - 1) + self.offsets
        with torch.autocast(boards.device.type, torch.bfloat16, self.bfloat16):
            found = functional.relu(self._summed(places) + self.first_bias)
            for layer in self.hidden:
                found = functional.relu(layer(found))
        outputs = self.head(found.float())
        return outputs[:, :VALUE], outputs[:, VALUE]

    def _summed(self, places: Tensor) -> Tensor:
        """The sum of the rows of the table at these places."""
        table = self.table()
        if not self.bfloat16:
            return functional.embedding_bag(places, table, mode="sum")
        chosen = torch.zeros(len(places), len(table), device=places.device, dtype=torch.bfloat16)
        return chosen.scatter_(1, places, 1.0) @ table  # a fast product of matrices

    def follow(self, returns: Tensor, rate: float = 0.05) -> None:
        """Move middle and spread towards the returns without changing any value."""
        with torch.no_grad():
            middle = torch.lerp(self.middle, returns.mean(), rate)
            second = torch.lerp(self.spread**2 + self.middle**2, (returns**2).mean(), rate)
            spread = (second - middle**2).clamp(min=1e-8).sqrt()
            weight, bias = self.head.weight[VALUE], self.head.bias[VALUE]
            weight.mul_(self.spread / spread)
            bias.mul_(self.spread).add_(self.middle - middle).div_(spread)
            self.middle.copy_(middle)
            self.spread.copy_(spread)

    def begin(self, returns: Tensor) -> None:
        """Set middle and spread by the first returns."""
        self.middle.copy_(returns.mean())
        self.spread.copy_(returns.std().clamp(min=1e-4))

    def network(self, reward: str, *, symmetric: bool, discount: float) -> PolicyNetwork:
        """The weights that players use; the value is in the reward's unit."""
        with torch.no_grad():
            cells = self.shape[0] * self.shape[1]
            table = self.table().reshape(cells, self.exponents, len(self.first_bias))
            layers = [
                Dense(_array(one.weight.t()), _array(one.bias)) for one in (*self.hidden, self.head)
            ]
            head = layers[-1]
            head.weights[:, VALUE] *= float(self.spread)
            head.bias[VALUE] = head.bias[VALUE] * float(self.spread) + float(self.middle)
            bias = _array(self.first_bias)
            return PolicyNetwork(
                self.shape,
                _array(table),
                bias,
                layers,
                reward=reward,
                symmetric=symmetric,
                discount=discount,
            )


def _array(tensor: Tensor) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.array(tensor.detach().float().cpu().numpy(), order="C")


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
