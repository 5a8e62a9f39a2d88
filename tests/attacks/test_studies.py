"""Hostile studies and tunings: refused in a sentence, soon, and no other file changed."""

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

import optuna
import pytest

from tests.attacks.studies import (
    BESIDE,
    ENDLESS,
    MAGIC,
    TABLES,
    change,
    lead_in_circles,
    super_journal,
)
from twofold.arena.games import GameRow
from twofold.arena.studies import sqlite as module
from twofold.arena.studies.sqlite import Deadline, open_sqlite, patiently
from twofold.arena.studies.study import Study
from twofold.arena.tuning import study as tune_study
from twofold.arena.tuning.tune import TuningSettings
from twofold.errors import InvalidInput, TwofoldError
from twofold.locks import alone
from twofold.rules import Rules
from twofold.seeds import SeedRange
from twofold.web.lab import laboratory as lab

SOON = 60.0
"""Seconds; a view without end takes for ever."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and signals of POSIX")


def make_study(path: Path, games: int = 3) -> None:
    with Study(path) as study:
        about: dict[str, Any] = {"signature": "1", "twofold": "0.1", "machine": {"cores": 2}}
        run = study.add_run("greedy", "greedy", "4x4", reproducible=True, **about)
        study.want(run, SeedRange(0, games))
        for seed in range(games):
            study.add(run, GameRow("", seed, 100, 40, 8, (0, 0, 3, 9), 0.001))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "s.db"
    make_study(path)
    return path


@pytest.fixture
def study(tmp_path: Path, sound: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "s.db"))


@pytest.fixture(scope="module")
def settings() -> TuningSettings:
    return TuningSettings.make(
        "expectimax:eval=rows,ply=1", games=1, seed=1, rules=Rules.parse("3x3")
    )


@pytest.fixture(scope="module")
def sound_tuning(settings: TuningSettings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tuning") / "t.db"
    tune_study.open_study(path, settings)
    return path


@pytest.fixture
def tuning(tmp_path: Path, sound_tuning: Path) -> Path:
    return Path(shutil.copy(sound_tuning, tmp_path / "t.db"))


def read(path: Path) -> int:
    with Study(path, read_only=True) as opened:
        opened.wanted(), opened.failures(1), list(opened.records())
        return sum(len(opened.all_games(run)) for run in opened.counts())


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


def test_the_attack_is_one(tmp_path: Path) -> None:
    """SQLite itself deletes the file that such a journal names."""
    path, victim = tmp_path / "any.db", tmp_path / "victim"
    victim.write_text("mine")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE a (b)")
    path.with_name("any.db-journal").write_bytes(super_journal(victim))
    with (
        contextlib.closing(sqlite3.connect(path)) as connection,
        contextlib.suppress(sqlite3.Error),
    ):
        connection.execute("SELECT * FROM a").fetchall()
    assert not victim.exists()


@pytest.mark.promise("R61")
def test_a_journal_that_names_another_file_is_refused(
    study: Path, tuning: Path, settings: TuningSettings
) -> None:
    victim = study.with_name("victim")
    victim.write_text("mine")
    for path in (study, tuning):
        path.with_name(f"{path.name}-journal").write_bytes(super_journal(victim))
    before = {path: path.read_bytes() for path in study.parent.iterdir()}
    assert "a file made by SQLite for one database, got" in refused(study)
    with pytest.raises(InvalidInput, match=r"one database, got .*t\.db-journal'\. Move"):
        tune_study.open_study(tuning, settings)
    assert "Move it to another folder" in lab.studies(study.parent)[0].error
    assert {path: path.read_bytes() for path in study.parent.iterdir()} == before


@pytest.mark.promise("R61")
def test_a_journal_of_a_lock_is_not_looked_at(study: Path) -> None:
    victim = study.with_name("victim")
    victim.write_text("mine")
    journal = study.with_name(".s.db.lock-journal")
    journal.write_bytes(super_journal(victim))
    assert write(study) == 3
    with alone(study, "solution"):
        pass
    assert victim.exists()
    assert journal.exists()


@posix
@pytest.mark.promise("R61")
@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("put", BESIDE)
def test_what_is_not_of_sqlite_is_refused(
    study: Path, put: Callable[[Path, Path], None], suffix: str
) -> None:
    victim, beside = study.with_name("victim"), study.with_name(f"s.db{suffix}")
    victim.write_bytes(b"mine" * 1000)
    put(victim, beside)
    state = os.lstat(beside)
    assert f"s.db{suffix}'. Move it to another folder" in refused(study)
    assert os.lstat(beside) == state
    assert victim.read_bytes() == b"mine" * 1000


def test_a_journal_may_end_while_it_is_looked_at(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, look = study.with_name("s.db-journal"), os.lstat

    def look_and_end(path: Path) -> os.stat_result:
        found = look(path)
        if path == journal:
            journal.unlink()
        return found

    journal.write_bytes(MAGIC)
    monkeypatch.setattr(os, "lstat", look_and_end)
    assert read(study) == 3


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


@pytest.mark.parametrize("start", [b"", bytes(8), bytes(600)])
def test_a_journal_that_is_not_on_the_disk_yet_is_no_harm(study: Path, start: bytes) -> None:
    study.with_name("s.db-journal").write_bytes(start)
    assert write(study) == 3


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
        assert opened.all_games(1).scores.tolist() == [100] * 3
        assert len(opened.wanted()) == 1


def test_our_own_log_is_read(study: Path) -> None:
    """As it lies there after a crash: what was flushed counts, and the next run goes on."""
    crashed = study.with_name("crashed.db")
    with Study(study) as opened:
        opened.add(1, GameRow("", 9, 100, 40, 8, (0, 0, 3, 9), 0.001))
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
    words = ("tables of a study, got the", "of a study, got none", "malformed database schema")
    assert any(map(said.__contains__, words))
    assert "s.db" in lab.studies(study.parent)[0].error
    with pytest.raises(InvalidInput, match="study"):
        lab.study(study.parent, "s.db")
    assert time.monotonic() - began < SOON


@pytest.mark.promise("R62")
@pytest.mark.parametrize(
    "statements",
    [
        (
            "ALTER TABLE trials RENAME TO old",
            f"CREATE VIEW trials AS {ENDLESS} SELECT i AS trial_id FROM n",
        ),
        (
            "ALTER TABLE study_user_attributes RENAME TO old",
            f"CREATE VIEW study_user_attributes AS {ENDLESS} SELECT i AS study_id FROM n",
            "UPDATE sqlite_schema SET type = 'table' WHERE type = 'view'",
        ),
        ("CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM trials; END",),
        ("CREATE VIRTUAL TABLE words USING fts5(text)",),
        tuple(f"CREATE TABLE t{number} (a)" for number in range(tune_study.MAX_ENTRIES)),
    ],
)
def test_a_tuning_has_tables_and_indexes_alone(
    tuning: Path, settings: TuningSettings, statements: tuple[str, ...]
) -> None:
    change(tuning, *statements)
    with pytest.raises(InvalidInput, match=r"expected (only tables and|at most|a file made)"):
        tune_study.open_study(tuning, settings)


def test_a_later_optuna_may_have_more_tables(tuning: Path, settings: TuningSettings) -> None:
    change(tuning, "CREATE TABLE later (a INTEGER)", "CREATE INDEX ix_later ON later (a)")
    assert isinstance(tune_study.open_study(tuning, settings), optuna.Study)


@pytest.mark.promise("R62")
def test_a_tree_without_end_is_refused(tmp_path: Path, settings: TuningSettings) -> None:
    """Its root has one child many times, and that one leaf many times."""
    path, tuning = tmp_path / "s.db", tmp_path / "t.db"
    make_study(path, 2000)
    lead_in_circles(path, "game")
    refused(path)
    with Study(path, read_only=True) as opened, pytest.raises(InvalidInput, match="damaged tree"):
        opened.all_games(1)
    tune_study.open_study(tuning, settings)
    values = "SELECT i, i, 1, 'COMPLETE', NULL, NULL FROM n LIMIT 999"
    change(tuning, f"{ENDLESS} INSERT INTO trials {values}")
    lead_in_circles(tuning, "trials")
    with pytest.raises(InvalidInput, match="expected a valid file of trials"):
        tune_study.open_study(tuning, settings)


def test_extensions_and_other_files_cannot_be_reached(study: Path) -> None:
    with contextlib.closing(open_sqlite(study, "rw", Deadline())) as connection:
        for statement in ("SELECT load_extension('x')", f"ATTACH '{study}' AS other"):
            with pytest.raises(sqlite3.OperationalError, match=r"not authorized|too many attached"):
                connection.execute(statement)
        assert connection.execute("PRAGMA trusted_schema").fetchone() == (0,)
        assert connection.execute("PRAGMA cell_size_check").fetchone() == (1,)


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


@pytest.mark.promise("R62")
def test_a_query_of_a_tuning_has_a_deadline(
    tuning: Path, settings: TuningSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = tune_study.open_study(tuning, settings)
    monkeypatch.setattr(module, "_STEPS", 1)
    monkeypatch.setattr(Deadline, "__call__", lambda _: True)
    with (
        pytest.raises(InvalidInput, match=r"t\.db' within 120 s"),
        tune_study.storage_errors(tuning),
    ):
        study.get_trials()


class Interrupting(Deadline):
    """The user presses Ctrl-C while a query runs."""

    def __call__(self) -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        return super().__call__()


@posix
@pytest.mark.promise("R62")
def test_ctrl_c_ends_a_query(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twofold.arena.studies.file.Deadline", Interrupting)
    with Study(study, read_only=True) as opened:
        with pytest.raises(KeyboardInterrupt), opened._errors():
            opened._one(f"{ENDLESS} SELECT count(*) FROM n")
        with pytest.raises(KeyboardInterrupt), opened._errors():
            list(opened._rows(f"{ENDLESS} SELECT i FROM n WHERE i < 0"))


@posix
@pytest.mark.promise("R62")
def test_ctrl_c_ends_a_query_of_a_tuning(
    tuning: Path, settings: TuningSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = tune_study.open_study(tuning, settings)
    monkeypatch.setattr(module, "_STEPS", 1)
    monkeypatch.setattr(Deadline, "__call__", Interrupting.__call__)
    with pytest.raises(KeyboardInterrupt):
        study.get_trials()


@posix
@pytest.mark.promise("R62")
def test_ctrl_c_ends_the_wait_for_another_program(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: os.kill(os.getpid(), signal.SIGINT))
    with contextlib.closing(sqlite3.connect(study, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(KeyboardInterrupt):
            read(study)


def test_patience_ends(study: Path) -> None:
    tries: list[int] = []

    def busy() -> None:
        tries.append(1)
        raise sqlite3.OperationalError("database is locked")

    with pytest.raises(sqlite3.OperationalError):
        patiently(busy, 0.1)
    assert len(tries) > 1


# ---- other kinds of files


@posix
@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "memory", "nothing"])
def test_what_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "s.db"
    if kind == "folder":
        path.mkdir()
    if kind == "pipe":
        os.mkfifo(path)
    path = {"device": Path("/dev/zero"), "memory": Path("/proc/self/mem")}.get(kind, path)
    if kind in ("nothing", "memory"):
        path = path if path.exists() else tmp_path / "no" / "s.db"
    for use in OPENERS:
        with pytest.raises(TwofoldError, match=r"expected|cannot read"):
            use(path)
    assert not list(tmp_path.glob(".*"))
