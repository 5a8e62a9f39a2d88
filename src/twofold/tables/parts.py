"""Work layer by layer: threads that share a layer, progress, parts on disk beside the file."""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

from twofold.errors import InvalidNetwork, InvalidTable
from twofold.limits import MAX_JOBS, check_limit
from twofold.storage.arrays import TensorFile, open_tensors
from twofold.storage.files import TEMPORARY

Part = TypeVar("Part")
Result = TypeVar("Result")

SHARES = 8
"""Parts of a layer per thread: small parts keep the threads equally busy."""


@dataclass(frozen=True, slots=True)
class LayerProgress:
    """Progress of work on layers.

    Attributes:
        phase: `building` a table; `listing` states forwards or `solving` them backwards.
        layer: the last one done, as its sum of tiles.
        total: number of boards in all; None if it is not known yet.
        rate: boards a second of this run; 0 if not measured.
    """

    phase: str
    layer: int
    states: int
    total: int | None
    seconds: float
    rate: float = 0.0

    @property
    def share(self) -> float:
        """The share of the boards that is done; 0 if their number is not known yet."""
        return self.states / self.total if self.total else 0.0

    @property
    def remaining(self) -> float:
        """Estimated seconds until the end."""
        return ((self.total or 0) - self.states) / max(self.rate, 1.0)


class Stopped(Exception):
    """The work was stopped in the middle of a layer."""


class Crew:
    """Threads that share the work on a layer; `stop` is called before each of its parts."""

    def __init__(self, threads: int, stop: Callable[[], bool] | None = None) -> None:
        self.threads = check_limit("threads", threads, 1, MAX_JOBS)
        self._stop = stop
        self._pool = ThreadPoolExecutor(threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def run(self, work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
        """Work on all parts, return the results in order; raises `Stopped` after parts begun."""

        def unless_stopped(part: Part) -> Result | Stopped:
            return Stopped() if self._stop and self._stop() else work(part)

        results = list(self._pool.map(unless_stopped, parts))
        found = [result for result in results if not isinstance(result, Stopped)]
        if len(found) < len(parts):
            raise Stopped
        return found


@contextlib.contextmanager
def opened_table(path: str | os.PathLike[str]) -> Iterator[TensorFile]:
    """Open the file of a table or a part of one; raises `InvalidTable`, which names it."""
    try:
        with open_tensors(path) as file:
            yield file
    except InvalidNetwork as error:
        raise InvalidTable(str(error)) from None


def remove_parts(folder: Path, is_part: Callable[[str], object]) -> None:
    """Remove the parts of work on a file that the caller holds, and their folder if then empty."""
    with contextlib.suppress(OSError):
        for one in folder.iterdir():
            if is_part(one.name) or one.name.endswith(TEMPORARY):
                one.unlink()
        folder.rmdir()
