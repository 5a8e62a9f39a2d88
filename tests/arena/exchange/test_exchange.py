"""Games as CSV and Parquet: exports can be imported, and an invalid file changes nothing."""

import csv
import io
import json
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.exchange import export_csv, import_games
from twofold.arena.exchange import csv_form as exchange_csv
from twofold.arena.exchange import exchange as module
from twofold.arena.exchange import parquet as exchange_parquet
from twofold.arena.exchange.exchange import export_parquet, stretches
from twofold.arena.games import GameColumns, GameRow
from twofold.arena.reports.drawings import require_report
from twofold.arena.studies.rows import Wanted
from twofold.arena.studies.study import Study
from twofold.errors import InvalidInput, MissingExtra, ResourceError
from twofold.seeds import SeedRange

RULES = "4x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never"
NAMES = ("greedy", 'a,"b"\n=1+1', "日本\x1b")
SEEDS = [2**64 - 1, 2**63, 2**53 + 1, 0, 1]
EXPORTS = [export_csv, export_parquet]
HEADER = (
    "spec,player,rules,signature,twofold,reproducible,seed,score,moves,max_tile,reached,"
    "nanoseconds,move_median,move_99th"
)
"""The header of older files, which are read too."""
LINE = f'greedy,greedy,"{RULES}",1,0.1,1,7,100,40,16,"[0,0,3,9,17]",1000,,'


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
        )
        for place, seed in enumerate(SEEDS[: 5 - number]):
            reached = (0, 0, *range(3, 3 + place))
            times = (1.5e-5, 0.25) if place % 2 else None
            tile, moves = 2 ** (len(reached) - 1), 50 + place
            row = GameRow("", seed, 10**12 + place, moves, tile, reached, 0.1, times)
            study.add(run, replace(row, tile_sum=None if place == 1 else tile + 6))


def assert_same(ours: GameColumns, theirs: GameColumns) -> None:
    assert len(ours)
    for field in fields(GameColumns):
        np.testing.assert_array_equal(getattr(ours, field.name), getattr(theirs, field.name))


