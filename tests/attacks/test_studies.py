"""Hostile studies: refused in a sentence, soon, and no other file changed."""

import contextlib
import os
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.studies import ENDLESS, MAGIC, TABLES, change, lead_in_circles, super_journal
from tests.support.games import game
from twofold.arena import study as study_module
from twofold.arena.study import Study
from twofold.errors import InvalidInput
from twofold.game.notation import SeedRange
from twofold.storage.database import Deadline
from twofold.web.lab import Lab

SOON = 60.0
"""Seconds; a view without end takes for ever."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and signals of POSIX")


def make_study(path: Path, games: int = 3) -> None:
    with Study(path) as study:
        about: dict[str, Any] = {"signature": "1", "twofold": "0.1", "machine": {"cores": 2}}
        run = study.add_run("greedy", "greedy", "4x4", reproducible=True, **about).run
        study.want(run, SeedRange(0, games))
        for seed in range(games):
            study.add(run, game(seed, 100, 40, 8, (0, 0, 3, 9), 0.001))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "s.db"
    make_study(path)
    return path


@pytest.fixture
def study(tmp_path: Path, sound: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "s.db"))


def read(path: Path) -> int:
    with Study(path, read_only=True) as opened:
        opened.wanted(), opened.failures(1), list(opened.records())
        return sum(len(opened.games(run)) for run in opened.counts())


def write(path: Path) -> int:
    with Study(path) as opened:
        return sum(opened.counts().values())


OPENERS: tuple[Callable[[Path], int], ...] = (read, write)


def refused(path: Path) -> str:
    """What both ways to open a study say, which is the same."""
    said = set()
    for use in OPENERS:
        with pytest.raises(InvalidInput) as caught:
            use(path)
        said.add(str(caught.value))
    assert len(said) == 1
    return said.pop()


# ---- files beside


@posix
@pytest.mark.promise("R61")
@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("kind", ["a super-journal", "a link", "a pipe"])
def test_what_is_not_of_sqlite_is_refused(study: Path, kind: str, suffix: str) -> None:
    victim, beside = study.with_name("victim"), study.with_name(f"s.db{suffix}")
    victim.write_bytes(b"mine" * 1000)
    if kind == "a super-journal":
        beside.write_bytes(super_journal(victim))
    elif kind == "a link":
        beside.symlink_to(victim)
    else:
        os.mkfifo(beside)
    state = os.lstat(beside)
    said = refused(study)
    assert f"s.db{suffix}'" in said
    assert kind == "a pipe" or "for one database" in said
    assert f"s.db{suffix}" in Lab(study.parent).studies()[0].error
    assert os.lstat(beside) == state
    assert victim.read_bytes() == b"mine" * 1000


@posix
@pytest.mark.promise("R61")
def test_a_link_to_a_study_is_the_study(study: Path) -> None:
    """Its journals and its lock are those of the study, not of the link."""
    link = study.parent / "folder" / "link.db"
    link.parent.mkdir()
    link.symlink_to(study)
    with Study(link) as opened:
        opened.want(1, SeedRange(7, 7))
        assert (study.parent / "s.db-wal").exists()
        with pytest.raises(InvalidInput, match="another run is using"):
            Study(study)
        assert len(opened.runs()) == 1
    victim = study.with_name("victim")
    victim.write_text("mine")
    study.with_name("s.db-journal").write_bytes(super_journal(victim))
    refused(link)
    assert victim.exists()


def test_our_own_journal_is_rolled_back(study: Path) -> None:
    """As it lies there after a crash in the middle of a transaction."""
    crashed = study.with_name("crashed.db")
    connection = sqlite3.connect(study, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("BEGIN")
    connection.execute("UPDATE game SET score = 7")
    connection.execute(f"{ENDLESS} INSERT INTO plan SELECT i + 9, i, i, i FROM n LIMIT 9999")
    for suffix in ("", "-journal"):
        shutil.copy(f"{study}{suffix}", f"{crashed}{suffix}")
    connection.close()
    assert crashed.with_name("crashed.db-journal").read_bytes().startswith(MAGIC)
    assert write(crashed) == 3
    assert not crashed.with_name("crashed.db-journal").exists()
    with Study(crashed, read_only=True) as opened:
        assert opened.games(1).scores.tolist() == [100] * 3
        assert len(opened.wanted()) == 1


def test_our_own_log_is_read(study: Path) -> None:
    """As it lies there after a crash: what was flushed counts, and the next run goes on."""
    crashed = study.with_name("crashed.db")
    with Study(study) as opened:
        opened.add(1, game(9, 100, 40, 8, (0, 0, 3, 9), 0.001))
        opened.flush()
        for suffix in ("", "-wal", "-shm"):
            shutil.copy(f"{study}{suffix}", f"{crashed}{suffix}")
    assert read(crashed) == write(crashed) == read(crashed) == 4
    assert sorted(path.name for path in study.parent.iterdir()) == ["crashed.db", "s.db"]


# ---- tables


@pytest.mark.promise("R62")
@pytest.mark.parametrize("name", TABLES)
def test_other_tables_than_ours_are_refused(study: Path, name: str) -> None:
    change(study, *TABLES[name])
    began = time.monotonic()
    said = refused(study)
    words = ("exactly the tables of a study, got", "malformed database schema")
    assert any(map(said.__contains__, words))
    assert "s.db" in Lab(study.parent).studies()[0].error
    with pytest.raises(InvalidInput, match="study"):
        Lab(study.parent).study("s.db")
    assert time.monotonic() - began < SOON


@pytest.mark.promise("R62")
def test_a_trigger_behind_many_equal_entries_is_refused(study: Path) -> None:
    """A schema may repeat an index of its own."""
    with contextlib.closing(sqlite3.connect(study, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        entry = connection.execute("SELECT * FROM sqlite_schema WHERE sql IS NULL").fetchone()
        for _ in range(100):
            connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", entry)
        connection.execute(
            "INSERT INTO sqlite_schema VALUES ('trigger', 't', 'game', 0,"
            " 'CREATE TRIGGER t AFTER INSERT ON game BEGIN UPDATE game SET score = 9; END')"
        )
    assert "exactly the tables of a study, got" in refused(study)


@pytest.mark.promise("R64")
def test_rows_hold_no_more_text_than_the_file(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a forged tree can share one long text."""
    monkeypatch.setattr(study_module, "_GROWTH", -study.stat().st_size)
    with Study(study, read_only=True) as opened, pytest.raises(InvalidInput, match="damaged tree"):
        opened.runs()


