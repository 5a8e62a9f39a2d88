"""The pages that follow a game, and the page that sent a request."""

from dataclasses import dataclass
from typing import Any, Protocol

import msgspec


class Viewer(Protocol):
    """A page that follows games; replies are structs of msgspec with a field `ref`."""

    def send(self, reply: Any) -> None:
        """Send a reply; called from any thread, never blocks."""


@dataclass(frozen=True, slots=True)
class Asker:
    """A page that sent a request, and the request's number."""

    follower: Viewer
    ref: int

    def answer(self, reply: Any) -> None:
        """Send a reply with that number."""
        self.follower.send(msgspec.structs.replace(reply, ref=self.ref))


class Followers:
    """The pages that follow a game. Not thread-safe."""

    def __init__(self) -> None:
        self._all: list[Viewer] = []

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, follower: Viewer) -> None:
        """Add a page."""
        if follower not in self._all:
            self._all.append(follower)

    def remove(self, follower: Viewer) -> None:
        """Remove a page."""
        if follower in self._all:
            self._all.remove(follower)

    def tell(self, reply: Any, asker: Asker | None = None) -> None:
        """Send a reply to all pages, and to `asker` with the number of its request."""
        for follower in self._all:
            if asker is None or follower is not asker.follower:
                follower.send(reply)
        if asker is not None:
            asker.answer(reply)
