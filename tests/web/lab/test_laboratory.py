"""The laboratory: the studies and runs of a folder with other files."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.web.lab.made_lab import RULES, add, make_run, row
from tests.web.lab.made_lab import example as example  # a fixture
from tests.web.lab.made_lab import folder as folder  # a fixture
from twofold.arena.curves import MAX_BYTES
from twofold.arena.report import Section, gather
from twofold.arena.study import Study
from twofold.arena.tables import league
from twofold.errors import InvalidInput, TwofoldError
from twofold.game.notation import SeedRange
from twofold.learn.curve import Curve as LearningCurve
from twofold.learn.curve import Point
from twofold.learn.curve_files import run, runs
from twofold.storage import named_files
from twofold.web import lab as lab
from twofold.web.lab import Lab

# ---- studies


def test_the_studies_of_a_folder(folder: Path) -> None:
    first, second = Lab(folder).studies()
    assert (first.name, first.games, first.asked, first.error) == ("a.db", 8, 18, "")
    assert first.players == ["weak", "strong", "<img src=x>\\x1b[2J\\u202e"]
    assert first.rules == [RULES]
    assert first.changed == "2033-05-18T03:33:20.000+00:00"
    assert (second.name, second.players) == ("sub/b.db", first.players)
    assert Lab(folder / "no such folder").studies() == []


def test_the_tables_are_those_of_the_report(folder: Path) -> None:
    found = Lab(folder).study("a.db")
    with Study(folder / "a.db", read_only=True) as opened:
        (expected,) = gather(opened)
    (section,) = found.sections
    assert section.league
    assert section.league.rows == [list(row) for row in league(expected.entries).rows]
    assert [player.label for player in section.players] == ["strong", "weak"]
    assert [player.colour for player in section.players] == [0, 1]
    assert section.league.keys[0][:3] == ["strong", 4, 1250.0]
    assert section.rates
    assert [len(keys) for keys in section.rates.keys] == [len(section.rates.header)] * 2
    assert section.pairs
    assert section.pairs.keys[0][:4] == ["strong", "weak", 4, 1000.0]
    assert section.machines[0].values == {"cores": "2"}
    assert section.notes[-1].text.startswith("no finished game: <img src=x>\\x1b")
    assert section.commands[0].startswith("twofold bench weak strong --games 4 --seed 1 --rules")
    assert section.all_pairs
    assert not section.has_spread
    assert (found.games, found.changed) == (8, Lab(folder).studies()[0].changed)


def test_a_study_is_read_once_until_it_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []

    def counted(opened: Study) -> list[Section]:
        read.append(opened.name)
        return gather(opened)

    monkeypatch.setattr(lab, "gather", counted)
    first = Lab(folder).study("a.db")
    assert Lab(folder).study("a.db") is first
    assert len(read) == 1
    with Study(folder / "a.db") as opened:
        opened.add(1, row(99, 7, 5))
        opened.flush()
        assert Lab(folder).study("a.db").games == 9  # what is in the write-ahead log counts
    assert Lab(folder).studies()[0].games == 9
    assert len(read) == 2


def test_requested_games_are_counted_once(tmp_path: Path) -> None:
    with Study(tmp_path / "a.db") as made:
        number = add(made, "one")
        for seed, games in [(1, 100), (51, 100), (60, 10), (1000, 5)]:
            made.want(number, SeedRange(seed, games))
    assert Lab(tmp_path).studies()[0].asked == 155
    with pytest.raises(InvalidInput, match=r"got 'a\.db' without any"):
        Lab(tmp_path).study("a.db")


def test_an_unreadable_file_is_listed_with_its_error(folder: Path) -> None:
    whole = (folder / "a.db").read_bytes()
    (folder / "torn.db").write_bytes(whole[:5000])
    with closing(sqlite3.connect(folder / "sub" / "b.db")) as connection:
        connection.execute("PRAGMA user_version = 99")
    with closing(sqlite3.connect(folder / "other.db")) as connection:
        connection.execute("CREATE TABLE game (seed)")
    found = {one.name: one for one in Lab(folder).studies()}
    assert set(found) == {"a.db", "sub/b.db", "torn.db"}
    assert "expected a valid study, got 'torn.db'" in found["torn.db"].error
    assert "got 'sub/b.db' of schema 99" in found["sub/b.db"].error
    for name in ("torn.db", "sub/b.db", "other.db", "empty.db"):
        with pytest.raises(TwofoldError, match=name):
            Lab(folder).study(name)


def test_a_figure_is_of_a_section_that_is_there(folder: Path) -> None:
    with pytest.raises(InvalidInput, match="expected a section from 1 to 1, got 9"):
        Lab(folder).figure("a.db", lab.StudyFigure(section=9))


# ---- names


def test_the_number_of_entries_read_is_limited(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = folder / "1" / "2" / "3"
    deep.mkdir(parents=True)
    make_run(folder / "1" / "2" / "deep.csv")
    make_run(deep / "deeper.csv")
    assert {one.name for one in runs(folder)} == {"net.csv", "sub/other.csv", "1/2/deep.csv"}
    monkeypatch.setattr(named_files, "MAX_ENTRIES", 0)
    assert runs(folder) == []


# ---- charts


def test_the_charts_show_every_player(folder: Path) -> None:
    (charts,) = Lab(folder).study("a.db").charts
    assert [one.player for one in charts.reach] == [0, 1]
    strong = charts.reach[0]
    assert (strong.xs, strong.ys) == ([16, 32, 64], [100, 75, 25])
    assert all(
        low <= y <= high for low, y, high in zip(strong.low, strong.ys, strong.high, strict=True)
    )
    for one in charts.scores:
        assert len(one.xs) == len(one.ys)
        assert sum(one.ys) == pytest.approx(100)
    assert [(one.xs, one.ys) for one in charts.strength] == [([1e-05], [1250]), ([1e-05], [250])]
    assert not charts.wide


# ---- runs


def test_the_runs_of_a_folder(folder: Path) -> None:
    first, second = runs(folder)
    assert (first.name, first.network, first.points) == ("net.csv", "net.safetensors", 3)
    assert (first.games, first.moves, first.seconds) == (3000, 3_000_000, 30.0)
    assert (first.moves_per_second, first.mean, first.largest) == (100_000.0, 301.5, 8999)
    assert first.reached["2048"] == 0.25
    assert (second.name, second.network, second.mean) == ("sub/other.csv", "", None)


def test_a_curve(folder: Path) -> None:
    found = run(folder, "net.csv")
    assert found.columns[:6] == ["games", "moves", "seconds", "mean", "largest", "reached_1024"]
    assert found.rows[0] == [1000, 1e6, 10, 100.5, 8999, 0.5, 0.25, 0, 0, 0, 0]
    assert run(folder, "net.csv") is found
    make_run(folder / "net.csv", points=4)
    assert len(run(folder, "net.csv").rows) == 4


def test_evaluations_come_with_their_curve(folder: Path) -> None:
    assert run(folder, "net.csv").evaluations == []
    beside = folder / "net.evaluations.csv"
    header = "games,moves,seconds,training_mean,mean,margin,survival mean"
    beside.write_text(f"{header}\n0,0,0,1,5.5,,0.5\n9,99,1.5,1,,,1\n")
    assert run(folder, "net.csv").evaluations == [[0, 0, 0, 5.5]]
    assert run(folder, "net.csv").survival == {"mean": [[0, 0, 0, 0.5], [9, 99, 1.5, 1]]}
    assert [one.name for one in runs(folder)] == ["net.csv", "sub/other.csv"]
    wrong = (
        "games,moves\n1,2\n",
        f"{header}\n1,2,3,4,nan\n",
        f"{header}\n1,2\n",
        '"',
        "",
        "\udcff",
    )
    for text in wrong:
        beside.write_bytes(text.encode(errors="surrogateescape"))
        assert run(folder, "net.csv").evaluations == []
        assert run(folder, "net.csv").survival == {}


@pytest.mark.parametrize(("change", "sentence"), [
    (lambda text: text.replace("100.5", "nan"), "expected a number, got 'nan'"),
    (lambda text: text.replace("100.5", "x"), "could not convert string to float: 'x'"),
    (lambda text: text.replace("100.5", ""), "expected a number in each cell"),
    (lambda text: text + "1,2\n", "expected 11 cells a line"),
    (lambda text: text.replace("reached_1024", "won"), "expected the columns"),
    (lambda text: text + "\udcff", "expected a learning curve"),
    (lambda text: text + '"', "expected a learning curve"),
    (lambda text: text + "1,2,3,4,5,0,0,0,0,0,0\n" * 2000, "at most 2,000 points"),
    (lambda text: text + " " * MAX_BYTES, "at most 4,194,304 bytes"),
])  # fmt: skip
def test_a_damaged_curve_is_listed_with_its_error(folder: Path, change: Any, sentence: str) -> None:
    text = change((folder / "net.csv").read_text())
    (folder / "net.csv").write_bytes(text.encode(errors="surrogateescape"))
    (line,) = [one for one in runs(folder) if one.name == "net.csv"]
    assert sentence in line.error
    with pytest.raises(InvalidInput, match=sentence.replace("(", "\\(")):
        run(folder, "net.csv")


def test_a_run_without_time_has_no_speed(tmp_path: Path) -> None:
    tmp_path.joinpath("n.csv").write_text(LearningCurve([Point(1, 1, 0, 1, 1, *(0.0,) * 6)]).csv())
    assert runs(tmp_path)[0].moves_per_second == 0
    (tmp_path / "empty.csv").touch()
    with pytest.raises(InvalidInput, match="expected the columns"):
        run(tmp_path, "empty.csv")
