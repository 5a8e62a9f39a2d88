"""A page without a browser: sends requests to a session and collects its replies."""

import itertools
import threading
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec

from twofold.game.formats import parse_any_record
from twofold.game.record import Record
from twofold.games.threads import JobThreads
from twofold.search.budget import Stop
from twofold.web import protocol
from twofold.web.hub import Hub
from twofold.web.protocol import AnyRequest, RefusedReply, Reply
from twofold.web.session import Session, Work
from twofold.web.table import PageTable

PATIENCE = 120.0
"""Seconds after which something that should come is taken not to."""

AnyReply = (
    protocol.Welcome
    | protocol.Ready
    | protocol.RefusedReply
    | protocol.GameState
    | protocol.StepReply
    | protocol.FrameReply
    | protocol.AutoplayEnded
    | protocol.AnalysisReply
    | protocol.OutcomesReply
    | protocol.Judged
    | protocol.Reviewed
)

_REPLIES: Final = msgspec.json.Decoder(AnyReply)

Kind = TypeVar("Kind", bound=Reply)


def parse_reply(data: bytes | str) -> AnyReply:
    """Parse a message of the server."""
    reply: AnyReply = _REPLIES.decode(data)
    return reply


class Listener:
    """Collects replies, in order, and waits for them."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self._changed = threading.Condition()

    def send(self, reply: Reply) -> None:
        """Take a reply, encoded and decoded again."""
        with self._changed:
            self.replies.append(parse_reply(protocol.format_message(reply)))
            self._changed.notify_all()

    def wait(
        self, kind: type[Kind], fits: Callable[[Kind], bool] = lambda reply: True, start: int = 0
    ) -> Kind:
        """Wait for a matching reply of a kind, from an index of `replies` on."""

        def find() -> Kind | None:
            for reply in self.replies[start:]:
                if isinstance(reply, kind) and fits(reply):
                    return reply
            return None

        with self._changed:
            self._changed.wait_for(find, PATIENCE)
            found = find()
            last = [type(reply).__name__ for reply in self.replies[-5:]]
        assert found is not None, f"no {kind.__name__}, but {last}, {self.replies[-1:]}"
        return found

    def all(self, kind: type[Kind]) -> list[Kind]:
        """The replies of a kind so far."""
        with self._changed:
            return [reply for reply in self.replies if isinstance(reply, kind)]


class Page(Listener):
    """One page of a hub."""

    def __init__(self, hub: Hub) -> None:
        super().__init__()
        self._refs = itertools.count(1)
        self.session = Session(hub, self.send)

    def tell(self, request: AnyRequest) -> int:
        """Send a request; returns the number that its replies carry."""
        ref = next(self._refs)
        whole: Any = msgspec.structs.replace(request, ref=ref)
        parsed = protocol.parse_request(protocol.format_message(whole))
        assert not isinstance(parsed, RefusedReply)
        self.session.receive(parsed)
        return ref

    def ask(self, request: AnyRequest, kind: type[Kind]) -> Kind:
        """Send a request and wait for its reply of a kind."""
        ref = self.tell(request)
        return self.wait(kind, lambda reply: reply.ref == ref)

    def refusal(self, request: AnyRequest) -> tuple[str, str]:
        """Send a request that is refused; returns kind and message."""
        found = self.ask(request, protocol.RefusedReply)
        return found.kind, found.message

    def new(self, **values: Any) -> protocol.GameState:
        """Begin a game."""
        return self.ask(protocol.NewRequest(**values), protocol.GameState)

    def open(self, game: str = "") -> protocol.GameState:
        """Open a game."""
        return self.ask(protocol.OpenRequest(game=game), protocol.GameState)

    def move(self, game: str, move: Any, number: int) -> protocol.StepReply:
        """Make a move."""
        request = protocol.MoveRequest(game=game, move=move, move_number=number)
        return self.ask(request, protocol.StepReply)

    def play(self, state: protocol.GameState, moves: int) -> protocol.GameNow:
        """Make moves, always the first legal one."""
        now = state.now
        for _ in range(moves):
            now = self.move(state.game, now.legal[0], now.move_number).now
        return now

    def let_play(self, state: protocol.GameState, **values: Any) -> int:
        """Start autoplay; returns the number of the request."""
        return self.tell(protocol.AutoplayRequest(game=state.game, **values))

    def close(self) -> None:
        """Close the session."""
        self.session.close()


def start(threads: JobThreads, work: Work, listener: Listener, ref: int) -> Stop:
    """Do what a session queues; its replies carry a number. Returns the flag that ends it."""
    stop = Stop()

    def run() -> None:
        try:
            work(stop, lambda reply: listener.send(msgspec.structs.replace(reply, ref=ref)))
        except Exception as error:
            listener.send(protocol.refused(error, ref))

    threads.start(run, stop.raise_flag)
    return stop


def add_record(hub: Hub, text: str | bytes) -> str:
    """Save a game of the person's from a record or another program's replay; returns its id."""
    return kept(hub.table, parse_any_record(text))


def kept(table: PageTable, record: Record) -> str:
    """Save a game that is played now; returns its id."""
    return table.take_in(record, time.time()).game


def wait_until(true: Callable[[], bool]) -> None:
    """Wait for a condition that nothing tells of."""
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until
        threading.Event().wait(0.001)
