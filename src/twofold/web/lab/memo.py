"""What was computed last, kept; and no two computations of a kind at the same time."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Memo(Generic[Value]):
    """Keeps results; of too many the one not asked for the longest is forgotten.

    For use from any thread.

    Args:
        size: results to keep.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()
        self._keeping = threading.Lock()
        self._computing = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The result of `make` for this key, made where it is not known. Errors are not kept."""
        if (known := self._find(key)) is not None:
            return known
        with self._computing:
            if (known := self._find(key)) is not None:  # another thread has made it meanwhile
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
