"""R13: a file that twofold writes is the old one or the new one; locks."""

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import get_context
from pathlib import Path

import filelock
import numpy as np
import pytest

from tests.support.faults import NEW, OLD, calls_until_done, die_at_each_call, failing
from twofold.errors import InvalidInput, InvalidRecord, ResourceError
from twofold.storage.arrays import write_tensors
from twofold.storage.files import Buffer, alone, atomic_write, read_start, remove_file

FORMS: dict[str, Callable[[], Buffer | Iterable[Buffer]]] = {
    "whole": lambda: NEW,
    "list": lambda: [NEW[:5], b"", memoryview(NEW)[5:7000], memoryview(NEW)[7000:]],
    "iterator": lambda: (NEW[start : start + 6500] for start in range(0, len(NEW), 6500)),
}
"""The same content in each accepted form."""


def write_arrays(path: Path) -> None:
    write_tensors(path, {"x": np.arange(999, dtype=np.float32)}, {"x": "y"})


WRITERS: dict[str, Callable[[Path], None]] = {
    "arrays": write_arrays,
    **{name: lambda path, make=make: atomic_write(path, make()) for name, make in FORMS.items()},  # type: ignore[misc]
}


@pytest.mark.promise("R13")
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EINTR, errno.EACCES])
@pytest.mark.parametrize("writer", WRITERS)
def test_a_failing_call_leaves_the_old_file_or_the_new_one(
    writer: str, number: int, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    target = tmp_path / "record.txt"
    WRITERS[writer](target)  # no call fails
    new, last, sizes = target.read_bytes(), 0, set()
    for call in calls_until_done(target, failing(number)):  # each takes half of what is written
        last = call
        try:
            WRITERS[writer](target)
        except ResourceError as error:
            sizes.add(str(error).split(": ")[0])
        assert target.read_bytes() in (OLD, new)
        assert [path.name for path in tmp_path.iterdir()] == ["record.txt"], call
    assert target.read_bytes() == new
    assert new == NEW or writer == "arrays"
    expected = (0, 6500, 13000) if writer == "iterator" else (len(new),)  # what is known by then
    assert sizes == {f"cannot write {size} bytes to '{target}'" for size in expected}
    figure(f"{last} calls")


@pytest.mark.promise("R13")
@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems can flush a folder")
def test_content_is_flushed_before_the_rename_and_the_folder_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    fsync, replace = os.fsync, os.replace

    def flush(file: int) -> None:
        calls.append("flush folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "flush content")
        fsync(file)

    def rename(source: Path, target: Path) -> None:
        calls.append("rename")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(os, "replace", rename)
    for content in (OLD, NEW):  # a new file, then a replaced one
        calls.clear()
        atomic_write(tmp_path / "record.txt", content)
        assert calls == ["flush content", "rename", "flush folder"]


@pytest.mark.promise("R13")
@pytest.mark.skipif(os.name != "posix", reason="the process is looked up with a POSIX call")
@pytest.mark.parametrize("parts", [1, 4])
def test_a_killed_writer_leaves_no_torn_file_and_no_temporary_file(
    parts: int, tmp_path: Path
) -> None:
    target = tmp_path / "record.txt"
    process = get_context("spawn").Process(target=die_at_each_call, args=(target, parts))
    process.start()
    process.join()
    assert process.exitcode == 0


@pytest.mark.promise("R13")
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_parts_that_fail_leave_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    def parts() -> Iterator[bytes]:
        yield NEW
        assert len(list(tmp_path.iterdir())) == 2  # the first part is on its way
        raise error

    target = tmp_path / "record.txt"
    target.write_bytes(OLD)
    with pytest.raises(error):
        atomic_write(target, parts())
    assert target.read_bytes() == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["record.txt"]


@pytest.mark.skipif(os.name != "posix", reason="links and modes are those of POSIX")
def test_the_mode_of_a_file_is_kept_and_a_link_is_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "a", tmp_path / "link"
    target.write_bytes(OLD)
    target.chmod(0o640)
    link.symlink_to(target)
    atomic_write(link, NEW)
    assert link.is_symlink()
    assert target.read_bytes() == NEW
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such files")
def test_only_regular_files_are_replaced_and_read(tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    for place in (tmp_path, tmp_path / "missing" / "file", "/dev/null", f"/dev/fd/{write_end}"):
        with pytest.raises(InvalidInput, match=r"expected (a regular file|an existing folder) to"):
            atomic_write(place, NEW)
    os.close(read_end)
    os.close(write_end)
    assert not Path("/dev/null").is_file()
    with pytest.raises(InvalidRecord, match=r"cannot read '/proc/self/mem'"):
        read_start("/proc/self/mem", 10, InvalidRecord)


DEAD = 2**22 + 1
"""A number that no process has: Linux ends at 2^22, macOS earlier."""


@pytest.mark.promise("R13")
def test_only_temporary_files_of_dead_processes_are_removed(tmp_path: Path) -> None:
    litter = tmp_path / f".a.{DEAD}-0123456789abcdef.twofold-tmp"
    foreign = [
        tmp_path / f".a.{os.getpid()}-7.twofold-tmp",  # of a living process
        tmp_path / ".a.someone-7.twofold-tmp",
        tmp_path / f".a.{DEAD}-secret.twofold-tmp",
        tmp_path / f".a.b.{DEAD}-7.twofold-tmp",  # of another file, a.b
    ]
    for path in (litter, *foreign):
        path.write_bytes(b"half")
        os.utime(path, (0, 0))
    atomic_write(tmp_path / "a", NEW)
    assert not litter.exists()
    assert all(path.exists() for path in foreign)


def test_a_file_that_a_program_holds_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    path.touch()
    with alone(path, "tuning"), pytest.raises(InvalidInput, match="is using"):
        remove_file(path)
    assert path.exists()
    for _ in range(2):  # also where there is none
        remove_file(path)
        assert not path.exists()


# Locks

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
