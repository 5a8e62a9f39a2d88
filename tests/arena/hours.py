"""A clock that advances while a player hangs, and stops while one plays."""

import time
from pathlib import Path


class HoursPass:
    """Stands in for the module `time` where one job looks at the clock.

    Each process that hangs is worth two hours: one for each of the next two looks at the clock, as
    the first of them may be the look that notes when the game began.

    Args:
        folder: a process that hangs leaves a file here, see `HangsOnSeed`.
    """

    sleep = staticmethod(time.sleep)

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._looks: dict[str, int] = {}
        self._now = 0.0

    def monotonic(self) -> float:
        """The time in seconds."""
        for file in self._folder.iterdir():
            looks = self._looks.get(file.name, 0)
            if looks < 2:
                self._looks[file.name] = looks + 1
                self._now += 3600
        return self._now
