"""Kernels of tests, compiled when they are called first: collecting tests compiles nothing."""

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from twofold.kernels._jit import kernel


def lazy_kernel(signature: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a function for one signature at its first call. Kernels cannot call it."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @cache
        def compiled() -> Callable[..., Any]:
            compiled_function: Callable[..., Any] = kernel(signature, cached=False)(function)
            return compiled_function

        @wraps(function)
        def call(*arguments: Any) -> Any:
            return compiled()(*arguments)

        return call

    return decorate
