"""The policy network as a PyTorch module, and the way from it to the weights that players use."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from twofold.kernels.policy.words import OUTPUT, VALUE
from twofold.networks.policy import Dense, PolicyNetwork
from twofold.policy.settings import PolicySettings


class PolicyModel(nn.Module):
    """Embeddings of tile and place, dense layers with ReLU, a head for moves and value.

    The value in the reward's unit is `spread` times the last output, plus `middle`. Both follow
    the returns, and the head is adjusted so that no value changes (PopArt).

    Source: van Hasselt et al. 2016, Learning values across many orders of magnitude.
    """

    middle: Tensor
    spread: Tensor

    def __init__(self, settings: PolicySettings) -> None:
        super().__init__()
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
        table = self.table()
        if torch.is_autocast_enabled(boards.device.type):  # a fast product of matrices
            chosen = torch.zeros(
                len(boards), len(table), device=boards.device, dtype=torch.bfloat16
            )
            found = chosen.scatter_(1, places, 1.0) @ table
        else:
            found = functional.embedding_bag(places, table, mode="sum")
        found = functional.relu(found + self.first_bias)
        for layer in self.hidden:
            found = functional.relu(layer(found))
        with torch.autocast(boards.device.type, enabled=False):
            outputs = self.head(found.float())
        return outputs[:, :VALUE], outputs[:, VALUE]

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

    def network(self, unit: str, *, symmetric: bool, discount: float) -> PolicyNetwork:
        """The weights that players use; the value is in the reward's unit."""
        with torch.no_grad():
            table = self.table().reshape(*self._table_shape())
            layers = [Dense(_array(one.weight.t()), _array(one.bias)) for one in self._linears()]
            head = layers[-1]
            head.weights[:, VALUE] *= float(self.spread)
            head.bias[VALUE] = head.bias[VALUE] * float(self.spread) + float(self.middle)
            bias = _array(self.first_bias)
            return PolicyNetwork(
                self.shape,
                _array(table),
                bias,
                layers,
                unit=unit,
                symmetric=symmetric,
                discount=discount,
            )

    def _linears(self) -> Iterable[Any]:
        return (*self.hidden, self.head)

    def _table_shape(self) -> tuple[int, int, int]:
        return self.shape[0] * self.shape[1], self.exponents, len(self.first_bias)


def _array(tensor: Tensor) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.array(tensor.detach().float().cpu().numpy(), order="C")
