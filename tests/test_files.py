"""R13: a file that we write is the old one or the new one, whatever fails on the way."""

import errno
import os
import secrets
import subprocess
import sys
import time
from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

import twofold
from tests.faults import Faults
from twofold import files
from twofold.errors import InvalidInput, ResourceError
from twofold.files import Buffer, atomic_write

OLD, NEW = b"old content", b"new content, " * 1000
FORMS: dict[str, Callable[[], Buffer | Iterable[Buffer]]] = {
    "whole": lambda: NEW,
    "list": lambda: [NEW[:5], b"", memoryview(NEW)[5:7000], memoryview(NEW)[7000:]],
    "iterator": lambda: (NEW[start : start + 6500] for start in range(0, len(NEW), 6500)),
}
"""How the same content may be given."""

MOST_CALLS = 80
"""More calls to the operating system than one write makes."""

DIES_AT_CALL = """
import sys
from tests.faults import Faults
import twofold.files as files

def die():
    import os
    os._exit(9)

with Faults(int(sys.argv[2]), die).installed(files):
    parts = [b"new content, " * int(count) for count in sys.argv[3:]]
    files.atomic_write(sys.argv[1], iter(parts) if parts[1:] else parts[0])
"""


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


@pytest.mark.promise("R13")
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EINTR, errno.EACCES])
@pytest.mark.parametrize("form", FORMS)
def test_a_failing_call_leaves_the_old_file_or_the_new_one(
    form: str, number: int, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    target = tmp_path / "record.txt"
    last = 0
    for call in calls_until_done(target, failing(number)):
        last = call
        try:
            atomic_write(target, FORMS[form]())
        except ResourceError as error:
            said = str(error)
        else:
            said = f"wrote {target}, {len(NEW)} bytes"
        assert str(target) in said
        assert str(len(NEW)) in said or form == "iterator"
        assert target.read_bytes() in (OLD, NEW)
        assert [path.name for path in tmp_path.iterdir()] == ["record.txt"], call
    assert target.read_bytes() == NEW
    figure(f"{last} calls")


@pytest.mark.promise("R13")
@pytest.mark.skipif(os.name != "posix", reason="the process is looked up with a POSIX call")
@pytest.mark.parametrize("parts", [[1000], [400, 0, 600]], ids=["whole", "parts"])
def test_a_process_that_dies_leaves_no_torn_file_and_no_litter(
    parts: list[int], tmp_path: Path
) -> None:
    target = tmp_path / "record.txt"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(
            [str(Path(__file__).parents[1]), str(Path(twofold.__file__).parents[1])]
        ),
    }
    for call in range(1, MOST_CALLS):
        target.write_bytes(OLD)
        result = subprocess.run(
            [sys.executable, "-c", DIES_AT_CALL, str(target), str(call), *map(str, parts)],
            env=environment,
            check=False,
            timeout=60,
        )
        assert target.read_bytes() in (OLD, NEW)
        if result.returncode == 0:
            break
        assert result.returncode == 9
        atomic_write(target, NEW)
        assert [path.name for path in tmp_path.iterdir()] == ["record.txt"], call
    assert call > 8
    assert target.read_bytes() == NEW


@pytest.mark.promise("R13")
@pytest.mark.parametrize("form", FORMS)
def test_short_writes_are_carried_on(form: str, tmp_path: Path) -> None:
    target = tmp_path / "record.txt"
    with Faults(0, failing(errno.EIO)).installed(files):
        atomic_write(target, FORMS[form]())
    assert target.read_bytes() == NEW


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


def test_a_full_disk_is_named_with_the_bytes_so_far(tmp_path: Path) -> None:
    target, sizes = tmp_path / "a", set()
    for _ in calls_until_done(target, failing(errno.ENOSPC)):
        try:
            atomic_write(target, FORMS["iterator"]())
        except ResourceError as error:
            sizes.add(str(error).partition(" bytes to ")[0])
    assert sizes == {f"cannot write {size}" for size in (0, 6500, 13000)}


