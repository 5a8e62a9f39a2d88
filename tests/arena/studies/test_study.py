"""Studies: written games are there, missing games are known, other files are refused."""

import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from tests.arena.studies.studies import ABOUT, add, row, small_study, use
from twofold.arena import study as module
from twofold.arena.games import NEVER, UNKNOWN, GameColumns
from twofold.arena.study import APPLICATION, SCHEMA, Study
from twofold.errors import InvalidInput
from twofold.game.notation import SeedRange


def test_games_are_read_in_the_order_of_their_seed_range(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    seeds = [2**64 - 1, 0, 2**64 - 2, 2, 1]
    with Study(path) as study:
        run = add(study)
        for seed in seeds:
            study.add(run, row(seed, score=seed % 1000))
    with Study(path, read_only=True) as study:
        games = study.games(run, SeedRange(2**64 - 2, 4))
        assert games.seeds.tolist() == [2**64 - 2, 2**64 - 1, 0, 1]
        assert games.scores.tolist() == [614, 615, 0, 1]
        rows = [row(seed, score=seed % 1000) for seed in (2**64 - 2, 2**64 - 1, 0, 1)]
        assert games.equals(GameColumns.joined(rows))
        assert study.missing(run, SeedRange(2**64 - 3, 7)) == [
            SeedRange(2**64 - 3, 1),
            SeedRange(3, 1),
        ]


def test_cells_and_columns_are_the_same() -> None:
    games = GameColumns.joined((row(1), row(2, times=(1e-3, 2e-3))))
    assert GameColumns.of_cells(games.cells()).equals(games)
    assert games.reached[0, :8].tolist() == [0, 0, 3, 9, 17, 30, 39, NEVER]
    assert games.first(1).equals(row(1))
    assert not games.first(1).equals(row(2))
    assert games.cells()["move_99th"] == [None, 2_000_000]
    assert len(GameColumns.joined([])) == 0
    assert GameColumns.joined([]).cells()["seed"] == []


def test_many_chunks_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CHUNK", 7)
    with Study() as study:
        run = add(study)
        for seed in range(50):
            study.add(run, row(seed, score=seed))
        assert study.games(run, SeedRange(10, 30)).scores.tolist() == list(range(10, 40))
        assert study.games(run, SeedRange(100, 30)).scores.tolist() == []
        assert study.games(run, SeedRange(10, 30), reached=False).reached.shape == (30, 0)


def test_a_run_is_one_player_rules_and_signature() -> None:
    with Study() as study:
        first = add(study)
        assert add(study) == first
        assert add(study, signature="2") != first
        assert study.add_run("greedy", "greedy", "3x3", **ABOUT).run != first
        assert len(study.runs()) == 3
        (one, *_) = study.runs()
        assert (one.spec, one.rules, one.signature, one.machine) == (
            "greedy", "4x4", "1", {"cores": 2},
        )  # fmt: skip


def test_a_failure_is_kept_until_the_game_is_played() -> None:
    with Study() as study:
        run, other = add(study), add(study, "corner")
        study.fail(run, 2**64 - 1, "it broke")
        study.fail(run, 3, "it broke again")
        study.add(other, row(3))
        study.flush()
        assert study.failures(run) == {2**64 - 1: "it broke", 3: "it broke again"}
        assert study.failures(other) == {}
        study.add(run, row(3))
        study.flush()
        assert study.failures(run) == {2**64 - 1: "it broke"}


def test_a_game_is_kept_once_with_its_times_and_requests_can_grow() -> None:
    with Study() as study:
        run = add(study)
        study.add(run, row(1, score=5, times=(0.25, 0.5)))
        study.flush()
        study.add(run, row(1, score=6))
        study.add(run, row(2))
        games = study.games(run, SeedRange(1, 9))
        for first, count in ((2**64 - 1, 10), (2**64 - 1, 5), (7, 3), (7, 30)):
            study.want(run, SeedRange(first, count))
        wanted = [one.seeds for one in study.wanted()]
    assert games.scores.tolist() == [5, 100]
    assert games.move_medians.tolist() == [250_000_000, UNKNOWN]
    assert games.usual_move == (0.25, 0.5)
    assert row(1).usual_move is None
    assert wanted == [SeedRange(2**64 - 1, 10), SeedRange(7, 30)]


# The file itself


def test_sqlite_reads_it_without_us(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Study(path) as study:
        run = add(study)
        study.add(run, row(5))
    with Study(path, read_only=True) as study:
        assert len(study.games(run, SeedRange(5, 1))) == 1
    assert list(tmp_path.iterdir()) == [path]  # nor does reading leave anything beside it
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
    query = "SELECT spec, seed, json_extract(reached, '$[6]') FROM game JOIN run USING (run)"
    assert connection.execute(query).fetchall() == [("greedy", "5", 39)]
    connection.close()


@pytest.mark.promise("R16")
def test_a_study_cut_off_anywhere_is_refused_or_sound(tmp_path: Path) -> None:
    whole, torn = tmp_path / "s.db", tmp_path / "t.db"
    small_study(whole)
    content = whole.read_bytes()
    refused = 0
    for length in range(0, len(content), max(len(content) // 60, 1)):
        torn.write_bytes(content[:length])
        try:
            assert use(torn) <= 300
        except InvalidInput:
            refused += 1
        for litter in tmp_path.glob("t.db*"):
            litter.unlink()
    assert refused > 45


OTHERS = {
    "": "expected a (valid )?study",
    "PRAGMA user_version = 9": "of schema 9. Read it with the version",
    "PRAGMA user_version = 1": "of schema 1. Read it with the version",
    "PRAGMA application_id = 7": "expected a study, got another SQLite file",
    "CREATE VIEW a AS SELECT 1": "expected exactly the tables of a study, got .* another view 'a'",
}


@pytest.mark.parametrize("statement", OTHERS)
def test_other_files_are_refused_and_left_alone(statement: str, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.db"))  # a name that is not UTF-8
    small_study(path, 1)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
    for content in [path.read_bytes()] if statement else [b"", b"[]", b"SQLite format 3\0" * 99]:
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match=OTHERS[statement]):
            Study(path)
        assert path.read_bytes() == content
