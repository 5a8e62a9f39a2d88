"""Calculations that are repeated many times: a graphics card keeps them as one graph."""

from collections.abc import Callable
from typing import Any, Final

import torch
from torch import Tensor

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
