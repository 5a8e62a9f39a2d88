"""The full-screen app in a terminal: start, keys, and watching at top speed."""

import os
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common import Figure, Report, Settings, of_runs

SIZES = ((80, 24), (120, 40))
WATCH_SECONDS = 5.0
KEYS = 60
KEY_PAUSE = 0.05
PATIENCE = 60.0

PLAYERS = ("corner", "expectimax:ply=2")
"""A fast player, so that Python limits the speed, and one that searches."""

RULES = "8x8 goal=131072"
"""A game that lasts longer than the measurement."""

MOVE = re.compile(rb"move +(?:\x1b\[[0-9;]*m)*([0-9,]+)")


@dataclass(frozen=True, slots=True)
class Terminal:
    """A command in a pseudo-terminal."""

    process: "subprocess.Popen[bytes]"
    keys: int

    def read(self, seconds: float) -> bytes:
        """The output within a number of seconds."""
        seen = b""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if select.select([self.keys], [], [], left)[0]:
                seen += os.read(self.keys, 1 << 16)
        return seen

    def read_until(self, wanted: bytes) -> bytes:
        """The output up to a text."""
        seen = b""
        until = time.monotonic() + PATIENCE
        while wanted not in seen:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.keys], [], [], left)[0]:
                raise TimeoutError(f"expected {wanted!r} on the screen within {PATIENCE} s")
            seen += os.read(self.keys, 1 << 16)
        return seen

    def press(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self.keys, keys)

    def main_thread_seconds(self) -> float:
        """CPU time of the main thread, which reads keys and draws."""
        text = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/stat").read_text()
        user, system = text.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(*words: str, size: tuple[int, int], folder: str) -> Iterator[Terminal]:
    """Run a command in a terminal of this size."""
    import fcntl
    import termios

    primary, secondary = os.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    unset = {"NO_COLOR", "COLUMNS", "LINES"}
    environment = {key: value for key, value in os.environ.items() if key not in unset}
    process = subprocess.Popen(
        [sys.executable, "-m", "twofold", *words],
        stdin=secondary,
        stdout=secondary,
        stderr=secondary,
        env=environment
        | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TWOFOLD_STATE_DIR": folder},
    )
    os.close(secondary)
    try:
        yield Terminal(process, primary)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(primary)


def measure(settings: Settings) -> Report:
    """Measure start, keys, and watching at two sizes."""
    if sys.platform != "linux":
        return Report("Terminal app", [], ["Measured where there is /proc: on Linux."])
    with tempfile.TemporaryDirectory() as folder:
        figures = [_start(folder, settings), _keys(folder, settings)]
        for size in SIZES:
            for player in PLAYERS:
                figures += _watch(folder, player, size, settings)
    notes = [
        "A pseudo-terminal with 24-bit colours, read as fast as it is written to.",
        f"keys: {KEYS} moves, undone in turn, {1000 * KEY_PAUSE:g} ms apart, 80x24; median.",
        f"watch: as fast as the player can, {WATCH_SECONDS:g} s; the thread that draws is the "
        f"main one, its time that of the system's clock; rules {RULES}.",
    ]
    return Report("Terminal app", figures, notes)


def _start(folder: str, settings: Settings) -> Figure:
    values = []
    for run in range(settings.runs + 1):
        began = time.perf_counter()
        with running("play", size=SIZES[0], folder=folder) as terminal:
            terminal.read_until(b"seed")
            values += [time.perf_counter() - began] * bool(run)
    return of_runs("play, until the board shows", values, "s", at_most=1.0)


def _keys(folder: str, settings: Settings) -> Figure:
    values = []
    seed = ("--seed", str(settings.seed))
    with running("play", *seed, size=SIZES[0], folder=folder) as terminal:
        terminal.read_until(b"seed")
        terminal.read(0.5)
        for key in (b"\x1b[D", b"\x1b[B") + (b"u", b"y") * (KEYS // 2):
            began = time.perf_counter()
            terminal.press(key)
            terminal.read_until(b"\x1b[")
            values.append(1000 * (time.perf_counter() - began))
            terminal.read(KEY_PAUSE)
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 20], ordered[-1 - len(ordered) // 20]
    return Figure("key to picture", statistics.median(values), low, high, "ms", at_most=30.0)


def _watch(folder: str, player: str, size: tuple[int, int], settings: Settings) -> list[Figure]:
    words = ("watch", player, "--seed", str(settings.seed), "--rules", RULES)
    rates, shares, speeds = [], [], []
    for _ in range(settings.runs):
        with running(*words, size=size, folder=folder) as terminal:
            terminal.read_until(b"Ctrl-C ends")
            terminal.read(1.0)
            before, began = terminal.main_thread_seconds(), time.perf_counter()
            seen = terminal.read(WATCH_SECONDS)
            spent = time.perf_counter() - began
            shares.append(100 * (terminal.main_thread_seconds() - before) / spent)
            numbers = [int(found.replace(b",", b"")) for found in MOVE.findall(seen)]
            rates.append(len(numbers) / spent)
            speeds.append((numbers[-1] - numbers[0]) / spent)
    where = f"watch {player}, {size[0]}x{size[1]}"
    return [
        of_runs(f"{where}: pictures", rates, "/s", at_least=30.0),
        of_runs(f"{where}: thread that draws", shares, "% of a core", at_most=50.0),
        of_runs(f"{where}: moves", speeds, "moves/s"),
    ]