@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize("chunk", [2, 50_000])
def test_exports_can_be_imported(
    export: Any, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in (module, exchange_csv, exchange_parquet):
        monkeypatch.setattr(part, "_CHUNK", chunk)
    file, again = tmp_path / "games", tmp_path / "again"
    with Study() as study, Study(tmp_path / "copy.db") as copy:
        full(study)
        export(study, file)
        assert import_games(copy, file) == 12
        for ours, theirs in zip(study.runs(), copy.runs(), strict=True):
            for name in ("spec", "player", "rules", "signature", "twofold", "reproducible"):
                assert getattr(ours, name) == getattr(theirs, name)
            assert_same(study.all_games(ours.run), copy.all_games(theirs.run))
            assert theirs.machine == (ours.machine if export is export_parquet else {})
        export(copy, again)
        assert again.read_bytes() == file.read_bytes()
        assert import_games(copy, file) == 0


def test_csv_is_what_any_program_reads(tmp_path: Path) -> None:
    with Study() as study:
        full(study)
        export_csv(study, tmp_path / "g.csv")
    text = (tmp_path / "g.csv").read_bytes().decode()
    assert text.splitlines()[0] == f"{HEADER},boards,tile_sum"
    first = next(csv.DictReader(io.StringIO(text)))
    assert (first["seed"], first["reached"], first["move_median"]) == ("0", "[0,0,3,4,5]", "15000")
    assert json.loads(first["reached"]) == [0, 0, 3, 4, 5]
    assert first["nanoseconds"] == "100000000"
    assert "\r" not in text


def test_parquet_has_its_types(tmp_path: Path) -> None:
    pq = require_report("pyarrow.parquet")
    with Study() as study:
        full(study)
        export_parquet(study, tmp_path / "g.parquet")
    table = pq.read_table(tmp_path / "g.parquet")
    assert str(table.schema.field("seed").type) == "uint64"
    assert str(table.schema.field("reached").type).startswith("list<")
    assert table.schema.field("reached").type.value_type == "int32"
    assert table["seed"].to_pylist()[4] == 2**64 - 1
    assert table["move_median"].to_pylist()[:2] == [15000, None]


@pytest.mark.parametrize("export", EXPORTS)
def test_nothing_to_export(export: Any, tmp_path: Path) -> None:
    with Study() as study, pytest.raises(InvalidInput, match="expected a study with finished"):
        export(study, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_imported_games_are_stored_as_requests(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(f"{HEADER}\n{LINE}\n{LINE.replace(',7,', ',8,')}\n")
    with Study() as study:
        import_games(study, tmp_path / "g.csv")
        assert study.wanted() == [Wanted(1, SeedRange(7, 2))]
        assert study.missing(1, SeedRange(7, 3)) == [SeedRange(9, 1)]


@pytest.mark.parametrize(
    ("seeds", "found"),
    [
        ([5], [(5, 1)]),
        ([3, 1, 2, 9], [(1, 3), (9, 1)]),
        ([2**64 - 1, 0, 1, 2**64 - 2, 7], [(2**64 - 2, 4), (7, 1)]),
        (list(range(0, 2000, 2)), []),
    ],
)
def test_stretches_of_seeds(seeds: list[int], found: list[tuple[int, int]]) -> None:
    assert stretches(np.array(seeds, dtype=np.uint64)) == [SeedRange(*one) for one in found]


# ---- bad files


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (LINE + ",", "expected 14 cells in line 3 of .*, got 15"),
        (LINE.replace(",7,", ",-1,"), "expected a whole number as seed in line 3 of .*got '-1'"),
        (LINE.replace(",7,", ",٣,"), "expected a whole number as seed in line 3"),
        (LINE.replace(",7,", f",{2**64},"), "a number up to 18446744073709551615 as seed"),
        (LINE.replace(",100,", ",1e3,"), "expected a whole number as score in line 3"),
        (LINE.replace(",16,", ",17,"), "expected a tile from 2 .* as max_tile in line 3"),
        (LINE.replace(",16,", ",32,"), "expected as many numbers in reached .* in line 3"),
        (LINE.replace("[0,0,3,9,17]", "[0,0,3,9,41]"), "expected move numbers in reached"),
        (LINE.replace("[0,0,3,9,17]", "[0,9,3,9,17]"), "expected numbers in reached that never"),
        (LINE.replace("[0,0,3,9,17]", "[0,0,3,9,]"), "expected a JSON array .* in line 3"),
        (LINE.replace("[0,0,3,9,17]", "[0,0,3,9,9999999999]"), "below 2.31 as reached"),
        (
            LINE.replace(",1000,,", ",1000,5,"),
            "expected both move_median and move_99th or neither in line 3",
        ),
        (LINE.replace(",1000,", ",,"), "expected a whole number as nanoseconds in line 3"),
        (LINE.replace("0.1,1,", "0.1,yes,"), "expected 0 or 1 as reproducible in line 3"),
        (LINE.replace("4x4", "9x9"), "got 9x9 .column rules in line 3"),
        (LINE.replace("greedy,greedy", "gre edy,x"), "expected a player name.* in line 3"),
        (LINE.replace('",1,0.1', '",x,0.1'), "a number in decimal as signature.* in line 3"),
        (LINE.replace(",7,", ",6,"), "expected each seed of a run once, got 6 again in line 3"),
        ('"' + LINE, "in line 3 of"),
        ("x" * 200_000, "expected a game of at most 16384 characters in line 3 of"),
    ],
)  # fmt: skip
def test_a_bad_csv_is_refused_and_nothing_is_written(line: str, words: str, tmp_path: Path) -> None:
    good = LINE.replace(",7,", ",6,")
    (tmp_path / "g.csv").write_text(f"{HEADER}\n{good}\n{line}\n", encoding="utf-8")
    with Study() as study:
        with pytest.raises(InvalidInput, match=words) as error:
            import_games(study, tmp_path / "g.csv")
        assert "\n" not in str(error.value)
        assert study.runs() == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "expected the header spec,.* as line 1"),
        (b"a,b\n", "expected the header"),
        (HEADER.encode() + b"\n", "expected at least one game, got none"),
        (HEADER.encode() + b"\n\xff\xfe\n", "expected text in UTF-8"),
        (b"PAR1", "expected a valid Parquet file"),
        (b"PAR1" + bytes(100) + b"PAR1", "expected a valid Parquet file"),
    ],
)
def test_other_files_are_refused(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "g").write_bytes(content)
    with Study() as study, pytest.raises(InvalidInput, match=words):
        import_games(study, tmp_path / "g")


def changed(table: Any, column: str, values: list[Any]) -> Any:
    pa = require_report("pyarrow")
    unsigned = column == "seed" and isinstance(values[0], int)
    array = pa.array(values, pa.uint64() if unsigned else None)
    return table.set_column(table.schema.get_field_index(column), column, array)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("score", -5, "expected score from 0 .* in row 2 of .*got '-5'"),
        ("score", None, "expected score in row 2 of .*, got nothing"),
        ("score", "many", "expected score of type int64 in rows 1 to 12"),
        ("max_tile", 3, "expected a tile .* in row 2"),
        ("reached", [], "expected as many numbers in reached"),
        ("reached", [0] * 37, "expected at most 36 numbers in reached in row 2"),
        ("reached", [0, None], "expected numbers in reached in rows 1 to 12"),
        ("rules", "5", "in row 2 of"),
        ("machine", "[]", "as machine, .* in row 2"),
        ("machine", "[" * 9000, "in row 2 of"),
        ("seed", 0, "expected each seed of a run once, got 0 again in row 2"),
    ],
)
def test_a_bad_parquet_is_refused(column: str, value: Any, words: str, tmp_path: Path) -> None:
    pq, path = require_report("pyarrow.parquet"), tmp_path / "g.parquet"
    with Study() as study:
        full(study)
        export_parquet(study, path)
    table = pq.read_table(path)
    values = table[column].to_pylist()
    values[1] = value
    values = [str(one) for one in values] if value == "many" else values
    pq.write_table(changed(table, column, values), path)
    with Study() as study, pytest.raises(InvalidInput, match=words):
        import_games(study, path)
    with Study() as study:
        pq.write_table(table.drop_columns(["seed"]), path)
        with pytest.raises(InvalidInput, match="expected each of the columns"):
            import_games(study, path)
        assert study.runs() == []


