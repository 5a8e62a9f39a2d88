"""The policy network as a PyTorch module, the weights that players use, and repeated calculations.

On a graphics card a calculation of the same shapes is recorded and started as one, see `Repeated`.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from twofold.kernels.policy import OUTPUT, VALUE
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
