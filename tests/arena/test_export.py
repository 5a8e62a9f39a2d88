"""Games of a study as CSV and Parquet."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.exports import export_csv
from tests.support.games import game
from twofold.arena import export as module
from twofold.arena.export import export_parquet
from twofold.arena.plots import require_report
from twofold.arena.study import Study
from twofold.errors import InvalidInput

RULES = "4x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never"
NAMES = ("greedy", 'a,"b"\n=1+1', "日本\x1b")
SEEDS = [2**64 - 1, 2**63, 2**53 + 1, 0, 1]
HEADER = (
    "spec,player,rules,signature,twofold,boards,reproducible,seed,score,moves,max_tile,reached,"
    "nanoseconds,move_median,move_99th,tile_sum"
)


def full(study: Study) -> None:
    for number, name in enumerate(NAMES):
        run = study.add_run(
            f"greedy:k={number}",
            name,
            RULES,
            signature=str(2**64 - 1),
            twofold="0.1",
            machine={"cores": 2},
            reproducible=number != 1,
        ).run
        for place, seed in enumerate(SEEDS[: 5 - number]):
            reached = (0, 0, *range(3, 3 + place))
            times = (1.5e-5, 0.25) if place % 2 else None
            tile, moves = 2 ** (len(reached) - 1), 50 + place
            row = game(seed, 10**12 + place, moves, tile, reached, 0.1, times, tile_sum=tile + 6)
            study.add(run, row)


@pytest.mark.parametrize("chunk", [2, 50_000])
def test_csv_is_what_any_program_reads(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHUNK", chunk)
    with Study() as study:
        full(study)
        export_csv(study, tmp_path / "g.csv")
    text = (tmp_path / "g.csv").read_bytes().decode()
    assert text.splitlines()[0] == HEADER
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["player"] for row in rows] == [NAMES[0]] * 5 + [NAMES[1]] * 4 + [NAMES[2]] * 3
    assert {row["reproducible"] for row in rows} == {"0", "1"}
    first = rows[0]
    assert (first["seed"], first["reached"], first["move_median"]) == ("0", "[0,0,3,4,5]", "15000")
    assert json.loads(first["reached"]) == [0, 0, 3, 4, 5]
    assert (first["nanoseconds"], first["boards"], first["tile_sum"]) == ("100000000", "", "22")
    assert [row["move_99th"] for row in rows].count("") == 7
    assert "\r" not in text


@pytest.mark.parametrize("chunk", [2, 50_000])
def test_parquet_has_its_types_and_the_values_of_csv(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHUNK", chunk)
    pq = require_report("pyarrow.parquet")
    with Study() as study:
        full(study)
        export_parquet(study, tmp_path / "g.parquet")
        export_csv(study, tmp_path / "g.csv")
    table = pq.read_table(tmp_path / "g.parquet")
    assert sorted(table.schema.names) == sorted([*HEADER.split(","), "machine"])
    assert str(table.schema.field("seed").type) == "uint64"
    assert table.schema.field("reached").type.value_type == "int32"
    assert table["seed"].to_pylist()[4] == 2**64 - 1
    assert table["move_median"].to_pylist()[:2] == [15000, None]
    assert set(table["machine"].to_pylist()) == {'{"cores": 2}'}

    def cell(value: Any) -> str:
        text = int(value) if isinstance(value, bool) else "" if value is None else value
        return str(text).replace(" ", "") if isinstance(value, list) else str(text)

    rows = csv.DictReader(io.StringIO((tmp_path / "g.csv").read_bytes().decode()))
    theirs = table.drop_columns(["machine"]).to_pylist()
    assert list(rows) == [{name: cell(one) for name, one in row.items()} for row in theirs]


@pytest.mark.parametrize("export", [export_csv, export_parquet])
def test_nothing_to_export(export: Any, tmp_path: Path) -> None:
    with Study() as study, pytest.raises(InvalidInput, match="expected a study with finished"):
        export(study, tmp_path / "out")
    assert not list(tmp_path.iterdir())
