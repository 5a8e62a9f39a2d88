"""A crowd: many connections, slow or malicious ones among them, to a server on this machine.

Run as `python crowd.py PORT TOKEN SECONDS KIND=COUNT ...`. It only connects to 127.0.0.1, opens
COUNT connections of each kind, and ends when its input ends, or after SECONDS. It prints a line
when all are open, and a summary at the end. The kinds:

* `hold` opens a WebSocket and sends nothing;
* `idle` opens a connection and sends nothing, and opens another one when it is dropped;
* `slow` sends a request one letter at a time;
* `flood` sends requests over a WebSocket as fast as it can;
* `nonsense` sends invalid requests.
"""

import asyncio
import contextlib
import os
import random
import sys
from collections import Counter
from collections.abc import Awaitable, Callable

HANDSHAKE = (
    "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)

SLOW = b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: "

PAUSES = {"hold": 2.0, "idle": 0.0, "slow": 2.0, "flood": 0.1, "nonsense": 0.1}
"""Seconds before a connection that was dropped is opened again, on average."""


def frame(text: bytes, first: bool = True, last: bool = True) -> bytes:
    """A message or fragment in the format of WebSockets (RFC 6455, 5.2), masked with zeros."""
    start = bytes([0x80 * last | first])
    size = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
    return start + size + b"\0\0\0\0" + text


class Crowd:
    """Connections of all kinds to one server."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self.handshake = HANDSHAKE.format(port=port, token=token).encode()
        self.tally: Counter[str] = Counter()
        self.kinds: dict[str, Callable[[], Awaitable[None]]] = {
            "hold": self.hold,
            "idle": self.idle,
            "slow": self.slow,
            "flood": self.flood,
            "nonsense": self.nonsense,
        }

    async def one(self, kind: str) -> None:
        """One connection for ever; where it is dropped it is opened again after a while."""
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await self.kinds[kind]()
            self.tally[f"{kind} again"] += 1
            await asyncio.sleep(random.uniform(0, 2 * PAUSES[kind]))

    async def hold(self) -> None:
        async with self.socket("hold") as (reader, _):
            while await reader.read(65_536):
                pass

    async def idle(self) -> None:
        async with self.connection() as (reader, _):
            self.tally["idle open"] += 1
            await reader.read(1)

    async def slow(self) -> None:
        async with self.connection() as (_, writer):
            writer.write(SLOW)
            while not writer.is_closing():
                writer.write(b"x")
                await asyncio.sleep(0.5)

    async def flood(self) -> None:
        async with self.socket("flood") as (_, writer):
            while not writer.is_closing():
                writer.write(frame(b'{"type":"stop"}') * 100)
                await writer.drain()
                self.tally["messages"] += 100
                await asyncio.sleep(0)

    async def nonsense(self) -> None:
        async with self.socket("nonsense") as (reader, writer):
            writer.write(frame(b"[" * 16_000))
            while await reader.read(65_536):
                pass

    @contextlib.asynccontextmanager
    async def connection(self):  # type: ignore[no-untyped-def]
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    @contextlib.asynccontextmanager
    async def socket(self, kind: str):  # type: ignore[no-untyped-def]
        async with self.connection() as (reader, writer):
            writer.write(self.handshake)
            await reader.readuntil(b"\r\n\r\n")
            self.tally[f"{kind} open"] += 1
            yield reader, writer


async def come(port: int, token: str, seconds: float, counts: dict[str, int]) -> None:
    """Run a crowd until the input ends."""
    crowd = Crowd(port, token)
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    tasks = [asyncio.ensure_future(crowd.one(kind)) for kind in kinds]  # kept: the loop does not
    crowd.tally.update(kinds)
    first = next(iter(counts))
    while crowd.tally[f"{first} again"] + crowd.tally[f"{first} open"] < counts[first]:
        await asyncio.sleep(0.1)
    print("all have come", flush=True)
    ended = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await asyncio.wait([ended, *tasks], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    print(", ".join(f"{name} {count}" for name, count in sorted(crowd.tally.items())), flush=True)
    os._exit(0)  # all connections end with the process


if __name__ == "__main__":
    port, token, seconds, *words = sys.argv[1:]
    with contextlib.suppress(ImportError):
        import resource

        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    counts = {kind: int(count) for kind, _, count in (word.partition("=") for word in words)}
    asyncio.run(come(int(port), token, float(seconds), counts))
