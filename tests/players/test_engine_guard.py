"""The guard of an engine's process; that it kills what is left is tested with the player."""

import os
import select
import signal
import sys
import time

import pytest

if os.name != "posix":
    pytest.skip("the guard is for POSIX", allow_module_level=True)

from twofold.players import engine_guard


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The guard in this process, which keeps its output."""
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    monkeypatch.setattr(engine_guard, "_follow", lambda *_: None)
    return monkeypatch


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ([sys.executable, "-S", "-c", ""], 0),
        ([sys.executable, "-S", "-c", "raise SystemExit(3)"], 3),
        ([sys.executable, "-S", "-c", "import os; os.kill(os.getpid(), 15)"], 128 + 15),
    ],
)
def test_the_exit_code_is_that_of_the_program(
    guarded: pytest.MonkeyPatch, command: list[str], code: int
) -> None:
    guarded.setattr(sys, "argv", ["engine_guard.py", "5.0", *command])
    assert engine_guard.main() == code


def test_a_program_that_cannot_be_run(
    guarded: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guarded.setattr(sys, "argv", ["engine_guard.py", "5.0", "/dev/null"])
    assert engine_guard.main() == engine_guard.CANNOT_RUN
    assert capsys.readouterr().err == "cannot run /dev/null: Permission denied\n"


def test_it_waits_for_the_end_of_its_input_and_then_kills(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    events: list[list[tuple[int, int]]] = [[], [], [(0, select.POLLHUP)]]

    class Poll:
        def register(self, stream: int, events: int) -> None:
            done.append(("register", stream, events))

        def poll(self, _: int) -> list[tuple[int, int]]:
            return events.pop(0)

    monkeypatch.setattr(select, "poll", Poll)
    monkeypatch.setattr(time, "sleep", done.append)
    monkeypatch.setattr(os, "killpg", lambda *group: done.append(group))
    engine_guard._follow(os.getppid(), 2.5)
    assert done == [("register", 0, 0), 2.5, (0, signal.SIGKILL)]
    events[:] = [[]]
    engine_guard._follow(os.getppid() + 1, 2.5)  # another parent: ours is gone
    assert done[-1] == (0, signal.SIGKILL)
