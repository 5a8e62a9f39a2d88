"""Each cell of a study made invalid in turn: the error names it, and other studies are shown."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.exports import export_csv
from tests.support.games import game
from twofold.arena import report
from twofold.arena.bench import Bench, resumed
from twofold.arena.export import export_parquet, export_records
from twofold.arena.study import Study
from twofold.errors import InvalidInput
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules
from twofold.limits import MAX_RUNS, MAX_SCORE
from twofold.version import SIGNATURE
from twofold.web.lab import Lab

DEEP = "[" * 100_000
HUGE = 10**22
BAD_SEEDS: list[Any] = ["-5", str(HUGE), "x", "007", "", "1_0", "٣", b"1", str(2**64)]

CELLS: dict[str, dict[str, list[Any]]] = {
    "run": {
        "run": [-1, 0],
        "spec": ["", "a b,", "x" * 2000, b"greedy"],
        "player": ["", "x" * 2000, b"greedy"],
        "rules": ["", "5", "9x9", b"4x4"],
        "signature": ["", "x", "-1", "1" * 30, b"1"],
        "twofold": ["", "x" * 2000, b"0"],
        "machine": [
            "", "[]", "{", '{"a": []}', DEEP, '{"a": ' * 900 + "1" + "}" * 900, "x" * 30_000, b"{}",
        ],
        "reproducible": [2, -1, "yes", 0.5, b"1"],
        "created": ["", "soon", b"2024-01-01"],
        "boards": ["x", "0123456789abcdeF", "0" * 17, b"", 7],
    },
    "plan": {
        "plan": [-1, 0],
        "run": [0, -1, "x", 1.5],
        "first_seed": BAD_SEEDS,
        "games": [-1, 0, "many", 10**9, 1.5, 2**62, b"1"],
    },
    "failure": {"seed": BAD_SEEDS, "error": [b"it broke"]},
    "game": {
        "seed": BAD_SEEDS,
        "score": [-1, 2**63 - 1, MAX_SCORE + 1, "x", 1.5, b"1"],
        "moves": [-1, 2**31, "x", 1.5],
        "max_tile": [0, 1, 3, -4, 2**40, "x", 8.5],
        "reached": [
            "", "[]", "[[0,0,3,9]]", "[0,0,3,[9]]", "[0,0,3],[9]", "[0,0,3,-9]",
            "[0,0,3,2147483648]", "[0,0,3,x]", "[0,0,3,9.5]", "[0,0,3]", "[0,0,9,3]",
            "[0,0,3,99]", DEEP, "[0,0,3,9", "{}", "[" + "0," * 50 + "0]", f"[0,0,3,{HUGE}]",
            b"[0,0,3,9]",
        ],
        "tile_sum": [-1, 0, 7, 64 * 8 + 1, 2**62, "x", 1.5, b"8"],
        "nanoseconds": [-1, 2**62, "x", 1.5],
        "move_median": [5, -1, "x", 1.5],
        "move_99th": [5, -1, "x", 1.5],
    },
}  # fmt: skip
"""Values that a cell cannot have, by table and column."""

EVERY = [(table, column, bad) for table, of in CELLS.items() for column, bad in of.items()]
RECORDS: list[Any] = ["", "no record", b"x", "x" * 3000]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs; the last one has games, a plan and a failure."""
    path = tmp_path_factory.mktemp("sound") / "s.db"
    with Study(path) as study:
        for player in ("greedy", "random", "corner"):
            bench = Bench(study, Rules.parse("3x3"))
            run = bench.add(player, SeedRange(1, 2)).run
            for seed in (1, 2):
                study.add(run, game(seed, 100, 40, 8, (0, 0, 3, 9), 0.001, tile_sum=20))
        study.fail(run, 9, "it broke")
    return path


@pytest.fixture
def change(tmp_path: Path, sound: Path) -> Callable[[str, str, Any], Path]:
    """A study with one changed cell of run 3."""

    def changed(table: str, column: str, value: Any) -> Path:
        path = tmp_path / "s.db"
        shutil.copy(sound, path)
        connection = sqlite3.connect(path)
        where = "run = 3 AND seed = '2'" if table == "game" else "run = 3"
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value,))
        assert connection.total_changes == 1
        connection.commit()
        connection.close()
        return path

    return changed


