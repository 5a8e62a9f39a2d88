"""A cache that runs one computation at a time."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Memo(Generic[Value]):
    """A cache of `size` results; the least recently used is dropped. Thread-safe."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()
        self._keeping = threading.Lock()
        self._computing = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The cached result for this key, or the result of `make`. Errors are not cached."""
        if (known := self._find(key)) is not None:
            return known
        with self._computing:
            if (known := self._find(key)) is not None:  # another thread has computed it
                return known
            made = make()
        with self._keeping:
            self._kept[key] = made
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return made

    def _find(self, key: Hashable) -> Value | None:
        with self._keeping:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)
