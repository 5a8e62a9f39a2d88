"""The page of the league: its rows, kept in a file, and its tables."""

import csv
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from twofold.arena.bench import Bench
from twofold.arena.study import Study
from twofold.game.notation import SeedRange
from twofold.game.rules import STANDARD

DOCS = Path(__file__).parent.parent / "docs"
MACHINE = {"processor": "a processor", "cores": 2}


@pytest.fixture(name="rows")
def _rows(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    return importlib.import_module("league_rows")


@pytest.fixture(name="league")
def _league(rows: Any) -> Any:
    return importlib.import_module("league")


def test_the_tables_of_the_page_are_those_of_the_rows(league: Any, rows: Any) -> None:
    page = league.PAGE.read_text(encoding="utf-8")
    tables = page.partition(league.BEGIN)[2].partition(league.END)[0]
    assert tables == "\n".join(["", "", *league.page_parts(rows.read_rows()), ""])


def test_rows_are_kept_as_they_are(rows: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows.write_rows(rows.read_rows(), path)
    assert path.read_text(encoding="utf-8") == rows.ROWS.read_text(encoding="utf-8")


def test_every_row_has_a_time_or_a_source(rows: Any) -> None:
    for row in rows.read_rows():
        assert row.games > 0
        assert row.seconds or row.is_published
        assert row.is_published == (row.clock == "published")


def test_a_study_gives_rows_with_the_times_that_were_measured(rows: Any, tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with Study(path) as study:
        bench = Bench(study, STANDARD, machine=MACHINE)
        for player in ("random", "greedy"):
            bench.add(player, SeedRange(1, 3))
        assert bench.play(0) == ["", ""]
    times = tmp_path / "times.csv"
    with times.open("w", newline="") as file:
        csv.writer(file).writerows([["greedy", 10, 0.5], ["greedy", 30, 0.5]])
    greedy, random = rows.timed(rows.rows_of(path), rows.read_times(times))
    assert (greedy.player, greedy.games, greedy.seconds, greedy.clock) == (
        "greedy",
        3,
        0.025,
        "cpu",
    )
    assert (random.clock, random.machine) == ("wall", "a processor, 2 cores")
    assert greedy.low < greedy.mean < greedy.high
    newer = rows.merged([random, greedy], [random])
    assert newer == [random, greedy]


@pytest.mark.parametrize(
    ("player", "name"),
    [
        ("ntuple:ply=2", "ntuple:ply=2"),
        ("ntuple:ply=2,tables=442-512/32-128+443-512+443-256/8-64", "ntuple:ply=2,tables=auto"),
        (
            "ntuple:late=24576@4,ply=3,tables=wall5-128+wall6-1024",
            "ntuple:late=24576@4,ply=3,tables=default",
        ),
        (
            'engine:cmd="python -m benchmarks.engines.macroxue --program x/2048 --depth 3"',
            "macroxue/2048-ai, depth 3",
        ),
        (
            'engine:cmd="python -m benchmarks.engines.tdl --weights w --ply 2 --times=t.csv"',
            "TDL2048+, ply 2",
        ),
    ],
)
def test_the_names_of_programs_have_no_paths(rows: Any, player: str, name: str) -> None:
    assert rows.name_of(player) == name


def test_every_player_has_a_place_in_the_picture(
    league: Any, rows: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    picture = importlib.import_module("league_picture")
    monkeypatch.setattr(picture, "PICTURE", tmp_path / "league.svg")
    written: list[str] = []
    monkeypatch.setattr(picture, "note", lambda axes, text, *others: written.append(text))
    picture.draw(rows.read_rows())
    kept = picture.drawn(rows.read_rows())
    families = [picture.family_of(row) for row in kept]
    names = [
        family.name if family else row.player for row, family in zip(kept, families, strict=True)
    ]
    assert set(names) <= set(written)
    assert (tmp_path / "league.svg").read_text(encoding="utf-8").endswith("</svg>\n")
