"""Calls to the operating system that fail, or end the process, at a chosen point."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from twofold.storage import files


class Faults:
    """Stands between `files` and the operating system; the k-th call does something else.

    Args:
        call: number of the call that fails, from 1.
        fault: what happens there.
    """

    def __init__(self, call: int, fault: Callable[[], None]) -> None:
        self.call, self.fault = call, fault
        self.made = 0

    def step(self) -> None:
        """Count a call; at the chosen one the fault happens."""
        self.made += 1
        if self.made == self.call:
            self.fault()

    @contextmanager
    def installed(self, module: Any) -> Iterator["Faults"]:
        """The faults, in place of `os` and `open` of a module while a block runs."""
        module.os = FaultyModule(os, self)
        module.open = lambda *args, **kwargs: FaultyFile(self, *args, **kwargs)
        try:
            yield self
        finally:
            module.os = os
            del module.open


class FaultyModule:
    """A module whose functions count as calls."""

    CALLS = ("fsync", "replace", "listdir", "lstat", "stat", "open", "close", "fchmod", "kill")

    def __init__(self, original: Any, faults: Faults) -> None:
        self.original, self.faults = original, faults

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.original, name)
        if name not in self.CALLS:
            return value

        def counted(*args: Any, **kwargs: Any) -> Any:
            self.faults.step()
            return value(*args, **kwargs)

        return counted


class FaultyFile:
    """A file whose opening, writes and closing count as calls; a write takes half of its bytes."""

    def __init__(self, faults: Faults, *args: Any, **kwargs: Any) -> None:
        faults.step()
        self.faults = faults
        self.file: Any = open(*args, **kwargs)  # noqa: SIM115 - closed by __exit__

    def write(self, data: memoryview) -> int:
        self.faults.step()
        return int(self.file.write(data[: max(1, len(data) // 2)]))

    def fileno(self) -> int:
        return int(self.file.fileno())

    def __enter__(self) -> "FaultyFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self.faults.step()


OLD, NEW = b"old content", b"new content, " * 1000


MOST_CALLS = 80
"""More calls to the operating system than one write makes."""


def failing(number: int) -> Callable[[], None]:
    def fail() -> None:
        raise OSError(number, os.strerror(number))

    return fail


def calls_until_done(target: Path, fault: Callable[[], None]) -> Iterator[int]:
    """Every call of one write, in turn."""
    for call in range(1, MOST_CALLS):
        target.write_bytes(OLD)
        with Faults(call, fault).installed(files) as faults:
            yield call
        if faults.made < call:
            return
    raise AssertionError("a write makes more calls than expected")


def die_at_each_call(target: Path, parts: int) -> None:
    """One write whose process ends at the first call, then the second ...; no thread runs here."""
    size = len(NEW) // parts
    for call in range(1, MOST_CALLS):
        target.write_bytes(OLD)
        content = (NEW[size * part : size * (part + 1)] for part in range(parts))
        if (child := os.fork()) == 0:
            with Faults(call, lambda: os._exit(9)).installed(files):
                files.atomic_write(target, content if parts > 1 else NEW)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert target.read_bytes() in (OLD, NEW), call
        if status == 0:
            break
        assert status == 9, (call, status)
        files.atomic_write(target, NEW)
        assert os.listdir(target.parent) == [target.name], call
    assert (status, call > 8, target.read_bytes()) == (0, True, NEW)
