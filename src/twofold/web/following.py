"""Following: the pages that follow a game, and the one that asked for something."""

from dataclasses import dataclass
from typing import Protocol

import msgspec

from twofold.web.protocol import Reply


class Viewer(Protocol):
    """A page that follows games."""

    def send(self, reply: Reply) -> None:
        """Take a reply; called from any thread, never waits."""


@dataclass(frozen=True, slots=True)
class Asker:
    """A page that asked for something, and the number its answer carries."""

    follower: Viewer
    ref: int

    def answer(self, reply: Reply) -> None:
        """Send a reply with that number."""
        self.follower.send(msgspec.structs.replace(reply, ref=self.ref))


class Followers:
    """The pages that follow a game. Not for several threads at once."""

    def __init__(self) -> None:
        self._all: list[Viewer] = []

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, follower: Viewer) -> None:
        """Tell it everything from now on."""
        if follower not in self._all:
            self._all.append(follower)

    def remove(self, follower: Viewer) -> None:
        """Tell it nothing more."""
        if follower in self._all:
            self._all.remove(follower)

    def tell(self, reply: Reply, asker: Asker | None = None) -> None:
        """Send a reply to all; to the one who asked with the number of the request."""
        for follower in self._all:
            if asker is None or follower is not asker.follower:
                follower.send(reply)
        if asker is not None:
            asker.answer(reply)
