"""Connection: one WebSocket between its socket and its `Session`.

The rate of messages and the queue of replies are limited for each page.
"""

import asyncio
import contextlib
import itertools
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any, Final

from starlette.types import Receive, Scope, Send

from twofold.web.hub import Hub
from twofold.web.protocol import (
    AnalysisReply,
    FrameReply,
    InvalidMessage,
    OutcomesReply,
    Reply,
    format_message,
    parse_request,
)
from twofold.web.session import Session

MESSAGES_PER_SECOND: Final = 200.0
"""Maximum mean rate of messages from a page."""

MESSAGES_AT_ONCE: Final = 400
"""Maximum burst of messages."""

MAX_WAITING_BYTES: Final = 16 * 2**20
"""Maximum size of queued replies."""

CLOSE_SECONDS: Final = 2.0
"""Seconds to wait for a page to accept the close frame."""

MAX_REASON_BYTES: Final = 123
"""Maximum length of the reason in a close frame (RFC 6455, 5.5)."""

POLICY: Final = 1008
"""Close code: an invalid request, or too many."""

TRY_AGAIN: Final = 1013
"""Close code: the page reads too slowly."""


class Bucket:
    """Token bucket that limits the rate of messages: `size` tokens, `rate` more per second."""

    def __init__(
        self, size: float, rate: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._size = size
        self._rate = rate
        self._clock = clock
        self._tokens = size
        self._last = clock()

    def take(self) -> bool:
        """Take a token; False if there is none."""
        now = self._clock()
        self._tokens = min(self._size, self._tokens + (now - self._last) * self._rate)
        self._last = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class Outbox:
    """Queue of replies to a page. Any thread may add one; `put` never blocks.

    A new frame or analysis replaces the queued one, at the end of the queue, so that a slow page
    gets the newest only and the order is kept. `get` must be awaited on `loop`.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, most_bytes: int = MAX_WAITING_BYTES
    ) -> None:
        self._loop = loop
        self._most_bytes = most_bytes
        self._waiting: OrderedDict[object, bytes] = OrderedDict()
        self._bytes = 0
        self._numbers = itertools.count()
        self._changed = asyncio.Event()
        self.overflow = asyncio.Event()
        """Set when the queue is full; later replies are dropped."""

    def put(self, reply: Reply) -> None:
        """Add a reply."""
        place, text = _place(reply), format_message(reply)
        with contextlib.suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._add, place, text)

    def _add(self, place: object, text: bytes) -> None:
        if self.overflow.is_set():
            return
        self._bytes += len(text) - len(self._waiting.pop(place, b""))
        self._waiting[next(self._numbers) if place is None else place] = text
        self._changed.set()
        if self._bytes > self._most_bytes:
            self.overflow.set()

    async def get(self) -> bytes:
        """Wait for the next reply, as text."""
        while not self._waiting:
            self._changed.clear()
            await self._changed.wait()
        text = self._waiting.popitem(last=False)[1]
        self._bytes -= len(text)
        return text


def _place(reply: Reply) -> object:
    """The queue key of a reply; equal keys replace each other, None replaces nothing."""
    if isinstance(reply, FrameReply):
        return "frame", reply.game
    if isinstance(reply, AnalysisReply):
        return "analysis", reply.ref
    if isinstance(reply, OutcomesReply):
        return "outcomes", reply.ref
    return None


class Sockets:
    """The WebSocket endpoint; creates a session for each connection."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one WebSocket."""
        await receive()  # websocket.connect
        await send({"type": "websocket.accept"})
        outbox = Outbox(asyncio.get_running_loop())
        session = Session(self._hub, outbox.put)
        try:
            ends = await _first_end(read(receive, session), write(outbox, send), _full(outbox))
        finally:
            session.close()
        if ends is not None:
            await _close(send, *ends)


End = tuple[int, str]
"""Code and reason for closing a connection."""


async def read(receive: Receive, session: Session) -> End | None:
    """Pass messages to the session; returns how to close the connection, None if it is closed."""
    bucket = Bucket(MESSAGES_AT_ONCE, MESSAGES_PER_SECOND)
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            return None
        if not bucket.take():
            return POLICY, f"expected at most {MESSAGES_PER_SECOND:.0f} messages a second"
        try:
            session.receive(parse_request(message.get("bytes") or message.get("text") or b""))
        except InvalidMessage as error:
            return POLICY, str(error)
        await asyncio.sleep(0)  # let other tasks run, even if many messages arrived together


async def write(outbox: Outbox, send: Send) -> None:
    """Send the replies of the outbox until the connection ends."""
    try:
        while True:
            text = await outbox.get()
            await send({"type": "websocket.send", "text": text.decode()})
    except (OSError, RuntimeError):  # the connection has ended
        return


async def _full(outbox: Outbox) -> End:
    await outbox.overflow.wait()
    return TRY_AGAIN, "the page reads too slowly"


async def _first_end(*ways: Coroutine[Any, Any, End | None]) -> End | None:
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(task.result() for task in tasks if task in done)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _close(send: Send, code: int, reason: str) -> None:
    short = reason.encode()[:MAX_REASON_BYTES].decode(errors="ignore")
    with contextlib.suppress(TimeoutError, OSError, RuntimeError):
        message = {"type": "websocket.close", "code": code, "reason": short}
        await asyncio.wait_for(send(message), CLOSE_SECONDS)
