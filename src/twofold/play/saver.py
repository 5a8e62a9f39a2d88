"""Threads that write changed games, and look whether another program has changed one."""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from typing import Final

from twofold.errors import TwofoldError
from twofold.play.live_game import LiveGame
from twofold.play.saved_game import SavedGame
from twofold.play.threads import CLOSE_SECONDS, join, start_thread

SAVE_SECONDS: Final = 1.0
"""Minimum seconds between two saves of a game."""

RETRY_SECONDS: Final = 10.0
"""Seconds until the next try after a failed save."""

LOOK_SECONDS: Final = 1.0
"""Seconds between two looks at the files of games."""

_LOG: Final = logging.getLogger("twofold.play")


class Saver:
    """Writes games to their files; `clock` is in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._due: dict[LiveGame, float] = {}
        self._closing = False
        self._thread = start_thread(self._run, "twofold-saver")

    def changed(self, live: LiveGame, *, at_once: bool) -> None:
        """Schedule a save, soon or at once; never blocks."""
        with self._changed:
            now = self._clock()
            due = now if at_once else max(now, live.saved_at + SAVE_SECONDS)
            self._due[live] = min(due, self._due.get(live, due))
            self._changed.notify()

    def close(self, seconds: float) -> None:
        """Write the remaining games, and end."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        join([self._thread], seconds)

    def _run(self) -> None:
        while (live := self._next()) is not None:
            self._write(live)

    def _next(self) -> LiveGame | None:
        with self._changed:
            while True:
                if not self._due:
                    if self._closing:
                        return None
                    self._changed.wait()
                    continue
                live = min(self._due, key=self._due.__getitem__)
                wait = self._due[live] - self._clock()
                if wait <= 0 or self._closing:
                    del self._due[live]
                    return live
                self._changed.wait(wait)

    def _write(self, live: LiveGame) -> None:
        try:
            live.saved_at = self._clock()
            live.save()
            live.told = False
        except TwofoldError as error:
            self._failed(live, error)
        except Exception as error:  # the other games must still be written
            _LOG.exception("cannot save the game %s", live.name)
            self._failed(live, error)

    def _failed(self, live: LiveGame, error: Exception) -> None:
        with live.lock:
            if not live.told:
                live.told = True
                _LOG.warning("cannot save the game %s: %s", live.name, error)
                kind = type(error).__name__ if isinstance(error, TwofoldError) else "InternalError"
                message = f"the game can continue, but it cannot be saved: {error}"
                live.tell(live.refusal(message, kind))
        with self._changed:
            if not self._closing:
                self._due.setdefault(live, self._clock() + RETRY_SECONDS)


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
