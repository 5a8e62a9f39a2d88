"""The file of a study: one writer, a full disk, closing, errors."""

import contextlib
import errno
import os
import re
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from tests.arena.studies.studies import add, row, small_study, use
from tests.support.forks import command, fork, full_disk
from twofold.arena import study as module
from twofold.arena.study import Study
from twofold.errors import InvalidInput, ResourceError
from twofold.game.notation import SeedRange


def test_a_new_study_without_a_run_is_removed_where_an_error_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "s.db"

    def fail(*, add_run: bool) -> None:
        with contextlib.suppress(KeyError), Study(path) as study:
            if add_run:
                add(study)
            raise KeyError

    fail(add_run=False)
    assert list(tmp_path.iterdir()) == []
    fail(add_run=True)
    assert list(tmp_path.iterdir()) == [path]
    path.unlink()
    Study(path).close()
    fail(add_run=False)  # it was there before
    assert list(tmp_path.iterdir()) == [path]
    path.unlink()
    mine = tmp_path / "mine"
    mine.write_text("mine")
    with contextlib.suppress(KeyError), Study(path):
        mine.replace(path)
        raise KeyError
    assert path.read_text() == "mine"


@pytest.mark.parametrize("ends", [True, False])
def test_a_closing_study_waits_for_readers(
    ends: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, ready, until = tmp_path / "s.db", threading.Event(), threading.Event()

    def look() -> None:
        with Study(path, read_only=True) as reader:
            reader.runs()
            ready.set()
            assert until.wait(60)

    monkeypatch.setattr(module, "CLOSING_SECONDS", 60.0 if ends else 0.0)
    thread = threading.Thread(target=look)
    with Study(path) as study:
        study.add(add(study), row(5))
        study.flush()
        thread.start()
        assert ready.wait(60)
        if ends:
            threading.Timer(0.3, until.set).start()
    assert path.with_name("s.db-wal").exists() is not ends  # who reads on has all games
    until.set()
    thread.join()
    with Study(path, read_only=True) as study:
        assert study.counts() == {1: 1}


def test_one_program_at_a_time_writes(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Study(path) as study:
        run = add(study)
        with pytest.raises(InvalidInput, match="another run is using"):
            Study(path)
        study.add(run, row(1))
        study.flush()
        with Study(path, read_only=True) as other:
            assert len(other.games(run, SeedRange(1, 1))) == 1


@pytest.mark.promise("R19")
@pytest.mark.parametrize("is_replaced", [False, True])
def test_games_of_a_study_that_is_removed_are_saved(is_replaced: bool, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    (tmp_path / "s-2.db").write_text("mine")

    def take_away() -> None:
        path.unlink()
        if is_replaced:
            path.write_text("yours")

    study = Study(path)
    run = add(study)
    study.add(run, row(5))
    study.flush()
    take_away()
    study.add(run, row(6))
    saved = re.escape(str(tmp_path / "s-2-2.db"))
    with pytest.raises(ResourceError, match=f"was removed or replaced .* are in {saved}"):
        study.close()
    with Study(tmp_path / "s-2-2.db") as study:
        assert study.counts() == {1: 2}
    assert (tmp_path / "s-2.db").read_text() == "mine"
    assert not path.exists() or path.read_text() == "yours"


@pytest.mark.promise("R19")
@pytest.mark.parametrize("later", [False, True], ids=["full", "full for a while"])
def test_a_full_disk_is_said_and_what_was_written_stays(later: bool, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Study(path) as study:
        run = add(study)
        study.add(run, row(1))
        study.flush()
        pages = study._one("PRAGMA page_count")[0]
        study._connection.execute(f"PRAGMA max_page_count = {pages}")
        for seed in range(2, 2000):
            study.add(run, row(seed))
        with pytest.raises(ResourceError, match=r"cannot write '.*s\.db' \([0-9,]+ bytes, .* full"):
            study.flush()
        study._connection.execute(f"PRAGMA max_page_count = {pages + 1000}")
        if not later:
            study._pending.clear()
    with Study(path) as study:
        assert len(study.games(run, SeedRange(0, 2000))) == (1999 if later else 1)


@pytest.mark.promise("R19")
def test_a_full_temporary_folder_is_not_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "there is none"))
    small_study(tmp_path / "s.db")
    assert use(tmp_path / "s.db") == 300


@pytest.mark.promise("R19")
def test_a_study_that_cannot_be_begun_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("twofold.storage.files.write_all", full)
    with pytest.raises(ResourceError, match=r"cannot write [0-9]+ bytes to '.*s\.db': No space"):
        Study(tmp_path / "s.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.promise("R19")
@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files as POSIX does")
@pytest.mark.parametrize("name", ["bench", "tune"])
def test_a_command_says_that_the_disk_is_full(name: str, tmp_path: Path) -> None:
    path, said = tmp_path / "s.db", tmp_path / "said"
    arguments = {
        "bench": ["random", "--rules", "2x2", "--games", "100000", "--jobs", "1"],
        "tune": ["expectimax:ply=1", "--rules", "2x2", "--jobs", "1", "--games", "1",
                 "--trials", "9999"],
    }[name]  # fmt: skip
    process = fork(command, said, full_disk, name, *arguments, "--out", str(path))
    process.join(280)
    assert process.exitcode == 3, said.with_suffix(".err").read_text()
    (line,) = said.with_suffix(".err").read_text().splitlines()[-1:]
    assert re.search(r"cannot write .*'.*s\.db'.*: .", line)
    assert not list(tmp_path.glob(".*"))


@pytest.mark.promise("R66")
@pytest.mark.parametrize("change", [b"", b"text", bytes(1_000_000)])
def test_a_study_in_use_whose_file_is_written_over(tmp_path: Path, change: bytes) -> None:
    """Written in place, as `cp` does. SQLite maps no part of a study, so it can report it."""
    path = tmp_path / "s.db"
    small_study(path)
    with Study(path, read_only=True) as study:
        (wanted,) = study.wanted()
        assert study._one("PRAGMA mmap_size") == (0,)
        path.write_bytes(change)
        with pytest.raises(InvalidInput, match="study"):
            study.games(wanted.run, wanted.seeds)
