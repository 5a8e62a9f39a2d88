"""Work that can be resumed: when it is saved, and in which file."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from twofold.storage.files import free_path

WRITING_SHARE: Final = 0.05
"""Share of the time spent writing; the interval grows to respect it."""


class WorkFile:
    """The file that work in progress is saved in: never over one that another program has changed.

    Args:
        path: the file, which need not exist.
        interval: seconds of work between two saves; more if writing takes long.
        spent: seconds of work so far.
        on_move: called with a new path when another program has changed the file; that file stays
            untouched.
        beside: the other files of the work, by its path; a new path is one where none exists.
        replaces: False if a file that is there already is another program's, too.

    Attributes:
        path: where the work is saved.
        due: seconds of work at which it is to be saved.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        interval: float,
        spent: float = 0.0,
        on_move: Callable[[Path], None] = lambda _: None,
        beside: Callable[[Path], Sequence[Path]] = lambda _: (),
        *,
        replaces: bool = True,
    ) -> None:
        self.path, self.due = Path(path), spent + interval
        self._interval, self._on_move, self._beside = interval, on_move, beside
        self._stamp = self._now() if replaces else None

    def save(self, write: Callable[[Path], None], spent: float) -> float:
        """Save the work; returns the seconds that it took."""
        began = time.perf_counter()
        if self._now() not in (self._stamp, None):
            self.path = free_path(self.path, self._beside)
            self._on_move(self.path)
        write(self.path)
        self._stamp = self._now()
        taken = time.perf_counter() - began
        self.due = spent + max(self._interval, taken * (1 / WRITING_SHARE - 1))
        return taken

    def _now(self) -> tuple[int, int, int] | None:
        try:
            state = os.stat(self.path)
        except OSError:
            return None
        return (state.st_mtime_ns, state.st_size, state.st_ino) if state.st_size else None