def test_parquet_of_others_may_have_seeds_as_text_and_no_machine(tmp_path: Path) -> None:
    pq, path = require_report("pyarrow.parquet"), tmp_path / "g.parquet"
    with Study() as study:
        full(study)
        export_parquet(study, path)
    table = pq.read_table(path)
    seeds = [str(seed) for seed in table["seed"].to_pylist()]
    pq.write_table(changed(table, "seed", seeds).drop_columns(["machine"]), path)
    with Study() as study:
        assert import_games(study, path) == 12
        assert study.all_games(1).seeds.tolist() == sorted(SEEDS)


def test_a_parquet_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.parquet"
    with Study() as study:
        full(study)
        export_parquet(study, path)
    content = path.read_bytes()
    with Study() as study:
        for length in range(4, len(content), 97):
            path.write_bytes(content[:length])
            with pytest.raises(InvalidInput, match="expected a valid Parquet file"):
                import_games(study, path)
        assert study.runs() == []


# ---- studies that have games already


CHANGES = """
import sys
from twofold.arena.exchange.exchange import read_games
from twofold.errors import InvalidInput

data, path = open(sys.argv[1], "rb").read(), sys.argv[1] + "-changed"
for place in range(5, len(data), 61):
    for value in (0x00, 0x15, 0x1C):
        with open(path, "wb") as file:
            file.write(data[:place] + bytes([value]) + data[place + 1 :])
        try:
            read_games(path)
        except InvalidInput:
            pass
print("all read")
"""


@pytest.mark.promise("R82")
def test_a_changed_byte_of_a_parquet_is_no_internal_error(tmp_path: Path) -> None:
    """In a process of its own, which PyArrow ends if it is asked for a damaged column."""
    with Study(tmp_path / "a.db") as study:
        full(study)
        export_parquet(study, tmp_path / "a.parquet")
    command = [sys.executable, "-c", CHANGES, str(tmp_path / "a.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "all read\n"), done.stderr


def test_another_result_of_the_same_game_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    with Study() as study:
        path.write_text(f"{HEADER}\n{LINE}\n")
        import_games(study, path)
        other = LINE.replace(",100,", ",104,")
        path.write_text(f"{HEADER}\n{LINE.replace(',7,', ',6,')}\n{other}\n")
        with pytest.raises(InvalidInput, match="expected the game of 'greedy' and seed 7 as in"):
            import_games(study, path)
        assert study.all_games(1).seeds.tolist() == [7]
        timed = other.replace("0.1,1,", "0.1,0,").replace("greedy,", "greedy:k=1,", 1)
        path.write_text(f"{HEADER}\n{timed}\n")
        assert import_games(study, path) == 1
        path.write_text(f"{HEADER}\n{timed.replace(',104,', ',108,')}\n")
        assert import_games(study, path) == 0  # under a time budget games differ


def test_a_full_disk_leaves_the_study_as_it_was(tmp_path: Path) -> None:
    lines = "\n".join(LINE.replace(",7,", f",{seed},") for seed in range(3000))
    (tmp_path / "g.csv").write_text(f"{HEADER}\n{lines}\n")
    with Study(tmp_path / "s.db") as study:
        pages = study._one("PRAGMA page_count")[0]
        study._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(ResourceError, match="full"):
            import_games(study, tmp_path / "g.csv")
        assert study.runs() == []
        assert study.wanted() == []


def test_too_many_games_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_GAMES", 1)
    (tmp_path / "g.csv").write_text(f"{HEADER}\n{LINE}\n{LINE.replace(',7,', ',8,')}\n")
    with Study() as study, pytest.raises(InvalidInput, match="expected at most 1 games"):
        import_games(study, tmp_path / "g.csv")


def test_without_the_extra_csv_still_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "g.parquet").write_bytes(b"PAR1")
    with Study() as study:
        full(study)
        export_csv(study, tmp_path / "g.csv")
        with pytest.raises(MissingExtra, match=r"pip install 'twofold\[report\]'"):
            export_parquet(study, tmp_path / "g.parquet")
        with pytest.raises(MissingExtra, match="extra 'report'"):
            import_games(study, tmp_path / "g.parquet")
