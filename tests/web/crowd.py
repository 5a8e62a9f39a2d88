"""A crowd: many connections and slow senders against a server on this machine.

Run as `python crowd.py PORT TOKEN CONNECTIONS SLOW SECONDS`; it only ever connects to 127.0.0.1,
opens so many connections, and lasts until its input ends, so many seconds at most. It prints a
line once all have come, and a summary.
"""

import asyncio
import contextlib
import os
import random
import sys
import time
from collections import Counter

HANDSHAKE = (
    "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)

SLOW = b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: "

PAUSE = 2.0
"""Seconds before a connection that was dropped is opened again, on average."""


async def crowd(port: int, token: str, connections: int, slow: int, seconds: float) -> None:
    """Open connections and hold them; those that are dropped are opened again after a while."""
    tally: Counter[str] = Counter()
    end = time.monotonic() + seconds
    handshake = HANDSHAKE.format(port=port, token=token).encode()

    async def one(number: int) -> None:
        while time.monotonic() < end:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                await (dribble() if number < slow else hold())
            tally["tries"] += 1
            await asyncio.sleep(random.uniform(0, 2 * PAUSE))

    async def hold() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(handshake)
            head = await asyncio.wait_for(
                reader.readuntil(b"\r\n\r\n"), max(end - time.monotonic(), 0)
            )
            tally[head.split(maxsplit=2)[1].decode()] += 1
            while await asyncio.wait_for(reader.read(65_536), max(end - time.monotonic(), 0)):
                pass
        finally:
            writer.transport.abort()

    async def dribble() -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(SLOW)
            while time.monotonic() < end and not writer.is_closing():
                writer.write(b"x")
                tally["bytes"] += 1
                await asyncio.sleep(0.5)
        finally:
            writer.transport.abort()

    tasks = [asyncio.ensure_future(one(number)) for number in range(connections + slow)]
    while tally["tries"] + tally["101"] < connections:
        await asyncio.sleep(0.1)
    print("all have come", flush=True)
    ended = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await asyncio.wait([*tasks, ended], return_when=asyncio.FIRST_COMPLETED, timeout=seconds)
    print(dict(tally), flush=True)
    os._exit(0)  # all connections end with the process


if __name__ == "__main__":
    port, token, connections, slow, seconds = sys.argv[1:]
    with contextlib.suppress(ImportError):
        import resource

        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asyncio.run(crowd(int(port), token, int(connections), int(slow), float(seconds)))