@pytest.mark.promise("R62")
def test_a_tree_without_end_is_refused(tmp_path: Path) -> None:
    """Its root has one child many times, and that one leaf many times."""
    path = tmp_path / "s.db"
    make_study(path, 2000)
    lead_in_circles(path, "game")
    refused(path)
    with Study(path, read_only=True) as opened, pytest.raises(InvalidInput, match="damaged tree"):
        opened.games(1)


# ---- time


@pytest.mark.promise("R62")
def test_a_query_has_a_deadline(study: Path) -> None:
    with Study(study, read_only=True, seconds=0.01) as opened:
        for ask in (
            lambda: opened._one(f"{ENDLESS} SELECT count(*) FROM n"),
            lambda: list(opened._rows(f"{ENDLESS} SELECT i FROM n WHERE i < 0")),
        ):
            with pytest.raises(InvalidInput, match=r"within 0\.01 s"), opened._errors():
                ask()


@posix
@pytest.mark.promise("R62")
def test_ctrl_c_ends_a_query(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: Deadline) -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        return False

    monkeypatch.setattr(Deadline, "is_late", interrupt)
    with Study(study, read_only=True) as opened:
        with pytest.raises(KeyboardInterrupt), opened._errors():
            opened._one(f"{ENDLESS} SELECT count(*) FROM n")
        with pytest.raises(KeyboardInterrupt), opened._errors():
            list(opened._rows(f"{ENDLESS} SELECT i FROM n WHERE i < 0"))


# ---- other kinds of files