def test_parts_may_hold_anything_but_are_written_as_bytes(tmp_path: Path) -> None:
    numbers = memoryview(array("d", [1.0, 2.0]))
    atomic_write(tmp_path / "a", [numbers, memoryview(b"")])
    assert (tmp_path / "a").read_bytes() == numbers.tobytes()


def test_text_is_written_as_utf8(tmp_path: Path) -> None:
    atomic_write(tmp_path / "a", "é\n")
    assert (tmp_path / "a").read_bytes() == b"\xc3\xa9\n"


def test_the_mode_of_a_file_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_bytes(OLD)
    target.chmod(0o640)
    atomic_write(target, NEW)
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.name != "posix", reason="links need a right on Windows")
def test_a_link_is_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "a", tmp_path / "link"
    target.write_bytes(OLD)
    link.symlink_to(target)
    atomic_write(link, NEW)
    assert link.is_symlink()
    assert target.read_bytes() == NEW


@pytest.mark.parametrize("name", ["folder", "missing/file"])
def test_what_is_no_file_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidInput, match="expected"):
        atomic_write(tmp_path / name, NEW)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such device")
def test_a_device_is_refused_and_stays(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="regular file"):
        atomic_write("/dev/null", NEW)
    assert not Path("/dev/null").is_file()


def test_the_litter_of_a_living_process_stays(tmp_path: Path) -> None:
    living = tmp_path / f".a.{os.getpid()}-7.twofold-tmp"
    unknown = tmp_path / ".a.someone-7.twofold-tmp"
    times = {"old": 0.0, "older": -1e9, "of a wrong clock": time.time() + 1e8, "far": 1e10}
    for path in (living, unknown):
        path.write_bytes(b"half")
    for name, seconds in times.items():
        litter = tmp_path / f".a.{name}-8.twofold-tmp"
        litter.write_bytes(b"half")
        os.utime(litter, (seconds, seconds))
    atomic_write(tmp_path / "a", NEW)
    assert {path.name for path in tmp_path.iterdir()} == {"a", living.name, unknown.name}


def test_a_clock_that_goes_back_keeps_nothing_from_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = tmp_path / ".a.someone-7.twofold-tmp"
    unknown.write_bytes(b"half")
    now = time.time()
    for clock, left in ((now - 3_600, True), (now + 3_600, True), (now - 1e9, False)):
        monkeypatch.setattr(time, "time", lambda clock=clock: clock)
        atomic_write(tmp_path / "a", NEW)
        assert unknown.exists() is left


@pytest.mark.promise("R13")
@pytest.mark.skipif(os.name != "posix", reason="links need a right on Windows")
def test_links_laid_in_the_way_are_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder where others can write, too, a name that can be guessed may be a link."""
    mine = tmp_path / "mine"
    mine.write_bytes(OLD)
    (tmp_path / ".a.someone-7.twofold-tmp").symlink_to("nowhere")
    (tmp_path / ".a.-.twofold-tmp").mkdir()
    atomic_write(tmp_path / "a", NEW)
    monkeypatch.setattr(secrets, "token_hex", lambda _: "guessed")
    (tmp_path / f".a.{os.getpid()}-guessed.twofold-tmp").symlink_to(mine)
    with pytest.raises(ResourceError, match="File exists"):
        atomic_write(tmp_path / "a", OLD)
    assert (mine.read_bytes(), (tmp_path / "a").read_bytes()) == (OLD, NEW)


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_what_is_private_is_private_while_it_is_written(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_bytes(OLD)
    target.chmod(0o600)

    def parts() -> Iterator[bytes]:
        yield NEW
        (temporary,) = tmp_path.glob(".a.*")
        assert temporary.stat().st_mode & 0o777 == 0o600
        yield NEW

    atomic_write(target, parts())
