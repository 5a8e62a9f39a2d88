"""PPO: the network as a PyTorch module, training games as it plays them, and its improvement."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from twofold.kernels.policy import OUTPUT, VALUE
from twofold.learn.card_games import CardGames
from twofold.learn.policy_games import TrainingGames
from twofold.learn.policy_settings import PolicySettings
from twofold.values.policy_network import Dense, PolicyNetwork

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


def advantages(
    rewards: Tensor, values: Tensor, ended: Tensor, gamma: float, decay: float
) -> Tensor:
    """Generalised advantage estimates, (steps, games).

    Args:
        rewards: of each step, (steps, games).
        values: of the board before each step, and of the last board, (steps + 1, games).
        ended: whether the game ended with the step, (steps, games).
        gamma: discount of a step.
        decay: lambda.

    Source: Schulman et al. 2016, equation 16.
    """
    goes_on = gamma * (~ended).float()
    errors = rewards + goes_on * values[1:] - values[:-1]
    last, found = torch.zeros_like(errors[0]), []
    for error, factor in zip(reversed(errors), reversed(goes_on), strict=True):
        last = error + decay * factor * last
        found.append(last)
    return torch.stack(found[::-1])


class Play:
    """Training games, and how a model plays them.

    Attributes:
        games: the games; on a graphics card they are there, and all the moves between two updates
            are one graph.
        generator: draws the moves, and on a card all that is random.
    """

    def __init__(self, settings: PolicySettings, model: PolicyModel) -> None:
        self._settings, self._model = settings, model
        device = self._device = model.middle.device
        self.generator = torch.Generator(device)
        self.generator.manual_seed(settings.seed & 2**63 - 1)
        self.games = (
            TrainingGames(settings)
            if device.type == "cpu"
            else CardGames(settings, self.generator)  # which draws their first tiles first
        )
        self._graph = Repeated(self._played_on_card, device)

    def __call__(self) -> tuple[Moves, NDArray[np.uint64]]:
        """Play `horizon` moves in every game.

        Returns:
            The moves; and score, moves, largest exponent of the games that ended and had begun
            with start tiles.
        """
        games, numbers = self.games, 4
        if isinstance(games, CardGames):
            numbers += games.noise
        steps = self._settings.horizon + 1  # the last boards have values, too
        shape = steps, len(games), numbers
        drawn = torch.rand(shape, device=self._device, generator=self.generator)
        if not isinstance(games, CardGames):
            return self._played(games, drawn)
        *parts, results, count = self._graph(drawn)
        return Moves(*parts), results[count].cpu().numpy().astype(np.uint64)

    @torch.no_grad()
    def _played(self, games: TrainingGames, drawn: Tensor) -> tuple[Moves, NDArray[np.uint64]]:
        found, paid, results = [], [], []
        for step, numbers in enumerate(drawn):
            boards = torch.tensor(games.boards).flatten(1)
            legal = torch.tensor(games.legal).view(torch.bool)
            found.append((boards, legal, *self._chosen(boards, legal, numbers)))
            if step < self._settings.horizon:
                rewards, over = games.step(found[-1][2].numpy())
                paid.append(
                    (torch.from_numpy(rewards.copy()), torch.from_numpy(games.ended.copy()))
                )
                results.append(over)
        return Moves(*self._parts(found, paid)), np.concatenate(results)

    @torch.no_grad()
    def _played_on_card(self, drawn: Tensor) -> tuple[Tensor, ...]:
        """The parts of `Moves`; the results of all games, and which of them count."""
        games = self.games
        assert isinstance(games, CardGames)
        found, paid, results, count = [], [], [], []
        for step, numbers in enumerate(drawn):
            boards, legal, whole = games.boards.clone(), games.legal.clone(), games.whole.clone()
            found.append((boards, legal, *self._chosen(boards, legal, numbers[:, :4])))
            if step < self._settings.horizon:
                rewards, ended, after = games.step(found[-1][2], numbers[:, 4:])
                paid.append((rewards, ended))
                results.append(after)
                count.append(ended & whole)
        return *self._parts(found, paid), torch.stack(results), torch.stack(count)

    def _parts(
        self, found: list[tuple[Tensor, ...]], paid: list[tuple[Tensor, Tensor]]
    ) -> list[Tensor]:
        """The parts of `Moves` from those of each step, and from rewards and ends."""
        parts = [torch.stack(one) for one in zip(*found, strict=True)]
        rewards, ended = (torch.stack(one) for one in zip(*paid, strict=True))
        settings = self._settings
        gains = advantages(rewards, parts[-1], ended, settings.gamma, settings.decay)
        return [one.flatten(0, 1) for one in (*(part[:-1] for part in parts), gains)]

    def _chosen(self, boards: Tensor, legal: Tensor, drawn: Tensor) -> tuple[Tensor, ...]:
        """Sampled moves, their log-probabilities, and the values of the boards."""
        logits, values = self._model(boards)
        logs = choice(logits, legal)
        drawn = drawn.clamp(min=torch.finfo(drawn.dtype).tiny)  # 0 would rule out a legal move
        moves = (logs.exp() / -drawn.log()).argmax(1, keepdim=True)  # as torch.multinomial does
        values = values * self._model.spread + self._model.middle
        return moves[:, 0], logs.gather(1, moves)[:, 0], values


class Learner:
    """The network on a device (`cpu` or `cuda`), its optimiser, and its training games, `play`.

    Attributes:
        updates: updates of the network so far, those before this run too if it began with weights.
    """

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
        self.play = Play(settings, self.model)
        self.updates = 0

    def learn(self, played: Moves, progress: float) -> None:
        """Update the network with the moves from `play`.

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
            order = torch.randperm(count, generator=self.play.generator, device=self.device)
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
