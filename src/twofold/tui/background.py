"""Work in a thread of its own, so that drawing and Ctrl-C never wait for it."""

import threading
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

T = TypeVar("T")

IMPORTING: Final = threading.Lock()
"""Held while a player is imported and made: two threads that begin to import modules which need
each other may find them half done."""


class Reading(Generic[T]):
    """Reads what comes one after the other in a thread of its own.

    Args:
        source: what is read.
        name: of the thread.
        opening: what counts as the newest before the first has come.
        take: gets each as it comes, in the thread.

    Attributes:
        latest: the newest one; the opening before the first.
        error: what the source raised, if it did.
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
        except BaseException as error:  # raised again, or shown, by the thread that waits
            self.error = error

    def wait(self, seconds: float) -> bool:
        """Wait for the end; whether it has come."""
        self._thread.join(seconds)
        return not self._thread.is_alive()
