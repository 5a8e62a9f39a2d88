"""Background threads, so that drawing and Ctrl-C never wait."""

import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Reading(Generic[T]):
    """Reads an iterator in a background thread.

    Args:
        source: the iterator.
        name: of the thread.
        opening: the value of `latest` before the first item.
        take: called with each item, in the thread.

    Attributes:
        latest: the newest item.
        error: the exception that ended the source.
    """

    def __init__(
        self,
        source: Iterator[T],
        name: str,
        opening: T | None = None,
        take: Callable[[T], object] | None = None,
    ) -> None:
        self.latest = opening
        self.error: BaseException | None = None
        self._source = source
        self._take = take
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            for one in self._source:
                self.latest = one
                if self._take is not None:
                    self._take(one)
        except BaseException as error:  # raised again, or shown, by the waiting thread
            self.error = error

    def wait(self, seconds: float) -> bool:
        """Wait for the end; False after the timeout."""
        self._thread.join(seconds)
        return not self._thread.is_alive()
