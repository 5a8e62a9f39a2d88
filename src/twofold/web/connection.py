"""Connection: one WebSocket between its socket and its `Session`, within bounds.

Whatever a page does, others must not notice: what it sends is counted and measured before it is
read, and what waits to be sent to it is bounded.
"""

import asyncio
import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any, Final

from starlette.types import Message, Receive, Scope, Send

from twofold.web.hub import Hub
from twofold.web.protocol import (
    MAX_MESSAGE_BYTES,
    AnalysisReply,
    FrameReply,
    InvalidMessage,
    OutcomesReply,
    Reply,
    format_message,
    parse_request,
)
from twofold.web.session import Session

MAX_CONNECTIONS: Final = 64
"""Most WebSockets at a time; the next one is closed at once, with `TRY_AGAIN`."""

MESSAGES_PER_SECOND: Final = 200.0
"""How many messages a page may send in the long run; pings and parts of a message count, too."""

MESSAGES_AT_ONCE: Final = 400
"""How many it may send at once after a pause."""

MAX_WAITING: Final = 2_000
"""Most replies that wait for a slow page."""

MAX_WAITING_BYTES: Final = 16 * 2**20
"""Most bytes of them."""

CLOSE_SECONDS: Final = 2.0
"""How long a page may take to accept that it is closed."""

MAX_REASON_BYTES: Final = 123
"""Longest reason that a close frame holds (RFC 6455, 5.5)."""

POLICY: Final = 1008
"""Close code: what was sent is no request, or there is too much of it."""

TOO_BIG: Final = 1009
"""Close code: a message is too long."""

TRY_AGAIN: Final = 1013
"""Close code: too many connections, or too slow a reader."""