def read_all(study: Study, out: Path) -> None:
    """The tables that `report` and the exports read."""
    report.gather(study)
    export_csv(study, out / "g.csv")
    export_parquet(study, out / "g.parquet")


def go_on(study: Study, _: Path) -> None:
    """The tables that `bench --resume` reads."""
    resumed(study).standings()


@pytest.mark.promise("R63")
@pytest.mark.parametrize(("table", "column", "values"), EVERY)
def test_a_bad_cell_is_named_and_hides_no_other_study(
    table: str,
    column: str,
    values: list[Any],
    change: Callable[[str, str, Any], Path],
    sound: Path,
    tmp_path: Path,
) -> None:
    for value in values:
        path = change(table, column, value)
        shutil.copy(sound, tmp_path / "other.db")
        for use, read_only in ((read_all, True), (go_on, False)):
            with Study(path, read_only=read_only) as study, pytest.raises(InvalidInput) as caught:
                use(study, tmp_path)
            said = str(caught.value)
            assert "got " in said, (value, said)
            assert "s.db" in said, (value, said)
            if (table, column) not in (("run", "run"), ("plan", "plan")):
                assert "run 3" in said or column == "run", (value, said)
        listed = {one.name: one for one in Lab(tmp_path).studies()}
        assert (listed["other.db"].games, listed["other.db"].error) == (6, "")
        assert bool(listed["s.db"].error) == (table in ("run", "plan")), value
        if column == "reached":  # which the page does not show
            assert Lab(tmp_path).study("s.db").games == 6
            continue
        with pytest.raises(InvalidInput, match=r"got .*'s\.db'|in .*'s\.db'"):
            Lab(tmp_path).study("s.db")


@pytest.mark.promise("R63")
@pytest.mark.parametrize(("column", "value"), [("moves", 3), ("max_tile", 16)])
def test_cells_that_contradict_reached_are_named(
    column: str, value: int, change: Callable[[str, str, Any], Path], tmp_path: Path
) -> None:
    with (
        Study(change("game", column, value), read_only=True) as study,
        pytest.raises(InvalidInput, match=r"reached.* in the game of seed '2' in run 3 of .*s\.db"),
    ):
        export_csv(study, tmp_path / "g.csv")


@pytest.mark.promise("R63")
@pytest.mark.parametrize("value", RECORDS)
def test_a_bad_record_is_named(
    value: Any, change: Callable[[str, str, Any], Path], tmp_path: Path
) -> None:
    path = change("game", "record", value)
    with Study(path, read_only=True) as study:
        assert len(report.gather(study)) == 1
        with pytest.raises(InvalidInput, match=r"in the game of seed '2' in run 3 of .*s\.db"):
            export_records(study, tmp_path / "g.jsonl")
    assert not (tmp_path / "g.jsonl").exists()


def test_a_seed_is_there_once(tmp_path: Path, sound: Path) -> None:
    """In a table without its key, as a damaged file may have it."""
    path = Path(shutil.copy(sound, tmp_path / "s.db"))
    with Study(path) as study, pytest.raises(InvalidInput, match="damaged tree"), study._errors():
        list(study._rows("SELECT 7 FROM game", most=1))


def test_written_games_can_be_read() -> None:
    """Values that a reader would refuse are refused when they are written."""
    about: dict[str, Any] = {"signature": str(SIGNATURE), "twofold": "0", "reproducible": True}
    with Study() as study:
        machines: list[Any] = [{"a": []}, {"a": float("nan")}, {"a": "x" * 30_000}]
        for machine in machines:
            with pytest.raises(InvalidInput, match="plain values as machine"):
                study.add_run("greedy", "greedy", "4x4", machine=machine, **about)
        rows = [(k + 1, f"greedy:k={k}", "greedy", "4x4", "1", "0", "{}", 1, "2024-01-01", "")
                for k in range(MAX_RUNS)]  # fmt: skip
        study._connection.executemany("INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        with pytest.raises(InvalidInput, match="at most 10,000 runs"):
            study.add_run("greedy", "greedy", "4x4", machine={}, **about)
