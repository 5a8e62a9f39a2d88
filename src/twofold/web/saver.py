"""Saver: writes games that have changed, in a thread, so that nobody waits for the disk."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from twofold.errors import TwofoldError
from twofold.play.game_file import Conflict, Version
from twofold.play.store import GameStore
from twofold.play.threads import join, start_thread
from twofold.web.live_game import LiveGame
from twofold.web.protocol import Refused

SAVE_SECONDS: Final = 1.0
"""A game that changes is written about so often."""

RETRY_SECONDS: Final = 10.0
"""A game that could not be written is tried again after so long."""

_LOG: Final = logging.getLogger("twofold.web")

Move = Callable[[LiveGame, Conflict], None]
"""Gives a game a file of its own; called under its `saving`."""


class Saver:
    """Writes games to the store.

    Args:
        store: where to.
        move: gives a game a file of its own, as another program has made a conflict of its file.
        clock: the time in seconds.
    """

    def __init__(
        self, store: GameStore, move: "Move", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._move = move
        self._clock = clock
        self._changed = threading.Condition()
        self._due: dict[LiveGame, float] = {}
        self._closing = False
        self._thread = start_thread(self._run, "twofold-saver")

    def changed(self, live: LiveGame, *, at_once: bool) -> None:
        """Write a game soon, or at once; it never waits."""
        with self._changed:
            now = self._clock()
            due = now if at_once else max(now, live.saved_at + SAVE_SECONDS)
            self._due[live] = min(due, self._due.get(live, due))
            self._changed.notify()

    def close(self, seconds: float) -> None:
        """Write what is left, and end."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        join([self._thread], seconds)

    def _run(self) -> None:
        while (live := self._next()) is not None:
            self._write(live)

    def _next(self) -> LiveGame | None:
        """The next game to be written, when it is due; None in the end."""
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
            save(live, self._store, self._clock(), self._move)
        except TwofoldError as error:
            self._failed(live, error)
        except Exception as error:  # one game must not keep the others from being written
            _LOG.exception("cannot save the game %s", live.game)
            self._failed(live, error)

    def _failed(self, live: LiveGame, error: Exception) -> None:
        """Tell the followers once, and try again later."""
        with live.lock:
            if not live.told:
                live.told = True
                _LOG.warning("cannot save the game %s: %s", live.game, error)
                kind = type(error).__name__ if isinstance(error, TwofoldError) else "InternalError"
                live.tell(
                    Refused(message=f"the game goes on, but it cannot be saved: {error}", kind=kind)
                )
        with self._changed:
            if not self._closing:
                self._due.setdefault(live, self._clock() + RETRY_SECONDS)


def save(live: LiveGame, store: GameStore, when: float, move: Move) -> None:
    """Write a game, if it is kept and has changed since it was written last.

    Where another program has changed its file, the game takes over moves that go on from its own,
    and gets a file of its own otherwise.

    Args:
        live: the game.
        store: where to.
        when: the time by the saver's clock.
        move: gives the game a file of its own.

    Raises:
        InvalidInput: the folder is gone.
        LimitExceeded: it needs a file of its own, and there are as many games as are kept.
        ResourceError: the disk is full or failed.
    """
    with live.saving:
        while not live.is_saved:
            with live.lock:
                version, record, played = live.version, live.record(), live.played
            other = store.save(live.game, record, played, live.file)
            if other is None:
                live.was_saved(version, when)
                return
            if isinstance(other, Version):
                live.take_version(other, version)  # or once more: it has changed since
            else:
                move(live, other)


def refresh(live: LiveGame) -> bool:
    """Take over what another program has saved, if nothing here is unsaved.

    Returns:
        False where the game is saved and another program has deleted it.
    """
    with live.saving:
        version = live.version
        if not live.is_saved or live.file is None:
            return True
        other = live.file.other()
        if isinstance(other, Version):
            live.take_version(other, version)
        return other is not Conflict.DELETED or not live.is_saved
