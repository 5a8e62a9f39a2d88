"""Locks: one holder at a time, none left behind, no other file touched."""

import subprocess
import sys
from pathlib import Path

import filelock
import pytest

from twofold.errors import InvalidInput
from twofold.storage.files import alone

HOLD = """
import sys, time
from twofold.storage.files import alone
with alone(sys.argv[1], "run"):
    print("held", flush=True)
    time.sleep(600)
"""


def test_the_lock_file_goes_before_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Afterwards it may be that of the next holder."""
    there: list[bool] = []
    release = filelock.FileLock.release

    def note(lock: filelock.FileLock, force: bool = False) -> None:
        there.append(Path(lock.lock_file).exists())
        release(lock, force)

    with alone(tmp_path / "study.db", "run"):
        monkeypatch.setattr(filelock.FileLock, "release", note)
    assert there[0] is False


def test_a_held_file_is_refused_until_its_holder_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "study.db"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, file], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(InvalidInput, match="another run is using"), alone(file, "run"):
            raise AssertionError
        holder.kill()
        holder.wait()
    with alone(file, "run"):
        pass
    assert not list(tmp_path.iterdir())


def test_a_file_of_the_users_own_stays(tmp_path: Path) -> None:
    mine = tmp_path / ".study.db.lock"
    mine.write_text("mine")
    with alone(tmp_path / "study.db", "run"):
        pass
    assert mine.read_text() == "mine"