class Bucket:
    """Says when too many messages come: holds so many tokens, and fills again with time.

    Args:
        size: tokens that it holds.
        rate: tokens a second that come back.
        clock: the time in seconds.
    """

    def __init__(
        self, size: float, rate: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._size = size
        self._rate = rate
        self._clock = clock
        self._tokens = size
        self._last = clock()

    def take(self) -> bool:
        """Take a token; False where none is left."""
        now = self._clock()
        self._tokens = min(self._size, self._tokens + (now - self._last) * self._rate)
        self._last = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class Outbox:
    """Replies on their way to a page. Any thread may put one in; it never blocks.

    A reply that only replaces an older one takes its place, so that a slow page sees the newest
    frame and the newest analysis, and not all of them. It goes to the end, so that nothing
    overtakes what came before it.

    Args:
        loop: where `get` is awaited; that of the thread that makes the outbox.
        most: replies that may wait.
        most_bytes: bytes of them.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        most: int = MAX_WAITING,
        most_bytes: int = MAX_WAITING_BYTES,
    ) -> None:
        self._loop = loop
        self._thread = threading.get_ident()
        self._most = most
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._waiting: OrderedDict[object, bytes] = OrderedDict()
        self._bytes = 0
        self._number = 0
        self._closed = False
        self._changed = asyncio.Event()
        self._overflows = False
        self.overflow = asyncio.Event()
        """Set once more came than may wait. What comes after that is lost."""

    def put(self, reply: Reply) -> None:
        """Add a reply."""
        text = format_message(reply)
        with self._lock:
            if self._closed or self._overflows:
                return
            self._add(_place(reply), text)
            self._overflows = len(self._waiting) > self._most or self._bytes > self._most_bytes
            if self._overflows:
                self._tell(self.overflow)
            elif len(self._waiting) == 1:
                self._tell(self._changed)

    def _tell(self, event: asyncio.Event) -> None:
        """Set an event of the loop; at once where this is its thread."""
        if threading.get_ident() == self._thread:
            event.set()
        else:
            self._loop.call_soon_threadsafe(event.set)

    def _add(self, place: object, text: bytes) -> None:
        self._bytes += len(text) - len(self._waiting.pop(place, b""))
        self._number += 1
        self._waiting[self._number if place is None else place] = text

    async def get(self) -> bytes:
        """The next reply as text; waits for one."""
        while True:
            with self._lock:
                self._changed.clear()
                if self._waiting:
                    text = self._waiting.popitem(last=False)[1]
                    self._bytes -= len(text)
                    return text
            await self._changed.wait()

    def close(self) -> None:
        """Take no more."""
        with self._lock:
            self._closed = True


def _place(reply: Reply) -> object:
    """Equal for replies of which only the last one counts; None for all others."""
    if isinstance(reply, FrameReply):
        return "frame", reply.game
    if isinstance(reply, AnalysisReply):
        return "analysis", reply.ref
    if isinstance(reply, OutcomesReply):
        return "outcomes", reply.ref
    return None


class Sockets:
    """The endpoint of all WebSockets: makes a session for each, up to a number.

    Args:
        hub: what the sessions share.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.open = 0
        """Connections that there are now."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one WebSocket, from its beginning to its end."""
        await receive()  # websocket.connect
        await send({"type": "websocket.accept"})
        if self.open >= MAX_CONNECTIONS:
            await _close(send, TRY_AGAIN, f"at most {MAX_CONNECTIONS} connections")
            return
        self.open += 1
        try:
            await self._serve(receive, send)
        finally:
            self.open -= 1

    async def _serve(self, receive: Receive, send: Send) -> None:
        outbox = Outbox(asyncio.get_running_loop())
        session = Session(self._hub, outbox.put)
        try:
            ends = await _first_end(read(receive, session), write(outbox, send), _full(outbox))
        finally:
            outbox.close()
            session.close()
        if ends is not None:
            await _close(send, *ends)


End = tuple[int, str]
"""Why a connection is closed: the code and a reason."""


async def read(receive: Receive, session: Session) -> End | None:
    """Pass on what the page sends; how to close the connection, None where it is closed."""
    bucket = Bucket(MESSAGES_AT_ONCE, MESSAGES_PER_SECOND)
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            return None
        data = _data(message)
        if data is not None and len(data) > MAX_MESSAGE_BYTES:
            return TOO_BIG, f"expected at most {MAX_MESSAGE_BYTES} bytes"
        if not bucket.take():
            return POLICY, f"expected at most {MESSAGES_PER_SECOND:.0f} messages a second"
        if data is not None:
            try:
                session.receive(parse_request(data))
            except InvalidMessage as error:
                return POLICY, str(error)
        await asyncio.sleep(0)  # many may have come in one piece: it is the others' turn


def _data(message: Message) -> bytes | None:
    """The bytes of a message; None for a ping, a pong or a part of a message, which count, too."""
    text: str | None = message.get("text")
    return message.get("bytes") if text is None else text.encode("utf-8", "replace")


async def write(outbox: Outbox, send: Send) -> None:
    """Send what is in the outbox, for as long as there is a page."""
    try:
        while True:
            text = await outbox.get()
            await send({"type": "websocket.send", "text": text.decode()})
    except (OSError, RuntimeError):  # the connection has ended meanwhile
        return


async def _full(outbox: Outbox) -> End:
    """How to close the connection once too much waits to be sent."""
    await outbox.overflow.wait()
    return TRY_AGAIN, "the page reads too slowly"


async def _first_end(*ways: Coroutine[Any, Any, End | None]) -> End | None:
    """What the first of some coroutines returns; the others are ended."""
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(task.result() for task in tasks if task in done)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _close(send: Send, code: int, reason: str) -> None:
    """Close a connection; without a word where the page does not even read that."""
    short = reason.encode()[:MAX_REASON_BYTES].decode(errors="ignore")
    with contextlib.suppress(TimeoutError, OSError, RuntimeError):
        message = {"type": "websocket.close", "code": code, "reason": short}
        await asyncio.wait_for(send(message), CLOSE_SECONDS)
