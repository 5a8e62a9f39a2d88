"""macroxue/2048-ai (GPL 3) as an engine: its own executable, asked over HTTP by its own server.

It is another program, started as such: nothing of it is linked or copied.
One server plays all games and keeps its cache, so a game can depend on those before it.
"""

import os
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.engines import protocol

REQUEST: Final = "GET /move?board={} HTTP/1.1\n\n"
BLANK: Final = b"\n\n"
START_SECONDS: Final = 50.0
POLL_SECONDS: Final = 0.01


class Macroxue:
    """Its server, and the connection to it.

    Args:
        command: the executable and its options, but for depth and port.
        depth: as `-d` of the program.
    """

    author = "macroxue"

    def __init__(self, command: Sequence[str], depth: int) -> None:
        self.name = f"macroxue/2048-ai, depth {depth}"
        self._command = [*command, f"-d{depth}"]
        self._folder = Path(command[0]).absolute().parent
        self._server: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None

    def begin(self) -> None:
        """Start the server for the first game; its tables are in the folder of the executable."""
        if self._server is None:
            self._start()

    def _start(self) -> None:
        port = _free_port()
        self._server = subprocess.Popen(
            [os.path.abspath(self._command[0]), *self._command[1:], "-S", str(port)],
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        self._line = _connected(port, self._server)
        self.choose([0] * 15 + [1])  # its first answer ends the start

    def choose(self, cells: Sequence[int]) -> str:
        """Its move; it is asked in hexadecimal digits, `G` for 65536."""
        assert self._line is not None
        digits = "".join("0123456789ABCDEFG"[min(cell, 16)] for cell in cells)
        self._line.sendall(REQUEST.format(digits).encode())
        answer = b""
        while answer.find(BLANK) in (-1, len(answer) - len(BLANK)):
            if not (part := self._line.recv(4096)):
                raise ConnectionError("the server has closed the connection")
            answer += part
        return chr(answer[answer.find(BLANK) + len(BLANK)])

    def cpu_seconds(self) -> float:
        """CPU time of the server since its start, in steps of a tick, mostly 10 ms."""
        if self._server is None:
            return 0.0
        fields = Path(f"/proc/{self._server.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End the server."""
        if self._line is not None:
            self._line.close()
        if self._server is not None:
            self._server.kill()
            self._server.wait()
        self._line = self._server = None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _connected(port: int, server: subprocess.Popen[bytes]) -> socket.socket:
    """The connection, as soon as the server listens."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        try:
            line = socket.create_connection(("127.0.0.1", port), timeout=START_SECONDS)
        except ConnectionRefusedError:
            time.sleep(POLL_SECONDS)
        else:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return line
    raise ConnectionError(f"expected a server on port {port}, got none")


def main() -> None:
    parser = protocol.parser(__doc__)
    parser.add_argument("--program", type=Path, required=True, help="its executable")
    parser.add_argument("--depth", type=int, default=3)
    options = parser.parse_args()
    protocol.run(Macroxue([str(options.program)], options.depth), options.times)


if __name__ == "__main__":
    main()
