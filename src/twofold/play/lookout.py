"""Lookout: looks once a second whether another program has saved a game that is followed."""

import logging
import threading
from collections.abc import Callable, Iterable
from typing import Final

from twofold.play.saved_game import SavedGame
from twofold.play.threads import CLOSE_SECONDS, join, start_thread

LOOK_SECONDS: Final = 1.0
"""Seconds between two looks at the files of games."""

_LOG: Final = logging.getLogger("twofold.play")


class Lookout:
    """A thread that calls `look` of the games."""

    def __init__(self, games: Callable[[], Iterable[SavedGame]]) -> None:
        self._games = games
        self._closing = threading.Event()
        self._thread = start_thread(self._run, "twofold-lookout")

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        join([self._thread], CLOSE_SECONDS)

    def _run(self) -> None:
        while not self._closing.wait(LOOK_SECONDS):
            for one in self._games():
                try:
                    one.look()
                except Exception:  # the other games must still be looked at
                    _LOG.exception("cannot look at the file of a game")
