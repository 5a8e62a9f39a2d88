"""The guard of an engine's process; tests of the player check that it kills children."""

import os
import select
import signal
import subprocess
import sys
import time

import pytest

if os.name != "posix":
    pytest.skip("the guard is for POSIX", allow_module_level=True)

from tests.engine.engines import ALONE
from twofold.engine import guard as engine_guard

FOREVER = [*ALONE, "-c", "import time; time.sleep(1000)"]


@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        ([*ALONE, "-c", ""], 0, b""),
        ([*ALONE, "-c", "raise SystemExit(3)"], 3, b""),
        ([*ALONE, "-c", "import os; os.kill(os.getpid(), 15)"], 128 + 15, b""),
        (["/dev/null"], 127, b"cannot run /dev/null: Permission denied\n"),
    ],
)
def test_the_exit_code_is_that_of_the_program(command: list[str], code: int, says: bytes) -> None:
    with subprocess.Popen(
        [*ALONE, engine_guard.__file__, "5.0", *command],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    ) as guard:  # fmt: skip
        assert guard.stderr is not None
        assert (guard.wait(60), guard.stderr.read()) == (code, says)


class Poll:
    """A fake `select.poll` that reports streams in turn."""

    def __init__(self, *told: list[int]) -> None:
        self.told = list(told)
        self.waits: list[float] = []
        self.streams: list[int] = []

    def register(self, stream: int, _: int) -> None:
        self.streams.append(stream)

    def unregister(self, stream: int) -> None:
        self.streams.remove(stream)

    def poll(self, wait: float) -> list[tuple[int, int]]:
        self.waits.append(wait)
        return [(stream, select.POLLHUP) for stream in self.told.pop(0)]


@pytest.fixture
def ears() -> int:
    """A pipe without signals in it."""
    return os.open("/dev/null", os.O_RDONLY)


@pytest.mark.parametrize("parent_is_gone", [False, True])
def test_after_the_end_of_its_input_it_waits_and_gives_up(
    parent_is_gone: bool, ears: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    poll = Poll([], [ears] if parent_is_gone else [0], [], [], [])
    clock = iter([0.0, 0.1, 0.1, 0.2, 0.3, 0.3, 2.5, 2.5, 2.6, 9.0])
    monkeypatch.setattr(engine_guard, "_reap", lambda _: None)
    monkeypatch.setattr(select, "poll", lambda: poll)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    parents = iter([1, 2, 3] if parent_is_gone else [1, 1, 1])
    monkeypatch.setattr(os, "getppid", lambda: next(parents))
    assert engine_guard._watch(7, ears, 1, 2.5) is None
    os.close(ears)
    assert poll.streams == [ears]
    assert poll.waits[0] == engine_guard.LOOK_MILLISECONDS
    assert 0 < poll.waits[-1] <= engine_guard.LOOK_MILLISECONDS


def test_reaping_children(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = [(9, 0), (7, 3 << 8), (8, 0), (0, 0), (0, 0)]
    monkeypatch.setattr(os, "waitpid", lambda *_: ended.pop(0))
    assert engine_guard._reap(7) == 3
    assert engine_guard._reap(7) is None
    ended[:] = [(7, signal.SIGKILL)]
    assert engine_guard._reap(7) == 128 + signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists children")
def test_all_children_are_killed_and_what_they_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(FOREVER) as child:
        assert child.pid in engine_guard.children()
        left, killed = [[child.pid], [11, 12]], []

        def wait(*_: int) -> tuple[int, int]:
            if not left:
                raise ChildProcessError
            return 0, 0

        monkeypatch.setattr(os, "waitpid", wait)
        monkeypatch.setattr(engine_guard, "children", lambda: left.pop(0))
        monkeypatch.setattr(os, "kill", lambda *one: killed.append(one))
        engine_guard.end_children()
        monkeypatch.undo()
        child.kill()
    assert [number for number, _ in killed] == [child.pid, 11, 12]
    assert {kind for _, kind in killed} == {signal.SIGKILL}


def test_processes_that_cannot_be_killed_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_guard, "KILL_SECONDS", 0.01)
    monkeypatch.setattr(os, "waitpid", lambda *_: (0, 0))
    monkeypatch.setattr(engine_guard, "children", lambda: [1 << 29])  # there is no such process
    began = time.monotonic()
    engine_guard.end_children()
    assert time.monotonic() - began < 60
